import CIsolation
import Glibc
import SDImage
import Synchronization

/// Sealed memory of two processes: written by one, then mapped by the other, which needs no copy because nothing can change it.
/// The checks are in C (ciso_memory.h).
enum SharedMemory {
    /// Most bytes of an image that are allocated before its pixels are written: a file of 100 bytes can claim any size. Further
    /// pages are allocated by their first writes, which costs three times as much.
    static let mostAhead = 64 << 20

    /// Copies encoded bytes into sealed memory; at least one byte.
    static func sealed(_ bytes: Bytes) throws(ImageError) -> Descriptor {
        let memory = try make(max(bytes.count, 1))
        unsafe try bytes.withUnsafeBytes { bytes throws(ImageError) in
            // A mapping to write would have to be removed before the seal.
            var done = 0
            while done < bytes.count, let base = bytes.baseAddress {
                let count = unsafe pwrite(memory.number, base + done, bytes.count - done, off_t(done))
                guard count > 0 else {
                    if count < 0, errno == EINTR { continue }
                    throw ImageError(.noMemory, "decoder process: memory could not be written", systemError: errno)
                }
                done += count
            }
        }
        try check(ciso_memory_seal(memory.number, max(bytes.count, 1)), "memory could not be sealed")
        return memory
    }

    /// Memory of this size, not sealed yet; `noMemory` if the system refuses it.
    static func make(_ size: Int) throws(ImageError) -> Descriptor {
        var number: Int32 = -1
        let code = unsafe ciso_memory_new(size, &number)
        try check(code, "memory could not be allocated")
        return Descriptor(number)
    }

    /// Maps memory that another process sealed. `size`: expected number of bytes, at most that of the memory.
    static func bytes(of memory: Descriptor, count: Int) throws(ImageError) -> Bytes {
        guard count > 0 else { return .empty }
        let address = unsafe try map(memory, count, isWritable: false)
        let number = UInt(bitPattern: address)
        return unsafe Bytes(adopting: address, count: count) {
            unsafe ciso_memory_unmap(UnsafeMutableRawPointer(bitPattern: number), count)
        }
    }

    /// Maps the pixels of an image. Writing copies pages, and is not seen by the other process.
    static func pixels(of memory: Descriptor, size: PixelSize, format: PixelFormat, stride: Int) throws(ImageError) -> PixelBuffer
    {
        let count = stride * size.height
        let address = unsafe try map(memory, count, isWritable: true)
        let number = UInt(bitPattern: address)
        return unsafe PixelBuffer(adopting: address, size: size, format: format, stride: stride) {
            unsafe ciso_memory_unmap(UnsafeMutableRawPointer(bitPattern: number), count)
        }
    }

    /// Maps the first `count` bytes; throws `invalidMessage` for a descriptor that is not sealed memory of that size.
    private static func map(_ memory: Descriptor, _ count: Int, isWritable: Bool) throws(ImageError) -> UnsafeMutableRawPointer {
        var size = 0
        guard unsafe ciso_memory_check(memory.number, &size) == 0, count > 0, count <= size else { throw .invalidMessage }
        var address: UnsafeMutableRawPointer?
        guard unsafe ciso_memory_map(memory.number, count, isWritable, &address) == 0, let address = unsafe address else {
            throw .noMemory(count)
        }
        return unsafe address
    }

    /// Throws `noMemory` for an errno value other than 0.
    private static func check(_ code: Int32, _ problem: String) throws(ImageError) {
        guard code != 0 else { return }
        throw ImageError(.noMemory, "decoder process: \(problem)", systemError: code)
    }
}

/// Pixel memory of a worker, which it passes to its host. `PixelBuffer` allocates all its pixels here (`SharedPixels`), so that
/// results need no copy in the worker.
final class WorkerMemory: PixelMemory {
    private struct State {
        var arena: ResultArena?
        /// True if the host has the arena.
        var isSent = false
        /// True where it cannot be made, for example with a low RLIMIT_FSIZE of the host: each result is in memory of its own.
        var isRefused = false
    }

    private let state = Lock(State())

    /// Memory for one image: in the arena if it fits, otherwise of its own.
    func region(_ bytes: Int) throws(ImageError) -> any PixelRegion {
        if let region = arena()?.region(bytes) { return region }
        return try WorkerRegion(bytes)
    }

    /// The arena, which the first image makes; nil where it cannot be made.
    private func arena() -> ResultArena? {
        state.withLock { state in
            if state.arena == nil, !state.isRefused {
                state.arena = try? ResultArena()
                state.isRefused = state.arena == nil
            }
            return state.arena
        }
    }

    /// The memory of an arena, if the host does not have it.
    func unsent(_ arena: ResultArena) -> Descriptor? {
        state.withLock { $0.arena === arena && $0.isSent ? nil : arena.memory }
    }

    /// Notes the descriptors that are about to be sent to the host.
    func noteSent(_ descriptors: [Descriptor]) {
        guard !descriptors.isEmpty else { return }
        state.withLock { state in
            if let arena = state.arena, descriptors.contains(where: { $0 === arena.memory }) { state.isSent = true }
        }
    }

    /// Returns the arena to the system, unless it has pixels. The host releases it, too, and gets it again with the next pixels. An
    /// arena that could not be made is tried again.
    func trim() {
        let old = state.withLock { state -> ResultArena? in
            (state.isSent, state.isRefused) = (false, false)
            guard let arena = state.arena, arena.isUnused else { return nil }
            state.arena = nil
            return arena
        }
        withExtendedLifetime(old) {}
    }
}

/// Memory written by a decode, then sealed and sent; freed with the last `PixelBuffer` that uses it.
@safe final class WorkerRegion: PixelRegion {
    // The memory of a `PixelBuffer`, which states which code writes it.
    nonisolated(unsafe) let address: UnsafeMutableRawPointer
    private let size: Int
    private let memory: Descriptor
    private let isSealed = Atomic<Bool>(false)
    /// True if pixels may have been written after the memory was sealed, into pages of this process: a canvas on which the next
    /// frame was drawn.
    private let isStale = Atomic<Bool>(false)

    init(_ bytes: Int) throws(ImageError) {
        size = bytes
        memory = try SharedMemory.make(bytes)
        var address: UnsafeMutableRawPointer?
        guard unsafe ciso_memory_map_to_write(memory.number, bytes, &address) == 0, let address = unsafe address else {
            throw .noMemory(bytes)
        }
        unsafe self.address = unsafe address
        let code = unsafe ciso_memory_allocate(memory.number, address, 0, min(bytes, SharedMemory.mostAhead))
        // `deinit` unmaps it.
        guard code == 0 else {
            throw ImageError(.noMemory, "decoder process: memory could not be allocated", systemError: code)
        }
    }

    deinit { unsafe ciso_memory_unmap(address, size) }

    var isZeroed: Bool { true }

    func willWrite() {
        if isSealed.load(ordering: .relaxed) { isStale.store(true, ordering: .relaxed) }
    }

    /// Seals the memory; nil if it does not have the pixels any more. Its address remains valid: a decoder may go on drawing
    /// there, in pages of its own.
    func sealed() throws(ImageError) -> Descriptor? {
        if isSealed.load(ordering: .relaxed) { return isStale.load(ordering: .relaxed) ? nil : memory }
        // Sealing requires that no writable shared mapping is left. The private one has the same contents at the same address.
        let mapped = unsafe mmap(
            address, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, memory.number, 0)
        guard unsafe mapped == address, ciso_memory_seal(memory.number, size) == 0 else {
            throw ImageError(.noMemory, "decoder process: pixels could not be sealed", systemError: errno)
        }
        isSealed.store(true, ordering: .relaxed)
        return memory
    }
}
