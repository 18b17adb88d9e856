import CCurl
import Glibc
import SDImage

/// libcurl's multi handle, with the connections and resolved names of one downloader. Confined to the transfer thread.
///
/// libcurl is called only for sockets that are ready (curl_multi_socket_action(3)): a thousand idle connections cost nothing.
/// Owned by `DownloadQueue`, and freed to close idle connections.
@safe final class MultiHandle {
    /// The handle of libcurl.
    private let multi: UnsafeMutableRawPointer
    private let sockets: SocketTable
    /// The sockets that libcurl waits for.
    private var watched: Set<curl_socket_t> = []
    /// Time at which libcurl needs a call without a socket event.
    private(set) var due: UInt64?

    /// Maximum number of idle connections; equals the default number of concurrent transfers.
    /// More connections than concurrent transfers would only stay open.
    private static let keptConnections = 32

    init(_ sockets: SocketTable) throws(ImageError) {
        guard let multi = unsafe curl_multi_init() else { throw ImageError(.noMemory, "http: no memory for transfers") }
        unsafe self.multi = multi
        self.sockets = sockets
        // libcurl before 8.9 opens two sockets for curl_multi_wakeup(3) here that stay open across exec. They are unused:
        // nothing is sent over them, and the poller has a descriptor of its own. They cannot be told reliably from the sockets
        // of the host.
        unsafe ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, MultiHandle.keptConnections)
        unsafe ccurl_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe ccurl_multi_set_watchers(multi, MultiHandle.watch, MultiHandle.setTimer, context)
    }

    deinit {
        // No callback may retain an object that is being freed. The sockets leave the poller when they are closed.
        unsafe ccurl_multi_set_watchers(multi, nil, nil, nil)
        unsafe curl_multi_cleanup(multi)
    }

    /// Starts a hop; libcurl works on it in `perform`.
    func add(_ handle: EasyHandle) throws(ImageError) {
        let code = unsafe curl_multi_add_handle(multi, handle.curl)
        guard code == CURLM_OK else {
            throw ImageError(.noMemory, "http: transfer could not be started", libraryCode: code.rawValue)
        }
    }

    /// Has no effect on a handle that is not part of it.
    func remove(_ handle: EasyHandle) { unsafe curl_multi_remove_handle(multi, handle.curl) }

    /// Advances every transfer as far as possible without waiting; true when at least one ended.
    /// `ended` gets the easy handle and the result code; it may remove the handle.
    func perform(_ ended: (UnsafeMutableRawPointer, CURLcode) -> Void) -> Bool {
        var running: Int32 = 0
        // Events of other multi handles stay in the poller.
        while let (descriptor, events) = sockets.poller?.takeEvent(of: watched) {
            unsafe curl_multi_socket_action(multi, descriptor, events, &running)
        }
        if let due, due <= MonotonicClock.now {
            // Cleared first, because libcurl sets the next timer during the call.
            self.due = nil
            unsafe curl_multi_socket_action(multi, ccurl_socket_timeout, 0, &running)
        }
        var code = CURLE_OK
        var hasEnded = false
        while let curl = unsafe ccurl_multi_next_finished(multi, &code) {
            hasEnded = true
            unsafe ended(curl, code)
        }
        return hasEnded
    }

    /// libcurl starts or stops waiting for a socket.
    private static let watch: curl_socket_callback = { _, descriptor, what, context, _ in
        guard let context = unsafe context else { return 0 }
        let handle = unsafe Unmanaged<MultiHandle>.fromOpaque(context).takeUnretainedValue()
        if what == CURL_POLL_REMOVE { handle.watched.remove(descriptor) } else { handle.watched.insert(descriptor) }
        handle.sockets.watch(descriptor, what)
        return 0
    }

    /// libcurl sets its timer; -1 removes it.
    private static let setTimer: curl_multi_timer_callback = { _, milliseconds, context in
        guard let context = unsafe context else { return 0 }
        let handle = unsafe Unmanaged<MultiHandle>.fromOpaque(context).takeUnretainedValue()
        handle.due =
            milliseconds < 0
            ? nil
            : Durations.moment(
                MonotonicClock.now, after: Durations.nanoseconds(milliseconds: UInt64(milliseconds)))
        return 0
    }
}
