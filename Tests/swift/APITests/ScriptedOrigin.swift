import CSDImage
import Foundation
import TestSupport

/// An origin of one image whose response the test sets.
final class ScriptedOrigin: @unchecked Sendable {
    /// One response for all requests. Conditional requests that match its validators get a 304.
    struct Answer: Sendable {
        var status = 200
        var headers: [String: String] = [:]
        var body: [UInt8] = []
        /// Fields of the 304 response, instead of the fields of the response.
        var confirmation: [String: String] = [:]
        /// The connection ends after half of the body.
        var breaksOff = false
    }

    private let lock = NSLock()
    private var answer = Answer()
    private var server: LoopbackServer?

    init(_ answer: Answer) {
        self.answer = answer
        server = LoopbackServer { [weak self] request, connection in
            if let self { respond(request, connection) } else { connection.close() }
        }
    }

    deinit { server?.stop() }

    func now(_ change: (inout Answer) -> Void) { lock.withLock { change(&answer) } }

    func url(_ path: String = "/a.png") -> String { server?.url(path) ?? "" }

    var requests: [LoopbackServer.Request] { server?.requests ?? [] }

    func wait(requests count: Int) -> Bool { server?.wait { $0.requests.count >= count } ?? false }

    /// Refuses connections from now on.
    func stop() { server?.stop() }

    private func respond(_ request: LoopbackServer.Request, _ connection: Connection) {
        let answer = lock.withLock { self.answer }
        let tag = answer.headers["ETag"], date = answer.headers["Last-Modified"]
        let isKnown =
            request.headers["if-none-match"].map { $0 == tag } ?? request.headers["if-modified-since"].map { $0 == date } ?? false
        if answer.status == 200, isKnown {
            return connection.answer(304, answer.headers.merging(answer.confirmation) { $1 }, body: [])
        }
        guard answer.breaksOff else { return connection.answer(answer.status, answer.headers, body: answer.body) }
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(answer.body.count)\r\n\r\n")
        connection.send(Array(answer.body.prefix(answer.body.count / 2)))
        connection.close()
    }
}

/// A manager with its own disk cache, and an origin to load from.
struct FreshnessFixture {
    let origin: ScriptedOrigin
    let folder = TemporaryDirectory()
    let cache: Owned
    let manager: Owned

    init(_ headers: [String: String], body: [UInt8] = makePNG(width: 8, height: 8)) throws {
        origin = ScriptedOrigin(ScriptedOrigin.Answer(headers: headers, body: body))
        cache = try makeCache(in: folder.path)
        manager = try makeManager(cache: cache)
    }

    func request(_ freshness: sdimage_freshness, _ path: String = "/a.png") -> Owned {
        let request = makeRequest(origin.url(path))
        sdimage_request_set_freshness(request.pointer, freshness)
        sdimage_request_set_wait_for_store(request.pointer, true)
        // No retries: each request that the origin sees is a decision of the load.
        sdimage_request_set_max_retries(request.pointer, 0)
        return request
    }

    /// Returns all results that a load delivers.
    func load(_ freshness: sdimage_freshness, _ change: (OpaquePointer) -> Void = { _ in }) throws -> [Delivered] {
        let request = request(freshness)
        change(request.pointer)
        let listener = Listener()
        _ = try listener.load(manager, request)
        _ = listener.final()
        return listener.results
    }

    func forgetMemory() { sdimage_cache_clear(cache.pointer, .SDIMAGE_CACHE_LAYERS_MEMORY, nil) }

    /// True if the disk has an entry.
    var isOnDisk: Bool {
        forgetMemory()
        let url = origin.url()
        return sdimage_cache_contains(cache.pointer, url, url.utf8.count) == .SDIMAGE_CACHE_LAYERS_DISK
    }
}

/// "conditional" for a conditional request, otherwise "plain".
func kind(_ request: LoopbackServer.Request) -> String {
    request.headers["if-none-match"] != nil || request.headers["if-modified-since"] != nil ? "conditional" : "plain"
}
