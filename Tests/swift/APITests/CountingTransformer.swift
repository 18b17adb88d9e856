import CSDImage
import Foundation

/// A host transformer that returns an image of its own width, one pixel high, and counts its calls.
final class CountingTransformer: @unchecked Sendable {
    private let lock = NSCondition()
    private var calls: [String] = []
    private var ended = 0
    private let width: UInt32
    private let failure: sdimage_status

    /// `failure`: the status returned instead of an image; OK for an image.
    init(width: UInt32, failure: sdimage_status = .SDIMAGE_STATUS_OK) {
        self.width = width
        self.failure = failure
    }

    /// The cache keys passed to its calls.
    var keys: [String] { lock.withLock { calls } }

    /// Waits for its destructor, which runs on the library's callback thread.
    func isDestroyed(within seconds: Double = 120) -> Bool {
        let end = Date(timeIntervalSinceNow: seconds)
        lock.lock()
        defer { lock.unlock() }
        while ended == 0 { if !lock.wait(until: end) { return ended > 0 } }
        return ended == 1
    }

    func makeTransformer(key: String, preservesMetadata: Bool = true) throws -> Owned {
        var table = sdimage_transformer_vtable()
        table.size = MemoryLayout<sdimage_transformer_vtable>.size
        table.transform = { userData, _, key, length, result, error in
            let mine = Unmanaged<CountingTransformer>.fromOpaque(userData!).takeUnretainedValue()
            let bytes = UnsafeRawBufferPointer(start: key, count: length)
            mine.lock.withLock { mine.calls.append(String(decoding: bytes, as: UTF8.self)) }
            guard mine.failure == .SDIMAGE_STATUS_OK else {
                error?.pointee = sdimage_error_new(mine.failure, "not today")
                return mine.failure
            }
            let pixels = [UInt8](repeating: 7, count: Int(mine.width))
            return sdimage_image_new(
                mine.width, 1, Int(mine.width), .SDIMAGE_PIXEL_FORMAT_GRAY8, pixels, result, error)
        }
        if !preservesMetadata { table.should_preserve_metadata = { _ in false } }
        let userData = Unmanaged.passRetained(self).toOpaque()
        return try make(sdimage_transformer_unref) { transformer, error in
            sdimage_transformer_new_custom(
                key, &table, userData,
                { userData in
                    let mine = Unmanaged<CountingTransformer>.fromOpaque(userData!).takeRetainedValue()
                    mine.lock.withLock {
                        mine.ended += 1
                        mine.lock.broadcast()
                    }
                }, transformer, error)
        }
    }
}
