import CSDImage
import Foundation

/// Records the images that a view passes to its widget.
final class ViewWatcher: @unchecked Sendable {
    private let condition = NSCondition()
    private var pictures: [UInt8?] = []
    private var counts: [UInt32] = []
    private var destroyed = 0
    /// Runs inside the handler.
    var onShow: ((UInt8?) -> Void)?

    /// The first byte of each image shown; nil for none.
    var shown: [UInt8?] { condition.withLock { pictures } }
    /// Waits until `count` images were shown, because a view shows them asynchronously.
    func waitForShown(_ count: Int, within seconds: Double = 120) -> [UInt8?] {
        let end = Date(timeIntervalSinceNow: seconds)
        return condition.withLock {
            while pictures.count < count, condition.wait(until: end) {}
            return pictures
        }
    }

    var loops: [UInt32] { condition.withLock { counts } }

    func makeView() throws -> Owned {
        var handler = sdimage_animated_view_handler()
        handler.size = MemoryLayout<sdimage_animated_view_handler>.size
        handler.show = { userData, _, image in
            let watcher = Unmanaged<ViewWatcher>.fromOpaque(userData!).takeUnretainedValue()
            let value = image.map { Playing.firstByte($0) }
            watcher.condition.withLock {
                watcher.pictures.append(value)
                watcher.condition.broadcast()
            }
            watcher.onShow?(value)
        }
        handler.loop = { userData, _, count in
            let watcher = Unmanaged<ViewWatcher>.fromOpaque(userData!).takeUnretainedValue()
            watcher.condition.withLock { watcher.counts.append(count) }
        }
        let userData = Unmanaged.passRetained(self).toOpaque()
        return try make(sdimage_animated_view_unref) { view, error in
            sdimage_animated_view_new(
                &handler, userData,
                { userData in
                    let watcher = Unmanaged<ViewWatcher>.fromOpaque(userData!).takeRetainedValue()
                    watcher.condition.withLock {
                        watcher.destroyed += 1
                        watcher.condition.broadcast()
                    }
                }, view, error)
        }
    }

    func waitForDestroy(within seconds: Double = 120) -> Bool {
        let end = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer { condition.unlock() }
        while destroyed == 0 { if !condition.wait(until: end) { return destroyed > 0 } }
        return true
    }
}
