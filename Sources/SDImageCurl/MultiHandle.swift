import CCurl
import Glibc
import SDImage

/// libcurl's multi handle, with all connections of the process. Confined to the transfer thread.
///
/// libcurl is called only for sockets that are ready (curl_multi_socket_action(3)): a thousand idle connections cost nothing.
@safe final class MultiHandle {
    private let multi: UnsafeMutableRawPointer
    private let poller: Int32
    /// Ready sockets and their events; not yet reported to libcurl.
    private var ready: [(descriptor: curl_socket_t, events: Int32)] = []
    /// Time at which libcurl needs a call without a socket event.
    private var due: UInt64?

    /// Maximum number of idle connections; equals the default number of concurrent transfers.
    private static let keptConnections = 32
    private static let mostEvents = 64

    /// `wakeUp` also ends a wait.
    init(wakeUp: Int32) throws(ImageError) {
        guard let multi = unsafe curl_multi_init() else { throw ImageError(.noMemory, "http: no memory for transfers") }
        poller = ccurl_make_poller(wakeUp)
        guard poller >= 0 else {
            let code = errno
            unsafe curl_multi_cleanup(multi)
            throw ImageError(.noMemory, "http: poller could not be created", systemError: code)
        }
        unsafe self.multi = multi
        // libcurl before 8.9 opens two sockets for curl_multi_wakeup(3) here that stay open across exec. They are unused:
        // nothing is sent over them, and the poller has a descriptor of its own. They cannot be told reliably from the sockets
        // of the host.
        unsafe ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, MultiHandle.keptConnections)
        unsafe ccurl_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe ccurl_multi_set_watchers(multi, MultiHandle.watch, MultiHandle.setTimer, context)
    }

    deinit {
        unsafe curl_multi_cleanup(multi)
        close(poller)
    }

    func add(_ handle: EasyHandle) throws(ImageError) {
        let code = unsafe curl_multi_add_handle(multi, handle.curl)
        guard code == CURLM_OK else {
            throw ImageError(.noMemory, "http: transfer could not be started", libraryCode: code.rawValue)
        }
    }

    func remove(_ handle: EasyHandle) { unsafe curl_multi_remove_handle(multi, handle.curl) }

    /// Advances every transfer as far as possible without waiting; true when at least one ended.
    func perform(_ ended: (UnsafeMutableRawPointer, CURLcode) -> Void) -> Bool {
        var running: Int32 = 0
        while let (descriptor, events) = ready.popLast() {
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

    /// Sleeps until a socket, a timer of libcurl, or the wake-up is ready.
    func wait(milliseconds: Int32) {
        var most = milliseconds
        if let due {
            let now = MonotonicClock.now
            most = due > now ? min(most, Int32(min((due - now) / 1_000_000 + 1, 60_000))) : 0
        }
        unsafe withUnsafeTemporaryAllocation(of: ccurl_event.self, capacity: MultiHandle.mostEvents) { events in
            let count = unsafe ccurl_wait(poller, events.baseAddress, Int32(events.count), most)
            for index in 0..<min(Int(max(0, count)), events.count) {
                let event = unsafe events[index]
                ready.append((event.socket, event.events))
            }
        }
    }

    private static let watch: curl_socket_callback = { _, descriptor, what, context, _ in
        guard let context = unsafe context else { return 0 }
        let handle = unsafe Unmanaged<MultiHandle>.fromOpaque(context).takeUnretainedValue()
        ccurl_watch(handle.poller, descriptor, what)
        // Drops pending events: another socket may have the same number by the time they are reported.
        if what == CURL_POLL_REMOVE { handle.ready.removeAll { $0.descriptor == descriptor } }
        return 0
    }

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
