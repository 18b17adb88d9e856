import CSDImage
import Foundation

/// Messages of one test; messages of other suites' loads are filtered out.
final class LogHearer: @unchecked Sendable {
    private let condition = NSCondition()
    private var lines: [(sdimage_log_level, String)] = []
    private var destroyed = 0
    let mark = "hearer-\(UUID().uuidString)"
    private var messageFunction: (() -> Void)?
    /// Called after each message. May be set while messages arrive.
    var onMessage: (() -> Void)? {
        get { condition.withLock { messageFunction } }
        set { condition.withLock { messageFunction = newValue } }
    }
    var hearsEverything = false

    func install(_ level: sdimage_log_level) {
        _ = sdimage_log_set_handler(
            level, LogHearer.table, Unmanaged.passRetained(self).toOpaque(),
            { userData in
                let hearer = Unmanaged<LogHearer>.fromOpaque(userData!).takeRetainedValue()
                hearer.condition.withLock {
                    hearer.destroyed += 1
                    hearer.condition.broadcast()
                }
            }, nil)
    }

    nonisolated(unsafe) private static let table = staticTable { () -> sdimage_log_handler in
        var table = sdimage_log_handler()
        table.size = MemoryLayout<sdimage_log_handler>.size
        table.message = { userData, level, message in
            let hearer = Unmanaged<LogHearer>.fromOpaque(userData!).takeUnretainedValue()
            let text = String(cString: message!)
            guard hearer.hearsEverything || text.contains(hearer.mark) else { return }
            hearer.condition.withLock {
                hearer.lines.append((level, text))
                hearer.condition.broadcast()
            }
            hearer.onMessage?()
        }
        return table
    }

    var texts: [String] { condition.withLock { lines.map(\.1) } }
    var levels: [sdimage_log_level] { condition.withLock { lines.map(\.0) } }

    func waitForDestroy() -> Bool {
        let end = Date(timeIntervalSinceNow: 120)
        return condition.withLock {
            while destroyed == 0 { if !condition.wait(until: end) { break } }
            return destroyed == 1
        }
    }

    func waitForMessage() -> Bool {
        let end = Date(timeIntervalSinceNow: 120)
        return condition.withLock {
            while lines.isEmpty { if !condition.wait(until: end) { break } }
            return !lines.isEmpty
        }
    }
}
