import CCurl
import Glibc
import SDImage

/// libcurl's multi handle: all connections of the process. Never touched by another thread.
@safe final class MultiHandle {
    private let multi: UnsafeMutableRawPointer

    /// Idle connections kept; as many as run at once by default.
    private static let keptConnections = 32

    init() throws(ImageError) {
        guard let multi = unsafe curl_multi_init() else { throw ImageError(.noMemory, "transfers could not be prepared") }
        unsafe self.multi = multi
        // Where they cannot be told apart, two idle sockets stay open across exec; nothing else follows from it.
        _ = unsafe ccurl_multi_close_on_exec(multi)
        unsafe ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, MultiHandle.keptConnections)
        unsafe ccurl_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
    }

    deinit { unsafe curl_multi_cleanup(multi) }

    func add(_ handle: EasyHandle) throws(ImageError) {
        let code = unsafe curl_multi_add_handle(multi, handle.curl)
        guard code == CURLM_OK else { throw ImageError(.noMemory, "transfer could not be started", libraryCode: code.rawValue) }
    }

    func remove(_ handle: EasyHandle) { unsafe curl_multi_remove_handle(multi, handle.curl) }

    /// Lets every transfer do what it can without waiting; true when at least one ended.
    func perform(_ ended: (UnsafeMutableRawPointer, CURLcode) -> Void) -> Bool {
        var running: Int32 = 0
        unsafe curl_multi_perform(multi, &running)
        var code = CURLE_OK
        var hasEnded = false
        while let curl = unsafe ccurl_multi_next_finished(multi, &code) {
            hasEnded = true
            unsafe ended(curl, code)
        }
        return hasEnded
    }

    /// Sleeps until a socket, a timer of libcurl's, or `descriptor` is ready.
    func wait(_ descriptor: Int32, milliseconds: Int32) {
        var extra = curl_waitfd(fd: descriptor, events: Int16(CURL_WAIT_POLLIN), revents: 0)
        unsafe curl_multi_poll(multi, &extra, 1, milliseconds, nil)
    }
}
