import CCurl
import Glibc

/// State shared by all transfers: the sockets that libcurl holds open, their properties, and the current time. Confined to the
/// transfer thread.
final class SocketTable {
    private struct Entry {
        let descriptor: curl_socket_t
        var localPort: UInt16 = 0
        /// True after a response over HTTP/1: the server must be silent until the next request.
        var isIdleHTTP1 = false
    }

    /// Time of the loop's current iteration, so that callbacks need not read the clock for every piece.
    var now: UInt64 = 0
    private var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }

    func opened(_ descriptor: curl_socket_t) { entries.append(Entry(descriptor: descriptor)) }

    func closed(_ descriptor: curl_socket_t) { entries.removeAll { $0.descriptor == descriptor } }

    /// The socket of a connection. A local port alone is not enough: connections to different servers may share one.
    func descriptor(localPort: UInt16, address: UnsafePointer<CChar>, port: Int32) -> curl_socket_t? {
        guard localPort != 0 else { return nil }
        for index in entries.indices {
            if entries[index].localPort == 0 { entries[index].localPort = ccurl_local_port(entries[index].descriptor) }
            let descriptor = entries[index].descriptor
            if entries[index].localPort == localPort, unsafe ccurl_is_connected_to(descriptor, address, port) {
                return descriptor
            }
        }
        return nil
    }

    func didRespond(_ descriptor: curl_socket_t, overHTTP1: Bool) {
        guard let index = entries.firstIndex(where: { $0.descriptor == descriptor }) else { return }
        entries[index].isIdleHTTP1 = overHTTP1
    }

    /// True if a socket that should be silent has unread input: an unsolicited response would be taken for that of the next
    /// request. Reliable only for HTTP/1; HTTP/2 and a new TLS connection send on their own.
    func hasUnaskedInput(_ descriptor: curl_socket_t) -> Bool {
        guard entries.contains(where: { $0.descriptor == descriptor && $0.isIdleHTTP1 }) else { return false }
        return ccurl_has_unread_input(descriptor)
    }
}
