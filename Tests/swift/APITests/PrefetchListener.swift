import CSDImage
import Foundation
import Testing

/// Records all callbacks for a prefetched list.
final class PrefetchListener: @unchecked Sendable {
    private let condition = NSCondition()
    private var written: [String] = []
    private var completions = 0
    private var destroyed = 0
    /// Runs inside each callback.
    var onCall: ((String, OpaquePointer?) -> Void)?

    var log: [String] { condition.withLock { written } }
    var destroyCount: Int { condition.withLock { destroyed } }
    var completed: [String] { log.filter { $0.hasPrefix("completed") } }

    /// A handler that logs all its calls.
    func handler() -> sdimage_prefetch_handler {
        var handler = sdimage_prefetch_handler()
        handler.size = MemoryLayout<sdimage_prefetch_handler>.size
        handler.fetched = { userData, group, index, result in
            let source = String(cString: sdimage_image_source_name(sdimage_result_source(result)))
            PrefetchListener.of(userData).write("fetched \(index) \(source)", group)
        }
        handler.progress = { PrefetchListener.of($0).write("progress \($2) of \($3)", $1) }
        handler.completed = { userData, group, finished, skipped, error in
            let status = error == nil ? "" : " " + String(cString: sdimage_status_name(sdimage_error_code(error)))
            PrefetchListener.of(userData).write("completed \(finished) \(skipped)\(status)", group)
        }
        return handler
    }

    /// One reference, released by `destroy`.
    func retained() -> UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

    static func withTexts<R>(_ urls: [String], _ body: (UnsafeBufferPointer<UnsafePointer<CChar>?>) throws -> R) rethrows -> R {
        let texts = urls.map { strdup($0) }
        defer { for text in texts { free(text) } }
        return try texts.map { UnsafePointer($0) }.withUnsafeBufferPointer(body)
    }

    /// Starts a list that reports here; nil for an empty one.
    func start(_ prefetcher: Owned, _ urls: [String], _ request: Owned? = nil) throws -> Owned? {
        var handler = handler()
        var group: OpaquePointer?
        var error: OpaquePointer?
        let status = PrefetchListener.withTexts(urls) {
            sdimage_prefetcher_start(
                prefetcher.pointer, $0.baseAddress, nil, $0.count, request?.pointer, &handler, retained(),
                PrefetchListener.destroy, &group, &error)
        }
        guard status == .SDIMAGE_STATUS_OK else { throw CallFailure(status, error) }
        return group.map { Owned($0) { sdimage_prefetch_group_unref($0) } }
    }

    /// Logs the events of all lists too: "all N of M", "idle N M".
    func observe(_ prefetcher: Owned) {
        var table = sdimage_prefetcher_handler()
        table.size = MemoryLayout<sdimage_prefetcher_handler>.size
        table.fetched = { userData, _, finished, total in PrefetchListener.of(userData).write("all \(finished) of \(total)", nil)
        }
        table.idle = { PrefetchListener.of($0).write("idle \($1) \($2)", nil) }
        let userData = Unmanaged.passRetained(self).toOpaque()
        #expect(
            sdimage_prefetcher_set_handler(prefetcher.pointer, &table, userData, PrefetchListener.destroy, nil)
                == .SDIMAGE_STATUS_OK)
    }

    func waitForCompletion(count: Int = 1, within seconds: Double = 120) -> Bool {
        wait(seconds) { $0.completions >= count }
    }

    func wait(for line: String, within seconds: Double = 120) -> Bool { wait(seconds) { $0.written.contains(line) } }

    func waitForDestroy(count: Int = 1, within seconds: Double = 120) -> Bool { wait(seconds) { $0.destroyed >= count } }

    private func wait(_ seconds: Double, until isTrue: (PrefetchListener) -> Bool) -> Bool {
        let end = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer { condition.unlock() }
        while !isTrue(self) { if !condition.wait(until: end) { return isTrue(self) } }
        return true
    }

    private func write(_ line: String, _ group: OpaquePointer?) {
        condition.withLock {
            written.append(line)
            // Counted here: the log of a long list would be searched after each of its lines.
            completions += line.hasPrefix("completed") ? 1 : 0
            condition.broadcast()
        }
        onCall?(line, group)
    }

    private static func of(_ userData: UnsafeMutableRawPointer?) -> PrefetchListener {
        Unmanaged<PrefetchListener>.fromOpaque(userData!).takeUnretainedValue()
    }

    static let destroy: @convention(c) (UnsafeMutableRawPointer?) -> Void = { userData in
        let listener = Unmanaged<PrefetchListener>.fromOpaque(userData!).takeRetainedValue()
        listener.condition.withLock {
            listener.destroyed += 1
            listener.condition.broadcast()
        }
    }
}
