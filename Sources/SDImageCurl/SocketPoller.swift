import CCurl
import Glibc
import SDImage

/// Waits for the sockets of all downloaders, and for the wake-up of the transfer thread. Confined to that thread.
/// Owned by `SocketTable`.
final class SocketPoller {
    /// Descriptor of the poller.
    private let poller: Int32
    /// Ready sockets and their events; not yet reported to libcurl.
    private var ready: [(descriptor: curl_socket_t, events: Int32)] = []

    /// Events taken from the kernel at once; the others follow in the next iteration.
    private static let mostEvents = 64

    /// `wakeUp` also ends a wait.
    init(wakeUp: Int32) throws(ImageError) {
        poller = ccurl_make_poller(wakeUp)
        guard poller >= 0 else {
            throw ImageError(.noMemory, "http: poller could not be created", systemError: errno)
        }
    }

    deinit { close(poller) }

    /// Watches a socket for the events that libcurl names, or no longer.
    /// `what`: a value CURL_POLL_… of libcurl.
    func watch(_ descriptor: curl_socket_t, _ what: Int32) { ccurl_watch(poller, descriptor, what) }

    /// Drops pending events: another socket may have the same number by the time they are reported.
    func dropEvents(of descriptor: curl_socket_t) { ready.removeAll { $0.descriptor == descriptor } }

    /// Removes and returns an event of a socket in `descriptors`.
    func takeEvent(of descriptors: Set<curl_socket_t>) -> (descriptor: curl_socket_t, events: Int32)? {
        ready.lastIndex { descriptors.contains($0.descriptor) }.map { ready.remove(at: $0) }
    }

    /// Sleeps until a socket or the wake-up is ready, or the time has passed. True if the wake-up is ready. Events of sockets
    /// that `isWanted` refuses are dropped.
    func wait(milliseconds: Int32, isWanted: (curl_socket_t) -> Bool) -> Bool {
        unsafe withUnsafeTemporaryAllocation(of: ccurl_event.self, capacity: SocketPoller.mostEvents) { events in
            let count = unsafe ccurl_wait(poller, events.baseAddress, Int32(events.count), milliseconds)
            // Events that were not taken belong to sockets that libcurl does not wait for.
            ready.removeAll(keepingCapacity: true)
            var isAwakened = false
            for index in 0..<min(Int(max(0, count)), events.count) {
                let event = unsafe events[index]
                if event.socket == CURL_SOCKET_BAD {
                    isAwakened = true
                } else if isWanted(event.socket) {
                    ready.append((event.socket, event.events))
                }
            }
            return isAwakened
        }
    }
}
