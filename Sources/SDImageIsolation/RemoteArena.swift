import CIsolation
import CSystem
import Glibc
import SDImage

/// The arena of a worker, as seen by its host, which copies pixels from its mapping. The worker may change them at any time: they
/// are examined in the copy. No page of the mapping disappears, because the arena is sealed, and its pages are allocated.
@safe final class RemoteArena: Sendable {
    private let memory: Int32
    nonisolated(unsafe) private let base: UnsafeRawPointer
    /// Number of bytes whose pages are allocated, from the beginning.
    private let allocated = Lock(0)
    /// The process that made it. A forked child has closed its copy of the descriptor, which would keep the memory allocated, and
    /// does not have the mapping.
    private let owner = getpid()

    init(_ memory: Descriptor) throws(ImageError) {
        var address: UnsafeRawPointer?
        let code = unsafe ciso_memory_map_pinned(memory.number, ResultArena.size, &address)
        guard code != EBADMSG else { throw .invalidMessage }
        guard code == 0, let base = unsafe address else { throw .noMemory(ResultArena.size) }
        self.memory = fcntl(memory.number, F_DUPFD_CLOEXEC, 0)
        unsafe self.base = unsafe base
        guard self.memory >= 0 else {
            unsafe ciso_memory_unmap(UnsafeMutableRawPointer(mutating: base), ResultArena.size)
            throw ImageError(.noMemory, "decoder process: no descriptor is left", systemError: errno)
        }
        csys_watch_fork(self.memory)
    }

    deinit {
        guard owner == getpid() else { return }
        unsafe ciso_memory_unmap(UnsafeMutableRawPointer(mutating: base), ResultArena.size)
        csys_unwatch_fork(memory)
        close(memory)
    }

    /// Fills a buffer with the pixels at an offset, on several threads if processors are idle.
    func copy(_ offset: Int, to pixels: PixelBuffer) throws(ImageError) {
        guard offset >= 0, offset <= ResultArena.size, pixels.byteCount <= ResultArena.size - offset,
            isAllocated(upTo: offset + pixels.byteCount)
        else { throw .invalidMessage }
        let stride = pixels.stride
        try RowBands.run(pixels.size.height, rowBytes: stride, stop: CancellationToken()) { [self] rows throws(ImageError) in
            let start = rows.lowerBound * stride
            unsafe (pixels.mutablePixels + start).copyMemory(from: base + offset + start, byteCount: rows.count * stride)
        }
    }

    private func isAllocated(upTo end: Int) -> Bool {
        allocated.withLock { allocated in
            if end > allocated { allocated = ciso_memory_first_hole(memory, allocated) }
            return end <= allocated
        }
    }
}
