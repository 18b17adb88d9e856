import Foundation

/// An HTTP/1.1 server on 127.0.0.1 that responds as the test specifies, byte for byte if required. Each connection has a thread.
public final class LoopbackServer: @unchecked Sendable {
    // Unchecked: all mutable state is guarded by `condition`.

    /// One received request.
    public struct Request: Sendable {
        public let method: String
        /// Path and query.
        public let target: String
        /// Names in lower case.
        public let headers: [String: String]
        /// Connections are numbered from 1.
        public let connection: Int
        /// Has the length of Content-Length.
        public fileprivate(set) var body: [UInt8] = []
    }

    public typealias Handler = @Sendable (Request, Connection) -> Void

    public let port: UInt16
    private let listener: Int32
    private let handler: Handler
    private let condition = NSCondition()
    private var log: [Request] = []
    private var active = 0
    private var mostActive = 0
    private var accepted = 0
    private var closedByPeer = 0
    private var isStopped = false
    private var open: [Int: Connection] = [:]

    /// Calls `handler` for each request; reads the next request from a connection that the handler leaves open.
    public init(_ handler: @escaping Handler) {
        self.handler = handler
        signal(SIGPIPE, SIG_IGN)
        (listener, port) = LoopbackServer.listen()
        Thread.detachNewThread { [self] in accept() }
    }

    public func url(_ target: String, host: String = "127.0.0.1") -> String { "http://\(host):\(port)\(target)" }

    public var requests: [Request] { condition.withLock { log } }
    public var connections: Int { condition.withLock { accepted } }
    /// The maximum number of requests that were handled concurrently.
    public var mostConcurrent: Int { condition.withLock { mostActive } }
    public var connectionsClosedByPeer: Int { condition.withLock { closedByPeer } }

    /// Waits until `isTrue`, checking again after every event of the server and every 10 ms. The limit only ends a hang: a load
    /// may have to wait for a thread behind all other tests.
    public func wait(seconds: Double = 120, until isTrue: (LoopbackServer) -> Bool) -> Bool {
        let end = Date(timeIntervalSinceNow: seconds)
        while !isTrue(self) {
            let inTime = condition.withLock { condition.wait(until: min(end, Date(timeIntervalSinceNow: 0.01))) }
            if !inTime, Date() > end { return isTrue(self) }
        }
        return true
    }

    /// The same for a test that is a task: it occupies no thread of the cooperative pool meanwhile, where its other tasks run.
    public func becomes(seconds: Double = 120, _ isTrue: (LoopbackServer) -> Bool) async -> Bool {
        let end = Date(timeIntervalSinceNow: seconds)
        while !isTrue(self), Date() < end { try? await Task.sleep(nanoseconds: 2_000_000) }
        return isTrue(self)
    }

    public func stop() {
        let left = condition.withLock { () -> [Connection] in
            guard !isStopped else { return [] }
            isStopped = true
            shutdown(listener, Int32(SHUT_RDWR))
            return Array(open.values)
        }
        for connection in left { connection.close() }
    }

    deinit { Glibc.close(listener) }

    private func accept() {
        while true {
            let descriptor = Glibc.accept(listener, nil, nil)
            guard descriptor >= 0 else { return }
            let (number, refused) = condition.withLock { () -> (Int, Bool) in
                accepted += 1
                return (accepted, isStopped)
            }
            let connection = Connection(descriptor)
            if refused { return connection.close() }
            condition.withLock { open[number] = connection }
            Thread.detachNewThread { [self] in serve(connection, number) }
        }
    }

    private func serve(_ connection: Connection, _ number: Int) {
        while let head = connection.readHead(), var request = LoopbackServer.parse(head, number) {
            request.body = connection.readBody(Int(request.headers["content-length"] ?? "") ?? 0)
            let request = request
            note {
                log.append(request); active += 1; mostActive = max(mostActive, active)
            }
            handler(request, connection)
            note { active -= 1 }
        }
        note {
            if connection.sawEnd { closedByPeer += 1 }
            open[number] = nil
        }
        connection.close()
    }

    private func note(_ change: () -> Void) {
        condition.withLock {
            change()
            condition.broadcast()
        }
    }

    private static func parse(_ head: String, _ connection: Int) -> Request? {
        var lines = head.components(separatedBy: "\r\n")
        let words = lines.removeFirst().components(separatedBy: " ")
        guard words.count == 3 else { return nil }
        var headers: [String: String] = [:]
        for line in lines {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        return Request(method: words[0], target: words[1], headers: headers, connection: connection)
    }

    private static func listen() -> (Int32, UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                unsafe _ = bind(descriptor, generic, length)
                _ = Glibc.listen(descriptor, 512)
                unsafe _ = getsockname(descriptor, generic, &length)
            }
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }
}

/// One connection of a `LoopbackServer`.
public final class Connection: @unchecked Sendable {
    // Unchecked: only the connection's own thread reads; the flags are guarded by `lock`.
    private let descriptor: Int32
    private let lock = NSLock()
    private var isClosed = false
    private var unread: [UInt8] = []
    fileprivate private(set) var sawEnd = false

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { Glibc.close(descriptor) }

    /// Returns false if the peer has disconnected.
    @discardableResult
    public func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes[sent...].withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return false }
            sent += count
        }
        return true
    }

    @discardableResult
    public func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Sends a complete response with its length.
    public func answer(_ status: Int = 200, _ headers: [String: String] = [:], body: [UInt8] = []) {
        var head = "HTTP/1.1 \(status) Scripted\r\nContent-Length: \(body.count)\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        send(Array((head + "\r\n").utf8) + body)
    }

    public func close() {
        lock.withLock {
            if !isClosed { shutdown(descriptor, Int32(SHUT_RDWR)) }
            isClosed = true
        }
    }

    /// Closes the connection with RST, as after a crash.
    public func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
        // Connecting a socket to an unspecified address resets its connection.
        var nowhere = sockaddr(sa_family: sa_family_t(AF_UNSPEC), sa_data: sockaddr().sa_data)
        unsafe _ = connect(descriptor, &nowhere, socklen_t(MemoryLayout<sockaddr>.size))
        lock.withLock { isClosed = true }
    }

    /// Returns true if the peer closes within the time.
    public func waitForEnd(seconds: Int = 120) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        var byte: UInt8 = 0
        while unsafe poll(&entry, 1, Int32(seconds * 1000)) > 0 {
            if unsafe recv(descriptor, &byte, 1, 0) <= 0 {
                sawEnd = true
                return true
            }
        }
        return false
    }

    /// Reads the next bytes; fewer at the end.
    fileprivate func readBody(_ count: Int) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 8192)
        while unread.count < count {
            let more = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
            guard more > 0 else { break }
            unread += buffer[..<more]
        }
        defer { unread.removeFirst(min(count, unread.count)) }
        return Array(unread.prefix(count))
    }

    /// Reads up to the empty line; nil at the end.
    fileprivate func readHead() -> String? {
        let mark = Array("\r\n\r\n".utf8)
        var buffer = [UInt8](repeating: 0, count: 8192)
        while true {
            if let end = unread.indices.first(where: { unread[$0...].starts(with: mark) }) {
                let head = String(decoding: unread[..<end], as: UTF8.self)
                unread.removeFirst(end + mark.count)
                return head
            }
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
            guard count > 0 else {
                if count == 0, !lock.withLock({ isClosed }) { sawEnd = true }
                return nil
            }
            unread += buffer[..<count]
        }
    }
}
