import Glibc
import SDImage
import SDImageCurl
import Synchronization

/// Complete HTTP responses, sent by a server in this process: transfer, retry, resumption, redirects, content codings and
/// freshness. The first bytes of the input choose the server's behavior and the boundaries between responses.
enum ResponseTarget {
    static let target = FuzzTarget(name: "http", run: run)

    private static let limit = 1 << 20
    private static let origin = FuzzOrigin()
    private static let lease = try? Engine.acquire()
    private static let loader: CurlLoader? = {
        var configuration = DownloaderConfiguration()
        configuration.maxBodyBytes = limit
        configuration.maxPerHost = 1
        configuration.maxRedirects = 3
        configuration.maxRetries = 2
        // Retries do not wait.
        configuration.retryDelayMilliseconds = 0
        configuration.longestRetryDelayMilliseconds = 0
        configuration.longestRetryAfterMilliseconds = 0
        configuration.connectTimeoutMilliseconds = 2000
        configuration.inactivityTimeoutMilliseconds = 40
        configuration.totalTimeoutMilliseconds = 4000
        configuration.credential = Credential(user: "user", password: "password")
        return lease.flatMap { try? CurlLoader(configuration, lease: $0) }
    }()

    @Sendable private static func run(_ input: FuzzTarget.Input) {
        var drawing = Drawing(input)
        let flags = drawing.byte()
        let first = drawing.number16(), second = drawing.number16()
        let bytes = Array(drawing.bytes)
        let cuts = [0, min(first, bytes.count), min(first &+ second, bytes.count), bytes.count]
        origin.script(
            zip(cuts, cuts.dropFirst()).map { Array(bytes[$0..<$1]) }, isCached: flags & 1 != 0,
            step: flags & 2 != 0 ? 1000 : 65536)
        var request = ImageRequest(url: Array("http://127.0.0.1:\(origin.port)/a?b".utf8))
        request.handlesCookies = flags & 4 != 0
        if flags & 8 != 0 { request.headers = [HeaderField(name: "If-None-Match", value: "\"v\"")] }
        // The second load uses the connection and the cookies of the first.
        for _ in 0..<(flags & 16 != 0 ? 2 : 1) { check(load(request), request) }
    }

    private static func load(_ request: ImageRequest) -> Result<LoadedData, ImageError> {
        guard let loader, let lease else { fatalError("no engine") }
        let outcome = AwaitedLoad()
        let loading = loader.begin(
            request, sharedAs: nil, progress: .none, on: lease.engine.executor
        ) { outcome.set($0) }
        guard let result = outcome.wait(seconds: 200) else { fatalError("broken promise: a load ends") }
        withExtendedLifetime(loading) {}
        return result
    }

    private static func check(_ result: Result<LoadedData, ImageError>, _ request: ImageRequest) {
        switch result {
        case .failure(let error): expect(error.status != .internalError, "no internal error: \(error.message.string)")
        case .success(let data):
            expect(data.bytes.count <= limit, "a body keeps its limit")
            expect(data.httpStatus == 304 || 200...299 ~= data.httpStatus, "a status is acceptable: \(data.httpStatus)")
            var record = data.record
            record.select(by: request.headers)
            for now in [0, record.responseTime, record.responseTime &+ 1_000_000_000_000, UInt64.max] {
                let freshness = Freshness(of: record, fields: request.headers, now: now)
                expect(freshness.age >= 0 && freshness.lifetime >= 0, "no time is negative")
            }
            let kept = ResponseRecord(
                entityTag: record.storedEntityTag, lastModified: record.storedLastModified, encoded: record.encoded, created: 0)
            expect(kept.encoded == record.encoded, "a record comes back from its row")
            _ = kept.conditions(selectsSame: true)
            _ = kept.updated(by: record)
        }
    }
}

/// The result of a load, awaited by another thread.
private final class AwaitedLoad: Sendable {
    private let result = Mutex<Result<LoadedData, ImageError>?>(nil)

    func set(_ new: Result<LoadedData, ImageError>) { result.withLock { $0 = new } }

    func wait(seconds: UInt64) -> Result<LoadedData, ImageError>? {
        let end = MonotonicClock.now + seconds * 1_000_000_000
        while MonotonicClock.now < end {
            if let result = result.withLock({ $0 }) { return result }
            usleep(20)
        }
        return nil
    }
}

/// A server on the loopback interface that sends the next part of a script for each request, and then closes.
private final class FuzzOrigin: Sendable {
    private struct Script {
        var responses: [[UInt8]] = []
        var isCached = false
        var step = 65536
    }

    let port: Int
    private let listener: Int32
    private let state = Mutex(Script())

    init() {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listener
        let isReady = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, pointer, &length) == 0
            }
        }
        guard isReady else { fatalError("no loopback interface") }
        port = Int(UInt16(bigEndian: address.sin_port))
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self).toOpaque()
        _ = pthread_create(
            &thread, nil,
            { context in
                if let context { Unmanaged<FuzzOrigin>.fromOpaque(context).takeUnretainedValue().serve() }
                return nil
            }, context)
    }

    func script(_ responses: [[UInt8]], isCached: Bool, step: Int) {
        state.withLock { $0 = Script(responses: responses, isCached: isCached, step: step) }
    }

    private func serve() {
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { continue }
            while answer(connection) {}
            close(connection)
        }
    }

    /// Reads a request and sends the next response; returns false when the connection ends.
    private func answer(_ connection: Int32) -> Bool {
        var head: [UInt8] = []
        while !head.ends(with: "\r\n\r\n".utf8) {
            // A client on a new connection must not wait for this one.
            var entries = [
                pollfd(fd: connection, events: Int16(POLLIN), revents: 0),
                pollfd(fd: listener, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&entries, 2, -1) > 0, entries[0].revents != 0 else { return false }
            var piece = [UInt8](repeating: 0, count: 4096)
            let count = recv(connection, &piece, piece.count, 0)
            guard count > 0 else { return false }
            head += piece.prefix(count)
        }
        let (response, isCached, step) = state.withLock { script in
            (
                script.responses.isEmpty ? nil : script.responses.removeFirst(), script.isCached && !script.responses.isEmpty,
                script.step
            )
        }
        guard let response else { return false }
        var rest = response[...]
        while !rest.isEmpty {
            let sent = Array(rest.prefix(step)).withUnsafeBytes {
                send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard sent > 0 else { return false }
            rest = rest.dropFirst(sent)
        }
        return isCached
    }
}

extension [UInt8] {
    fileprivate func ends(with other: String.UTF8View) -> Bool { suffix(other.count).elementsEqual(other) }
}
