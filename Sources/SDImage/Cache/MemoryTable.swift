import CSystem
import Glibc

/// The entries of a memory cache under one lock, by key: open addressing with linear probing.
///
/// Slots hold the whole hash, so that a search reads one slot and one entry. They also hold the image, whose memory is fetched
/// while the keys are compared. Slots come from the C allocator; a failed allocation only means that an entry is not stored.
@safe struct MemoryTable: ~Copyable, @unchecked Sendable {
    // Unchecked: it owns its memory, and its only user holds a lock.
    /// 32 bytes, so that two slots share a cache line.
    @safe struct Slot {
        fileprivate let hash: UInt64
        /// nil for a free slot.
        fileprivate(set) var entry: MemoryEntry.Pointer?
        /// The image of the entry, for prefetching.
        private var imagePointer: UnsafeMutableRawPointer?
        private let unused: UInt64 = 0

        init(_ entry: MemoryEntry.Pointer) {
            unsafe hash = entry.pointee.hash
            unsafe self.entry = entry
            unsafe imagePointer = entry.pointee.image.toOpaque()
        }

        fileprivate init() {
            hash = 0
            unsafe entry = nil
            unsafe imagePointer = nil
        }

        /// Replaces the image and returns the previous one.
        /// The caller releases the previous image outside the lock.
        mutating func exchange(_ image: Image) -> Image? {
            guard let entry = unsafe entry else { return nil }
            let old = unsafe entry.pointee.image
            unsafe entry.pointee.image = .passRetained(image)
            unsafe imagePointer = entry.pointee.image.toOpaque()
            return unsafe old.takeRetainedValue()
        }

        /// The caller will count a reference to it.
        @inline(__always)
        fileprivate func prefetchImage() { unsafe csys_prefetch_write(imagePointer) }
    }

    /// nil before the first insertion and after `removeAll`.
    private var slots: UnsafeMutablePointer<Slot>?
    /// Number of slots minus 1; the number is a power of two.
    private var mask = 0
    private var count = 0

    init() { unsafe slots = nil }

    deinit { unsafe free(slots) }

    /// The slot of an entry; valid until the next change.
    /// nil for an unknown key. Ends at the first free slot.
    @inline(__always)
    func find(_ hash: UInt64, _ key: UnsafeRawBufferPointer) -> UnsafeMutablePointer<Slot>? {
        guard let slots = unsafe slots else { return nil }
        var position = home(hash)
        while true {
            let slot = unsafe slots + position
            guard let entry = unsafe slot.pointee.entry else { return nil }
            if unsafe slot.pointee.hash == hash {
                unsafe slot.pointee.prefetchImage()
                if unsafe MemoryEntry.hasKey(entry, key) { return unsafe slot }
            }
            position = (position &+ 1) & mask
        }
    }

    /// The address of the slots and, in the bits that are zero in it, the logarithm of their number.
    var location: UInt { unsafe UInt(bitPattern: slots) | UInt((mask &+ 1).trailingZeroBitCount & 63) }

    /// Prefetches the slot where the search for a hash begins; `location` may be that of an older table.
    ///
    /// `sdimage-bench memcache items=200000`: with this prefetch, that of the image and the padding of `MemoryEntry`, a hit takes
    /// 207 ns of processor time, without them 255 ns; with two threads and stores 236 and 279 ns (AMD EPYC, medians of 11).
    @inline(__always)
    static func prefetch(_ hash: UInt64, _ location: UInt) {
        let index = UInt(truncatingIfNeeded: hash) & (1 << (location & 63) &- 1)
        unsafe csys_prefetch(UnsafeRawPointer(bitPattern: (location & ~63) &+ index &* UInt(MemoryLayout<Slot>.stride)))
    }

    /// Inserts a new entry; false when allocation fails.
    mutating func insert(_ entry: MemoryEntry.Pointer) -> Bool {
        guard reserve() else { return false }
        unsafe insert(Slot(entry))
        count += 1
        return true
    }

    /// Removes an entry and moves later entries of the same run back, so that no search ends too early.
    mutating func remove(_ entry: MemoryEntry.Pointer) {
        guard let slots = unsafe slots else { return }
        // The entry may be behind its home, if the slots before it were taken.
        var hole = unsafe home(entry.pointee.hash)
        while unsafe slots[hole].entry != entry {
            if unsafe slots[hole].entry == nil { return }
            hole = (hole + 1) & mask
        }
        var position = hole
        while true {
            position = (position + 1) & mask
            let slot = unsafe slots[position]
            if unsafe slot.entry == nil { break }
            // Distances along the ring: a slot may move back to the hole unless its home lies after the hole.
            if (position &- home(slot.hash)) & mask < (position &- hole) & mask { continue }
            unsafe slots[hole] = slot
            hole = position
        }
        unsafe slots[hole] = Slot()
        count -= 1
    }

    /// Removes all entries and frees the table's memory.
    mutating func removeAll() {
        unsafe free(slots)
        unsafe slots = nil
        mask = 0
        count = 0
    }

    /// Index at which the search for a hash begins.
    @inline(__always)
    private func home(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash) & mask }

    /// Makes room for one more entry at a load of at most two thirds, so that each search ends at an empty slot. False when
    /// allocation fails.
    private mutating func reserve() -> Bool {
        let capacity = unsafe slots == nil ? 0 : mask + 1
        guard (count + 1) * 3 > capacity * 2 else { return true }
        let larger = max(16, capacity * 2)
        var memory: UnsafeMutableRawPointer?
        // Aligned, so that no slot spans two cache lines.
        guard unsafe posix_memalign(&memory, 64, larger * MemoryLayout<Slot>.stride) == 0, let memory = unsafe memory else {
            return false
        }
        let old = unsafe slots
        unsafe slots = memory.bindMemory(to: Slot.self, capacity: larger)
        unsafe slots?.initialize(repeating: Slot(), count: larger)
        mask = larger - 1
        if let old = unsafe old {
            for position in 0..<capacity where unsafe old[position].entry != nil { unsafe insert(old[position]) }
        }
        unsafe free(old)
        return true
    }

    /// Takes the first free slot from the home on; there is one.
    private func insert(_ slot: Slot) {
        guard let slots = unsafe slots else { return }
        var position = home(slot.hash)
        while unsafe slots[position].entry != nil { position = (position + 1) & mask }
        unsafe slots[position] = slot
    }
}
