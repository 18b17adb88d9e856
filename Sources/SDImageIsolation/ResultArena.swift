import CIsolation
import Glibc
import SDImage

/// Memory of a worker for the pixels that its host copies: written again and again, because the first write of a page costs many
/// times as much as a copy.
@safe final class ResultArena: Sendable {
    /// Bytes of address space in both processes.
    static let size = 128 << 20
    /// Most bytes of one image. Larger ones lie in memory of their own, which the host maps.
    static let largest = 64 << 20
    private static let page = 4096

    /// Whole pages: offset and number of bytes.
    private struct Range {
        var offset: Int
        var count: Int

        var end: Int { offset + count }
    }

    nonisolated(unsafe) private let base: UnsafeMutableRawPointer
    /// Passed to the host at the start.
    let memory: Descriptor
    /// In the order of their offsets, none next to another.
    private let free = Lock([Range(offset: 0, count: ResultArena.size)])

    init() throws(ImageError) {
        var number: Int32 = -1
        var address: UnsafeMutableRawPointer?
        guard unsafe ciso_arena_new(ResultArena.size, &number, &address) == 0, let address = unsafe address else {
            throw .noMemory(ResultArena.size)
        }
        unsafe base = unsafe address
        memory = Descriptor(number)
    }

    /// Memory with undefined contents; nil if the arena is full, or the image is too large for it.
    func region(_ bytes: Int) -> ArenaRegion? {
        guard bytes > 0, bytes <= ResultArena.largest else { return nil }
        let count = (bytes + ResultArena.page - 1) & ~(ResultArena.page - 1)
        // The first range: its pages are the most likely to have been written.
        let offset = free.withLock { free -> Int? in
            guard let index = free.firstIndex(where: { $0.count >= count }) else { return nil }
            let offset = free[index].offset
            free[index].offset += count
            free[index].count -= count
            if free[index].count == 0 { free.remove(at: index) }
            return offset
        }
        return offset.map { unsafe ArenaRegion(self, base + $0, offset: $0, count: count) }
    }

    fileprivate func release(_ offset: Int, _ count: Int) {
        free.withLock { free in
            let index = free.firstIndex { $0.offset > offset } ?? free.endIndex
            free.insert(Range(offset: offset, count: count), at: index)
            if index + 1 < free.count, free[index].end == free[index + 1].offset {
                free[index].count += free.remove(at: index + 1).count
            }
            if index > 0, free[index - 1].end == free[index].offset { free[index - 1].count += free.remove(at: index).count }
        }
    }

    /// Returns the pages of the free memory to the system.
    func trim() {
        free.withLock { free in
            for range in free { unsafe _ = ciso_arena_clear(base + range.offset, range.count) }
        }
    }
}

/// Memory of one image in the arena.
@safe final class ArenaRegion: PixelRegion {
    // The memory of a `PixelBuffer`, which states who writes it.
    nonisolated(unsafe) let address: UnsafeMutableRawPointer
    let offset: Int
    private let count: Int
    private let arena: ResultArena

    fileprivate init(_ arena: ResultArena, _ address: UnsafeMutableRawPointer, offset: Int, count: Int) {
        self.arena = arena
        unsafe self.address = unsafe address
        (self.offset, self.count) = (offset, count)
    }

    deinit { arena.release(offset, count) }

    var isZeroed: Bool { false }
    func willWrite() {}
}

/// The arena of a worker in its host. The worker may write into it at any time: bytes are copied before they are used.
@safe final class MappedArena: Sendable {
    nonisolated(unsafe) private let base: UnsafeRawPointer

    /// Throws `decoderCrashed` for memory that is no arena.
    init(_ memory: Descriptor) throws(ImageError) {
        var address: UnsafeRawPointer?
        let code = unsafe ciso_arena_map(memory.number, ResultArena.size, &address)
        guard code == 0, let address = unsafe address else {
            throw code == EBADMSG ? .invalidMessage : .noMemory(ResultArena.size)
        }
        unsafe base = unsafe address
    }

    deinit { unsafe ciso_memory_unmap(UnsafeMutableRawPointer(mutating: base), ResultArena.size) }

    /// Copies pixels into a buffer of their size.
    func copy(_ offset: Int, to pixels: PixelBuffer) throws(ImageError) {
        guard offset >= 0, offset <= ResultArena.size, pixels.byteCount <= ResultArena.size - offset else {
            throw .invalidMessage
        }
        unsafe pixels.mutablePixels.copyMemory(from: base + offset, byteCount: pixels.byteCount)
    }
}
