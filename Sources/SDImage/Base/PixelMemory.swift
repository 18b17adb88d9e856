import Synchronization

/// Source of memory for pixels that another process maps, in place of `PixelPool`. Set once, by a worker process.
/// Decoded pixels then reach the main process without a copy.
package protocol PixelMemory: Sendable {
    /// Returns `bytes` of memory, aligned to 64 bytes.
    /// Throws `noMemory` if the shared memory is used up.
    func region(_ bytes: Int) throws(ImageError) -> any PixelRegion
}

/// Memory of one `PixelBuffer`; freed with the last reference.
/// An object, so that a buffer holds it like memory of the pool.
package protocol PixelRegion: AnyObject, Sendable {
    /// Fixed for the life of the region.
    var address: UnsafeMutableRawPointer { get }
    /// True if the memory was all 0 on allocation.
    /// Buffers that must start transparent then need not clear it.
    var isZeroed: Bool { get }
    /// Called before pixels are written.
    /// Repeated calls have no effect beyond the first.
    func willWrite()
}

/// The choice between pool and shared memory, made once at the start of a process and read for every buffer.
package enum SharedPixels {
    /// Avoids the lock in processes where no memory is set.
    private static let isSet = Atomic<Bool>(false)
    private static let source = Lock<(any PixelMemory)?>(nil)

    /// The memory of the process; nil for the pool.
    package static var memory: (any PixelMemory)? {
        isSet.load(ordering: .acquiring) ? source.withLock { $0 } : nil
    }

    /// Called before the first decode of the worker.
    package static func use(_ memory: any PixelMemory) {
        source.withLock { $0 = memory }
        isSet.store(true, ordering: .releasing)
    }
}
