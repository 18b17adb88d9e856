import CIsolation
import CSystem
import Glibc
import SDImage

/// The arena of a worker, as seen by its host, which copies pixels from its mapping. The worker may change them at any time: they
/// are examined in the copy. No page of the mapping disappears, because the arena is sealed, and its pages are allocated. Belongs
/// to a `DecoderProcess`; several threads may copy.
@safe final class RemoteArena: Sendable {
    /// A descriptor of its own, because that of the message closes with the message.
    private let memory: Int32
    /// The mapping; nil where the address space of this process is limited: pixels are read from the descriptor.
    nonisolated(unsafe) private let base: UnsafeRawPointer?
    /// Number of bytes whose pages are allocated, from the beginning. Others may follow.
    private let allocated = Lock(0)
    /// The process that made it. A forked child has closed its copy of the descriptor, which would keep the memory allocated, and
    /// does not have the mapping.
    private let owner = getpid()

    /// Throws `invalidMessage` for memory that is not an arena.
    init(_ memory: Descriptor) throws(ImageError) {
        var address: UnsafeRawPointer?
        let code = unsafe ciso_memory_map_pinned(memory.number, ResultArena.size, &address)
        guard code != EBADMSG else { throw .invalidMessage }
        guard code == 0 || code == ENOMEM else {
            throw ImageError(.noMemory, "decoder process: memory could not be mapped", systemError: code)
        }
        self.memory = fcntl(memory.number, F_DUPFD_CLOEXEC, 0)
        unsafe base = unsafe address
        // `deinit` unmaps it.
        guard self.memory >= 0 else {
            throw ImageError(.noMemory, "decoder process: no descriptor is left", systemError: errno)
        }
        csys_watch_fork(self.memory)
    }

    deinit {
        guard owner == getpid() else { return }
        if let base = unsafe base { unsafe ciso_memory_unmap(UnsafeMutableRawPointer(mutating: base), ResultArena.size) }
        guard memory >= 0 else { return }
        csys_unwatch_fork(memory)
        close(memory)
    }

    /// Fills a buffer with the pixels at an offset, on several threads if processors are idle.
    func copy(_ offset: Int, to pixels: PixelBuffer) throws(ImageError) {
        guard offset >= 0, offset <= ResultArena.size, pixels.byteCount <= ResultArena.size - offset,
            isAllocated(offset, pixels.byteCount)
        else { throw .invalidMessage }
        // The layout in the arena is that of a buffer of the same size and format, so rows need no conversion.
        let stride = pixels.stride
        try RowBands.run(pixels.size.height, rowBytes: stride, stop: CancellationToken()) { [self] rows throws(ImageError) in
            let start = rows.lowerBound * stride
            let target = unsafe pixels.mutablePixels + start
            try unsafe read(offset + start, rows.count * stride, to: target)
        }
    }

    /// Copies bytes from the mapping, or from the descriptor.
    private func read(_ offset: Int, _ count: Int, to target: UnsafeMutableRawPointer) throws(ImageError) {
        if let base = unsafe base { return unsafe target.copyMemory(from: base + offset, byteCount: count) }
        var done = 0
        while done < count {
            let length = unsafe pread(memory, target + done, count - done, off_t(offset + done))
            if length < 0, errno == EINTR { continue }
            guard length > 0 else { throw .invalidMessage }
            done += length
        }
    }

    /// True if all pages of a range are allocated: reading others from the mapping would end this process (SIGBUS). Pages never
    /// disappear, so those found once need no system call again.
    private func isAllocated(_ offset: Int, _ count: Int) -> Bool {
        allocated.withLock { allocated in
            if offset + count <= allocated { return true }
            let hole = ciso_memory_first_hole(memory, max(offset, allocated))
            guard hole >= offset + count else { return false }
            if offset <= allocated { allocated = hole }
            return true
        }
    }
}
