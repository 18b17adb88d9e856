import CCurl
import Glibc
import SDImage

/// libcurl's multi handle: all connections of the process. Never touched by another thread.
///
/// It is told which sockets are ready (curl_multi_socket_action(3)) and looks at nothing else: a thousand connections on
/// which nothing happens cost nothing.
@safe final class MultiHandle {
    private let multi: UnsafeMutableRawPointer
    private let poller: Int32
    /// Sockets found ready, and for what; not yet told.
    private var ready: [(descriptor: curl_socket_t, events: Int32)] = []
    /// When libcurl wants to be called without a socket.
    private var due: UInt64?

    /// Idle connections kept; as many as run at once by default.
    private static let keptConnections = 32
    private static let mostEvents = 64

    /// `wakeUp` ends a wait, too.
    init(wakeUp: Int32) throws(ImageError) {
        guard let multi = unsafe curl_multi_init() else { throw ImageError(.noMemory, "transfers could not be prepared") }
        poller = ccurl_make_poller(wakeUp)
        guard poller >= 0 else {
            let code = errno
            unsafe curl_multi_cleanup(multi)
            throw ImageError(.noMemory, "transfers could not be prepared", systemError: code)
        }
        unsafe self.multi = multi
        // libcurl before 8.9 makes two sockets for curl_multi_wakeup(3) here that stay open across exec. Nothing is ever sent
        // over them, and nothing waits for them: the poller has a descriptor of its own. Finding them among those of the host
        // would be guessing.
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
        guard code == CURLM_OK else { throw ImageError(.noMemory, "transfer could not be started", libraryCode: code.rawValue) }
    }

    func remove(_ handle: EasyHandle) { unsafe curl_multi_remove_handle(multi, handle.curl) }

    /// Lets every transfer do what it can without waiting; true when at least one ended.
    func perform(_ ended: (UnsafeMutableRawPointer, CURLcode) -> Void) -> Bool {
        var running: Int32 = 0
        while let (descriptor, events) = ready.popLast() {
            unsafe curl_multi_socket_action(multi, descriptor, events, &running)
        }
        if let due, due <= MonotonicClock.now {
            // It sets the next one while it is called.
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

    /// Sleeps until a socket, a timer of libcurl's, or the wake-up is ready.
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
        // Its number may be that of another socket by the time it would be told.
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
