import CIsolation
import CSystem
import Glibc
import SDImage

/// Memory of a worker for the pixels that its host copies: written again and again, because the first write of a page costs many
/// times as much as a copy.
@safe final class ResultArena: Sendable {
    /// Bytes of address space in the worker.
    static let size = 128 << 20
    /// Most bytes of one image. Larger ones lie in memory of their own, which the host maps.
    static let largest = 64 << 20
    private static let page = max(sysconf(Int32(_SC_PAGESIZE)), 1)

    /// Whole pages: offset and number of bytes.
    private struct PageRange {
        var offset: Int
        var count: Int

        var end: Int { offset + count }
    }

    nonisolated(unsafe) private let base: UnsafeMutableRawPointer
    /// Passed to the host at the start.
    let memory: Descriptor
    /// In the order of their offsets, none next to another.
    private let free = Lock([PageRange(offset: 0, count: ResultArena.size)])

    init() throws(ImageError) {
        memory = try SharedMemory.make(ResultArena.size)
        var address: UnsafeMutableRawPointer?
        guard unsafe ciso_memory_map_to_write(memory.number, ResultArena.size, &address) == 0, let address = unsafe address else {
            throw .noMemory(ResultArena.size)
        }
        unsafe base = unsafe address
    }

    deinit { unsafe ciso_memory_unmap(base, ResultArena.size) }

    /// Memory with undefined contents; nil if the arena is full, or the image is too large for it.
    func region(_ bytes: Int) -> ArenaRegion? {
        guard bytes > 0, bytes <= ResultArena.largest else { return nil }
        let count = (bytes + ResultArena.page - 1) / ResultArena.page * ResultArena.page
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
            free.insert(PageRange(offset: offset, count: count), at: index)
            if index + 1 < free.count, free[index].end == free[index + 1].offset {
                free[index].count += free.remove(at: index + 1).count
            }
            if index > 0, free[index - 1].end == free[index].offset { free[index - 1].count += free.remove(at: index).count }
        }
    }

    /// Returns the pages of the free memory to the system.
    func trim() {
        free.withLock { free in
            for range in free { unsafe _ = ciso_memory_clear(base + range.offset, range.count) }
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

/// The arena of a worker, as seen by its host. The worker may change its contents, or have sent another descriptor: pixels are read
/// into memory of the host, and examined there. A mapping would allocate pages of the host for holes, and fail with SIGBUS.
final class RemoteArena: Sendable {
    private let memory: Int32
    /// The process that made it. A forked child has closed its copy of the descriptor, which would keep the memory allocated.
    private let owner = getpid()

    init(_ memory: Descriptor) throws(ImageError) {
        self.memory = fcntl(memory.number, F_DUPFD_CLOEXEC, 0)
        guard self.memory >= 0 else {
            throw ImageError(.noMemory, "decoder process: no descriptor is left", systemError: errno)
        }
        csys_watch_fork(self.memory)
    }

    deinit {
        guard owner == getpid() else { return }
        csys_unwatch_fork(memory)
        close(memory)
    }

    /// Fills a buffer with the pixels at an offset.
    func copy(_ offset: Int, to pixels: PixelBuffer) throws(ImageError) {
        guard offset >= 0, offset <= ResultArena.size, pixels.byteCount <= ResultArena.size - offset else {
            throw .invalidMessage
        }
        let target = unsafe pixels.mutablePixels
        var done = 0
        while done < pixels.byteCount {
            let count = unsafe pread(memory, target + done, pixels.byteCount - done, off_t(offset + done))
            guard count > 0 else {
                if count < 0, errno == EINTR { continue }
                throw .invalidMessage
            }
            done += count
        }
    }
}
