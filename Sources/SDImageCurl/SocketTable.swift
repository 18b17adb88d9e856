import CCurl
import Glibc
import SDImage

/// State shared by all transfers: the sockets that libcurl holds open, their properties, and the current time. Confined to the
/// transfer thread.
/// Owned by `CurlLoop`, and passed to callbacks of libcurl by address.
final class SocketTable {
    private struct Entry {
        let descriptor: curl_socket_t
        /// 0 before it is needed.
        var localPort: UInt16 = 0
        /// True after a response over HTTP/1: the server must be silent until the next request.
        var isIdleHTTP1 = false
        /// Events for which the poller watches the socket; 0 = it does not.
        var watchedEvents: Int32 = 0
        /// True while libcurl waits for the socket.
        var isWanted = false
        /// True if the beginning of a response was not acknowledged by the library yet.
        var isAcknowledgementDue = false
    }

    /// Time of the loop's current iteration, so that callbacks need not read the clock for every piece.
    /// Monotonic nanoseconds.
    var now: UInt64 = 0
    /// Made for the first transfer.
    private(set) var poller: SocketPoller?
    /// In no order; there are few sockets, so a linear search suffices.
    private var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }

    /// Made late, because exchanges of a custom transport need none.
    func makePoller(wakeUp: Int32) throws(ImageError) {
        if poller == nil { poller = try SocketPoller(wakeUp: wakeUp) }
    }

    /// Called by libcurl through `openSocket`.
    func opened(_ descriptor: curl_socket_t) {
        entries.removeAll { $0.descriptor == descriptor }
        entries.append(Entry(descriptor: descriptor))
    }

    /// Called by libcurl through `closeSocket`, before the number is free.
    func closed(_ descriptor: curl_socket_t) {
        guard let index = index(of: descriptor) else { return }
        // The next socket may have the same number.
        poller?.dropEvents(of: descriptor)
        // Closing does not end the watch if a child process has a copy of the socket.
        if entries[index].watchedEvents != 0 { poller?.watch(descriptor, CURL_POLL_REMOVE) }
        entries.remove(at: index)
    }

    private func index(of descriptor: curl_socket_t) -> Int? { entries.firstIndex { $0.descriptor == descriptor } }

    // MARK: waiting

    /// Watches a socket for the events that libcurl names, or no longer. libcurl stops waiting after each response, and waits
    /// again after the next request: its connections stay watched, which saves three system calls for each transfer.
    func watch(_ descriptor: curl_socket_t, _ what: Int32) {
        guard let poller else { return }
        let isRemoved = what == CURL_POLL_REMOVE
        if isRemoved { poller.dropEvents(of: descriptor) }
        // Sockets of name look-ups are opened and closed by libcurl itself.
        guard let index = index(of: descriptor) else { return poller.watch(descriptor, what) }
        entries[index].isWanted = !isRemoved
        guard !isRemoved, entries[index].watchedEvents != what else { return }
        entries[index].watchedEvents = what
        poller.watch(descriptor, what)
    }

    /// Sleeps until a socket or the wake-up is ready, or the time has passed. True if the wake-up is ready.
    func wait(milliseconds: Int32) -> Bool {
        acknowledge()
        return poller?.wait(milliseconds: milliseconds, isWanted: isWanted) ?? false
    }

    /// False for an idle connection, which is no longer watched then: the server has closed it, or sends unasked.
    private func isWanted(_ descriptor: curl_socket_t) -> Bool {
        guard let index = index(of: descriptor), !entries[index].isWanted else { return true }
        entries[index].watchedEvents = 0
        poller?.watch(descriptor, CURL_POLL_REMOVE)
        return false
    }

    // MARK: acknowledgements

    /// Notes that a response has begun to arrive.
    ///
    /// On a reused connection the kernel delays acknowledgements by up to 40 ms, to send them together with data. Where segments
    /// are large, the server waits for the acknowledgement before it sends the rest of the body. It is requested before the
    /// thread sleeps: most responses are complete by then.
    func didBeginResponse(_ descriptor: curl_socket_t) {
        if let index = index(of: descriptor) { entries[index].isAcknowledgementDue = true }
    }

    /// Called before each sleep.
    private func acknowledge() {
        for index in entries.indices where entries[index].isAcknowledgementDue {
            entries[index].isAcknowledgementDue = false
            ccurl_acknowledge_promptly(entries[index].descriptor)
        }
    }

    // MARK: connections

    /// The socket of a connection. Connections to different servers may share a local port; then the address decides.
    func descriptor(localPort: UInt16, address: UnsafePointer<CChar>, port: Int32) -> curl_socket_t? {
        guard localPort != 0 else { return nil }
        var only: curl_socket_t?
        for index in entries.indices {
            if entries[index].localPort == 0 { entries[index].localPort = ccurl_local_port(entries[index].descriptor) }
            guard entries[index].localPort == localPort else { continue }
            guard only == nil else { return unsafe connected(localPort, address, port) }
            only = entries[index].descriptor
        }
        return only
    }

    /// Asks the kernel for the peers of the sockets with this port.
    private func connected(_ localPort: UInt16, _ address: UnsafePointer<CChar>, _ port: Int32) -> curl_socket_t? {
        entries.first {
            unsafe $0.localPort == localPort && ccurl_is_connected_to($0.descriptor, address, port)
        }?.descriptor
    }

    /// The response on this socket has ended.
    func didRespond(_ descriptor: curl_socket_t, overHTTP1: Bool) {
        guard let index = index(of: descriptor) else { return }
        entries[index].isIdleHTTP1 = overHTTP1
        entries[index].isAcknowledgementDue = false
    }

    /// True if a socket that should be silent has unread input: an unsolicited response would be taken for that of the next
    /// request. Reliable only for HTTP/1; HTTP/2 and a new TLS connection send on their own.
    func hasUnaskedInput(_ descriptor: curl_socket_t) -> Bool {
        guard let index = index(of: descriptor), entries[index].isIdleHTTP1 else { return false }
        return ccurl_has_unread_input(descriptor)
    }
}
