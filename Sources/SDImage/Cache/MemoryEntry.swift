import CSystem
import Glibc
import Synchronization

/// One image of a memory cache, in its own block from the C allocator, followed by the key.
///
/// A look-up reads only the second 64 bytes, which contain the reference to the image and a key of ordinary length. `image`
/// and `cost` change under the locks of the table and of the eviction order, `uses` and `lastUse` at any time. The other
/// fields belong to the eviction order.
/// Size and order of the fields are chosen for the cache lines of the processor.
@unsafe struct MemoryEntry: ~Copyable {
    typealias Pointer = UnsafeMutablePointer<MemoryEntry>

    /// Hash of the key, with the secret of the process.
    let hash: UInt64
    /// Bytes that count against the limit.
    var cost: Int
    /// Neighbors in a queue.
    /// The eviction order uses them for its queues, and for chains of removed entries.
    var newer: Pointer?
    var older: Pointer?
    /// Location of the entry in the eviction order.
    var position = 0
    /// Sequence number of the last use, if the eviction order needs it.
    let lastUse = Atomic<UInt64>(0)
    /// Padding to two cache lines; see `MemoryTable.prefetch`.
    private let unused: (UInt64, UInt64) = (0, 0)

    // Fields read by a look-up start here.
    /// Retained by the entry.
    var image: Unmanaged<Image>
    /// Bytes of the key, which follow the structure.
    let keyLength: UInt32
    /// Number of uses that the eviction order has not consumed yet, up to `MemoryEntry.mostUses`.
    let uses = Atomic<UInt32>(0)

    /// Limit of `uses`: a popular image must also be evicted eventually.
    static let mostUses: UInt32 = 7

    private init(hash: UInt64, cost: Int, image: Image, keyLength: UInt32) {
        unsafe self.hash = hash
        unsafe self.cost = cost
        unsafe self.keyLength = keyLength
        unsafe newer = nil
        unsafe older = nil
        unsafe self.image = .passRetained(image)
    }

    /// Allocates an entry; nil when allocation fails or the length of the key exceeds `UInt32`.
    /// The caller owns the entry, and frees it with `free`.
    static func make(hash: UInt64, key: UnsafeRawBufferPointer, image: Image, cost: Int) -> Pointer? {
        guard let keyLength = UInt32(exactly: key.count) else { return nil }
        var memory: UnsafeMutableRawPointer?
        let size = unsafe MemoryLayout<MemoryEntry>.size + key.count
        guard unsafe posix_memalign(&memory, 64, size) == 0, let memory = unsafe memory else { return nil }
        let entry = unsafe memory.assumingMemoryBound(to: MemoryEntry.self)
        unsafe entry.initialize(to: MemoryEntry(hash: hash, cost: cost, image: image, keyLength: keyLength))
        if let source = key.baseAddress { unsafe memcpy(memory + MemoryLayout<MemoryEntry>.size, source, key.count) }
        return unsafe entry
    }

    /// Frees an unreachable entry. Releasing its image may call other code, so the caller must hold no lock.
    static func free(_ entry: Pointer) {
        let image = unsafe entry.pointee.image
        unsafe entry.deinitialize(count: 1)
        unsafe Glibc.free(entry)
        unsafe image.release()
    }

    /// Frees a chain of entries linked by `older`.
    static func free(chain: Pointer?) {
        var next = unsafe chain
        while let entry = unsafe next {
            unsafe next = entry.pointee.older
            unsafe free(entry)
        }
    }

    /// Compares the bytes of the key, after the hash was found equal.
    @inline(__always)
    static func hasKey(_ entry: Pointer, _ key: UnsafeRawBufferPointer) -> Bool {
        guard unsafe Int(entry.pointee.keyLength) == key.count else { return false }
        guard let start = key.baseAddress else { return true }
        return unsafe csys_equal(UnsafeRawPointer(entry) + MemoryLayout<MemoryEntry>.size, start, key.count)
    }
}
