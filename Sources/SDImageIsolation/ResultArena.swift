import CIsolation
import Glibc
import SDImage

/// Memory of a worker for the pixels that its host copies: written again and again, because the first write of a page costs many
/// times as much as a copy. Its pages stay allocated until it is freed, so that the host can read them from a mapping
/// (`RemoteArena`). Any thread of the worker may allocate; a lock guards the list of free ranges.
@safe final class ResultArena: Sendable {
    /// Bytes of address space in the worker.
    static let size = 256 << 20
    /// Most bytes of one image. Larger ones lie in memory of their own, which the host maps.
    static let largest = 128 << 20
    private static let page = max(sysconf(Int32(_SC_PAGESIZE)), 1)

    /// Whole pages: offset and number of bytes.
    private struct PageRange {
        var offset: Int
        var count: Int

        var end: Int { offset + count }
    }

    private struct State {
        /// In the order of their offsets, none next to another.
        var free = [PageRange(offset: 0, count: ResultArena.size)]
        /// Number of bytes whose pages are allocated, from the beginning. Others may follow.
        var allocated = 0
    }

    /// Start of the mapping.
    nonisolated(unsafe) private let base: UnsafeMutableRawPointer
    /// Passed to the host with the first pixels.
    let memory: Descriptor
    private let state = Lock(State())

    /// Throws where memory cannot be made or pinned; results then have memory of their own.
    init() throws(ImageError) {
        memory = try SharedMemory.make(ResultArena.size)
        var address: UnsafeMutableRawPointer?
        guard unsafe ciso_memory_map_to_write(memory.number, ResultArena.size, &address) == 0, let address = unsafe address else {
            throw .noMemory(ResultArena.size)
        }
        unsafe base = unsafe address
        let code = ciso_memory_pin(memory.number)
        // `deinit` unmaps it.
        guard code == 0 else {
            throw ImageError(.unsupported, "decoder process: memory cannot be sealed", systemError: code)
        }
    }

    deinit { unsafe ciso_memory_unmap(base, ResultArena.size) }

    /// True if it has no pixels.
    var isUnused: Bool { state.withLock { $0.free.first?.count == ResultArena.size } }

    /// Memory with undefined contents; nil if the arena is full, or the image is too large for it.
    func region(_ bytes: Int) -> ArenaRegion? {
        guard bytes > 0, bytes <= ResultArena.largest else { return nil }
        // Whole pages, because holes are looked for by pages.
        let count = (bytes + ResultArena.page - 1) / ResultArena.page * ResultArena.page
        // The first range: its pages are the most likely to be allocated.
        let offset = state.withLock { state -> Int? in
            guard let index = state.free.firstIndex(where: { $0.count >= count }) else { return nil }
            let offset = state.free[index].offset
            // The rest of a large image is allocated when its pixels are written.
            guard allocate(&state, offset, min(count, SharedMemory.mostAhead)) else { return nil }
            state.free[index].offset += count
            state.free[index].count -= count
            if state.free[index].count == 0 { state.free.remove(at: index) }
            return offset
        }
        return offset.map { unsafe ArenaRegion(self, base + $0, offset: $0, count: count) }
    }

    /// Allocates the pages of a region.
    private func allocate(_ state: inout State, _ offset: Int, _ count: Int) -> Bool {
        let (start, end) = (max(offset, state.allocated), offset + count)
        guard end > start else { return true }
        guard unsafe ciso_memory_allocate(memory.number, base, start, end - start) == 0 else { return false }
        if start == state.allocated { state.allocated = end }
        return true
    }

    fileprivate func allocate(_ offset: Int, _ count: Int) throws(ImageError) {
        guard state.withLock({ allocate(&$0, offset, count) }) else {
            throw ImageError(.noMemory, "decoder process: memory could not be allocated", systemError: ENOMEM)
        }
    }

    /// Returns a range, and joins it with free ranges next to it. Its pages stay allocated.
    fileprivate func release(_ offset: Int, _ count: Int) {
        state.withLock { state in
            let index = state.free.firstIndex { $0.offset > offset } ?? state.free.endIndex
            state.free.insert(PageRange(offset: offset, count: count), at: index)
            // The range behind comes first: joining the one before changes the index.
            if index + 1 < state.free.count, state.free[index].end == state.free[index + 1].offset {
                state.free[index].count += state.free.remove(at: index + 1).count
            }
            if index > 0, state.free[index - 1].end == state.free[index].offset {
                state.free[index - 1].count += state.free.remove(at: index).count
            }
        }
    }
}

/// Memory of one image in the arena.
@safe final class ArenaRegion: PixelRegion {
    // The memory of a `PixelBuffer`, which states which code writes it.
    nonisolated(unsafe) let address: UnsafeMutableRawPointer
    let offset: Int
    let arena: ResultArena
    private let count: Int

    fileprivate init(_ arena: ResultArena, _ address: UnsafeMutableRawPointer, offset: Int, count: Int) {
        self.arena = arena
        unsafe self.address = unsafe address
        (self.offset, self.count) = (offset, count)
    }

    deinit { arena.release(offset, count) }

    /// Allocates the pages that were not written, before the host reads them.
    func allocate() throws(ImageError) { try arena.allocate(offset, count) }

    /// Regions have the pixels of earlier images.
    var isZeroed: Bool { false }
    func willWrite() {}
}
