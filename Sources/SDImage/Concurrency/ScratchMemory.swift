import Glibc

/// Working memory of a coder or kernel, zeroed by default, from an allocator that can refuse; freed with this object.
/// Memory of the pool. Used by one operation; pointers into it must not outlive the object.
@safe package final class ScratchMemory {
    private let block: PixelPool.Block
    private let account: WorkingMemory?
    /// Bytes.
    package let count: Int

    /// `account`: the account of the operation, for memory whose size depends on the input.
    /// Throws `tooLarge` if the account is exhausted, and `noMemory`.
    package init(_ count: Int, zeroed: Bool = true, account: WorkingMemory? = nil) throws(ImageError) {
        try account?.reserve(count)
        do throws(ImageError) { unsafe block = try PixelPool.shared.allocate(max(count, 1)) } catch {
            account?.release(count)
            throw error
        }
        self.account = account
        self.count = count
        // The pool returns used blocks, whose contents belong to other images.
        if zeroed { unsafe memset(block.base, 0, max(count, 1)) }
    }

    /// An array of `elements` values; throws if it exceeds the account.
    package convenience init<T>(_ elements: Int, of type: T.Type, account: WorkingMemory) throws(ImageError) {
        let (bytes, overflow) = elements.multipliedReportingOverflow(by: MemoryLayout<T>.stride)
        guard elements >= 0, !overflow else { throw .tooLarge("image: working memory in bytes", limit: account.limit) }
        try self.init(bytes, account: account)
    }

    deinit {
        unsafe PixelPool.shared.release(block)
        account?.release(count)
    }

    /// Valid as long as this object.
    package var bytes: UnsafeMutableRawBufferPointer { unsafe UnsafeMutableRawBufferPointer(start: block.base, count: count) }

    /// The memory bound to a trivial type.
    package func bound<T: BitwiseCopyable>(to type: T.Type) -> UnsafeMutableBufferPointer<T> {
        unsafe bytes.bindMemory(to: type)
    }
}
