import Glibc

/// Immutable bytes passed by reference from a socket, a mapped file or the caller to their readers.
/// Encoded images, bodies, entries of caches and texts are passed in this form; slices share the memory.
@safe package final class Bytes: @unchecked Sendable {
    // Unchecked: the memory is never written after `init`; `release` runs once, in `deinit`.
    private let base: UnsafeRawPointer?
    package let count: Int
    /// Frees the memory, or drops the reference to its owner. Called on the thread that releases the last reference.
    private let release: @Sendable () -> Void
    /// True if the memory belongs to the caller and is valid only for the duration of its call.
    private let isLent: Bool

    package static let empty = unsafe Bytes(adopting: nil, count: 0) {}

    /// Takes over memory that stays valid and unchanged until `release` is called.
    /// `release` is called exactly once, also for an empty range.
    package init(adopting base: UnsafeRawPointer?, count: Int, release: @escaping @Sendable () -> Void) {
        unsafe self.base = base
        self.count = count
        self.release = release
        isLent = false
    }

    /// Wraps memory that is valid only for the duration of a call; `copiedIfLent` makes bytes that live longer.
    package init(lending base: UnsafeRawPointer?, count: Int) {
        unsafe self.base = base
        self.count = count
        // No release: the caller of the library keeps the memory.
        release = {}
        isLent = true
    }

    /// Lent memory stays lent in its parts, so that `copiedIfLent` copies them as well.
    private init(slicing whole: Bytes, from base: UnsafeRawPointer, count: Int) {
        unsafe self.base = unsafe base
        self.count = count
        release = { withExtendedLifetime(whole) {} }
        isLent = whole.isLent
    }

    /// Takes over memory from `malloc`.
    package static func adopting(malloced base: UnsafeMutableRawPointer?, count: Int) -> Bytes {
        let address = UInt(bitPattern: base)
        return unsafe Bytes(adopting: base, count: count) { unsafe free(UnsafeMutableRawPointer(bitPattern: address)) }
    }

    /// Copies into memory from `malloc`; throws `noMemory`.
    package static func copying(_ source: UnsafeRawBufferPointer) throws(ImageError) -> Bytes {
        guard let from = source.baseAddress, source.count > 0 else { return .empty }
        guard let memory = unsafe malloc(source.count) else { throw .noMemory(source.count) }
        unsafe memcpy(memory, from, source.count)
        return unsafe .adopting(malloced: memory, count: source.count)
    }

    package static func copying(_ array: [UInt8]) throws(ImageError) -> Bytes {
        let result: Result<Bytes, ImageError> = unsafe array.withUnsafeBytes { buffer in
            do throws(ImageError) { return .success(try unsafe copying(buffer)) } catch { return .failure(error) }
        }
        return try result.get()
    }

    deinit { release() }

    package var isEmpty: Bool { count == 0 }

    /// Compares byte by byte.
    /// Two empty objects are equal, whatever their pointers are.
    package func hasContents(of other: Bytes) -> Bool {
        guard count == other.count, let here = unsafe pointer, let there = unsafe other.pointer else {
            return isEmpty && other.isEmpty
        }
        return unsafe memcmp(here, there, count) == 0
    }

    /// Valid as long as this object.
    /// nil for empty bytes that never had memory.
    package var pointer: UnsafeRawPointer? { unsafe base }

    /// `body` must not keep the pointer.
    package func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        defer { withExtendedLifetime(self) {} }
        return try unsafe body(UnsafeRawBufferPointer(start: base, count: count))
    }

    /// A part of these bytes, which it keeps alive; nil if the range is out of bounds.
    package func slice(_ range: Range<Int>) -> Bytes? {
        guard range.lowerBound >= 0, range.upperBound <= count, let base = unsafe base else { return nil }
        return unsafe Bytes(slicing: self, from: base + range.lowerBound, count: range.count)
    }

    /// Bytes valid as long as they are referenced: this object, or a copy if the memory is only lent.
    /// Called where bytes are stored beyond the call that delivered them: in a task, a cache or a decoder.
    package func copiedIfLent() throws(ImageError) -> Bytes {
        guard isLent, let base = unsafe base, count > 0 else { return self }
        return unsafe try .copyingPooled(UnsafeRawBufferPointer(start: base, count: count))
    }

    /// Copies into pooled memory: fresh pages for a large file would cost more than the copy.
    package static func copyingPooled(_ source: UnsafeRawBufferPointer) throws(ImageError) -> Bytes {
        guard let from = source.baseAddress, source.count > 0 else { return .empty }
        let block = unsafe try PixelPool.shared.allocate(source.count)
        unsafe memcpy(block.base, from, source.count)
        return unsafe Bytes(pooled: block, count: source.count)
    }

    /// Takes over a block of the pool with a capacity of at least `count` bytes.
    /// The block returns to the pool with the last reference.
    package convenience init(pooled block: PixelPool.Block, count: Int) {
        let address = unsafe UInt(bitPattern: block.base)
        let capacity = unsafe block.capacity
        unsafe self.init(adopting: block.base, count: count) {
            guard let base = unsafe UnsafeMutableRawPointer(bitPattern: address) else { return }
            unsafe PixelPool.shared.release(PixelPool.Block(base: base, capacity: capacity))
        }
    }

    /// Bounds-checked reader, starting at the first byte.
    package var reader: ByteReader { ByteReader(self) }
}

extension Bytes {
    /// A text, which a NUL follows for C; it is not counted.
    package convenience init(_ text: CString) {
        unsafe self.init(adopting: text.pointer, count: text.count) { withExtendedLifetime(text) {} }
    }
}
