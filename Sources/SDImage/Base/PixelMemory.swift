import Synchronization

/// Source of memory for pixels that another process maps, in place of `PixelPool`. Set once, by a worker process.
package protocol PixelMemory: Sendable {
    /// Returns `bytes` of memory, aligned to 64 bytes.
    func region(_ bytes: Int) throws(ImageError) -> any PixelRegion
}

/// Memory of one `PixelBuffer`; freed with the last reference.
package protocol PixelRegion: AnyObject, Sendable {
    var address: UnsafeMutableRawPointer { get }
    /// True if the memory was all 0 on allocation.
    var isZeroed: Bool { get }
    /// Called before pixels are written.
    func willWrite()
}

package enum SharedPixels {
    private static let isSet = Atomic<Bool>(false)
    private static let source = Lock<(any PixelMemory)?>(nil)

    /// The memory of the process; nil for the pool.
    package static var memory: (any PixelMemory)? {
        isSet.load(ordering: .acquiring) ? source.withLock { $0 } : nil
    }

    package static func use(_ memory: any PixelMemory) {
        source.withLock { $0 = memory }
        isSet.store(true, ordering: .releasing)
    }
}
