import CSystem
import Glibc
import Synchronization

/// One picture of a memory cache, in a block of its own from the C allocator with the key behind it.
///
/// A look-up touches the second 64 bytes only, which a key of ordinary length shares with the reference to the picture.
/// `image` and `cost` change under the locks of the table and of the order, `uses` and `lastUse` at any time, and the
/// rest belongs to the order of eviction.
@unsafe struct MemoryEntry: ~Copyable {
    typealias Pointer = UnsafeMutablePointer<MemoryEntry>

    let hash: UInt64
    var cost: Int
    /// Neighbours in a queue.
    var newer: Pointer?
    var older: Pointer?
    /// Where the order of eviction finds the entry.
    var place = 0
    /// Order of the last use, where the order of eviction asks for it.
    let lastUse = Atomic<UInt64>(0)
    private let unused: (UInt64, UInt64) = (0, 0)

    // From here on what a look-up touches.
    var image: Unmanaged<Image>
    let keyLength: UInt32
    /// How often it was used since this was last asked, up to `MemoryEntry.mostUses`.
    let uses = Atomic<UInt32>(0)

    /// Beyond it uses are not told apart: a popular picture must leave some day too.
    static let mostUses: UInt32 = 7

    private init(hash: UInt64, cost: Int, image: Image, keyLength: UInt32) {
        unsafe self.hash = hash
        unsafe self.cost = cost
        unsafe self.keyLength = keyLength
        unsafe newer = nil
        unsafe older = nil
        unsafe self.image = .passRetained(image)
    }

    /// nil when memory is refused, or the key is longer than any that is told apart.
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

    /// Frees an entry that nobody can find any more. Its picture may call out: no lock may be held.
    static func free(_ entry: Pointer) {
        let image = unsafe entry.pointee.image
        unsafe entry.deinitialize(count: 1)
        unsafe Glibc.free(entry)
        unsafe image.release()
    }

    /// The same for a chain of entries linked by `older`.
    static func free(chain: Pointer?) {
        var next = unsafe chain
        while let entry = unsafe next {
            unsafe next = entry.pointee.older
            unsafe free(entry)
        }
    }

    @inline(__always)
    static func hasKey(_ entry: Pointer, _ key: UnsafeRawBufferPointer) -> Bool {
        guard unsafe Int(entry.pointee.keyLength) == key.count else { return false }
        guard let start = key.baseAddress else { return true }
        return unsafe csys_equal(UnsafeRawPointer(entry) + MemoryLayout<MemoryEntry>.size, start, key.count)
    }
}
