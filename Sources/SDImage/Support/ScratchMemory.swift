import Glibc

/// Working memory of a coder or kernel, zeroed unless it need not be, from an allocator that can refuse; freed with this
/// object.
@safe package final class ScratchMemory {
    private let block: PixelPool.Block
    package let count: Int

    package init(_ count: Int, zeroed: Bool = true) throws(ImageError) {
        unsafe block = try PixelPool.shared.allocate(max(count, 1))
        self.count = count
        if zeroed { unsafe memset(block.base, 0, max(count, 1)) }
    }

    /// An array of `elements` values, refused above `limit` bytes.
    package convenience init<T>(_ elements: Int, of type: T.Type, limit: Int) throws(ImageError) {
        let (bytes, overflow) = elements.multipliedReportingOverflow(by: MemoryLayout<T>.stride)
        guard elements >= 0, !overflow, bytes <= limit else { throw .tooLarge("working memory in bytes", limit: limit) }
        try self.init(bytes)
    }

    deinit { unsafe PixelPool.shared.release(block) }

    /// Lives as long as this object.
    package var bytes: UnsafeMutableRawBufferPointer { unsafe UnsafeMutableRawBufferPointer(start: block.base, count: count) }

    /// The memory seen as values of a trivial type.
    package func bound<T: BitwiseCopyable>(to type: T.Type) -> UnsafeMutableBufferPointer<T> {
        unsafe bytes.bindMemory(to: type)
    }
}
