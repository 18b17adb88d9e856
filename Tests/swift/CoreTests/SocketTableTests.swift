import Glibc
import TestSupport
import Testing

@testable import SDImageCurl

@Suite struct SocketTableTests {
    // CURL_POLL_IN and CURL_POLL_REMOVE of curl/multi.h.
    private static let pollIn: Int32 = 1, pollRemove: Int32 = 4

    /// A socket that listens on a port chosen by the system, and that port.
    private func listener() throws -> (socket: Int32, port: UInt16) {
        let socket = try bound(to: 0)
        try #require(listen(socket, 4) == 0)
        return (socket, port(socket))
    }

    private func bound(to port: UInt16) throws -> Int32 {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var yes: Int32 = 1
        unsafe setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, 4)
        unsafe setsockopt(socket, SOL_SOCKET, SO_REUSEPORT, &yes, 4)
        try #require(unsafe withAddress(port) { unsafe bind(socket, $0, $1) } == 0)
        return socket
    }

    private func withAddress<R>(_ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private func port(_ socket: Int32) -> UInt16 {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        unsafe withUnsafeMutablePointer(to: &address) { pointer in
            _ = unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getsockname(socket, $0, &length) }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    @Test func connectionsFromOnePortToTwoServersAreToldApart() throws {
        let (first, second) = (try listener(), try listener())
        let one = try bound(to: 0)
        let local = port(one)
        let other = try bound(to: local)
        defer { for socket in [first.socket, second.socket, one, other] { close(socket) } }
        try #require(unsafe withAddress(first.port) { unsafe connect(one, $0, $1) } == 0)
        try #require(unsafe withAddress(second.port) { unsafe connect(other, $0, $1) } == 0)
        let table = SocketTable()
        table.opened(one)
        table.opened(other)
        func found(_ port: UInt16) -> Int32? {
            unsafe "127.0.0.1".withCString { unsafe table.descriptor(localPort: local, address: $0, port: Int32(port)) }
        }
        #expect(found(first.port) == one)
        #expect(found(second.port) == other)
        #expect(found(local) == nil)
        // Unsolicited input from one server does not count for the other.
        table.didRespond(one, overHTTP1: true)
        table.didRespond(other, overHTTP1: true)
        let accepted = accept(first.socket, nil, nil)
        defer { close(accepted) }
        #expect(unsafe write(accepted, "x", 1) == 1)
        #expect(becomesTrue { table.hasUnaskedInput(one) })
        #expect(!table.hasUnaskedInput(other))
    }

    @Test func inputOfAnIdleConnectionEndsOneWait() throws {
        var sockets: [Int32] = [-1, -1], wakeUp: [Int32] = [-1, -1]
        try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &sockets) == 0)
        try #require(unsafe pipe(&wakeUp) == 0)
        defer { for descriptor in sockets + wakeUp { close(descriptor) } }
        let (client, server) = (sockets[0], sockets[1])
        let table = SocketTable()
        try table.makePoller(wakeUp: wakeUp[0])
        func reported() -> Int32? { table.poller?.takeEvent(of: [client])?.descriptor }
        table.opened(client)
        table.watch(client, Self.pollIn)
        #expect(unsafe write(server, "x", 1) == 1)
        #expect(!table.wait(milliseconds: 60_000))
        #expect(reported() == client)
        // Idle: the unread byte ends the next wait, and then the socket is no longer watched.
        table.watch(client, Self.pollRemove)
        #expect(!table.wait(milliseconds: 60_000))
        #expect(reported() == nil)
        #expect(unsafe write(wakeUp[1], "x", 1) == 1)
        #expect(table.wait(milliseconds: 60_000))
        #expect(reported() == nil)
        // The next request: watched again.
        table.watch(client, Self.pollIn)
        #expect(table.wait(milliseconds: 60_000))
        #expect(reported() == client)
        table.closed(client)
        #expect(table.isEmpty)
    }
}
