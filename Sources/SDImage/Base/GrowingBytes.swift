import Glibc

/// Bytes of which more arrive. Every view of them is immutable and stays valid whatever is appended later: bytes that a reader
/// can see are never moved or changed.
/// Bodies of downloads and the input of incremental decoders are collected in it.
/// The value itself is guarded by its owner; views and `Room` are used without a lock.
@safe package struct GrowingBytes {
    /// Memory shared by readers and the writer, which only writes after the bytes that readers see. Small blocks are recycled:
    /// touching fresh pages takes longer than receiving the data for them.
    @safe fileprivate final class Block: @unchecked Sendable {
        // Unchecked: bytes are written once, before readers get a reference to them.
        /// Set for blocks of the pool; otherwise `reservation` is set.
        private let pooled: PixelPool.Block?
        /// Address space for large bodies, which grows in place.
        let reservation: Reservation?

        init(_ capacity: Int) throws(ImageError) {
            let block = unsafe try PixelPool.shared.allocate(capacity)
            unsafe pooled = block
            unsafe base = block.base
            reservation = nil
        }

        init(_ reservation: Reservation) {
            unsafe pooled = nil
            self.reservation = reservation
            unsafe base = reservation.base
        }

        deinit { if let pooled = unsafe pooled { unsafe PixelPool.shared.release(pooled) } }

        /// Start of the memory; fixed, so that pointers of readers stay valid.
        let base: UnsafeMutableRawPointer
        /// Bytes that may be written at present; grows for a reservation only.
        var capacity: Int { unsafe pooled?.capacity ?? reservation?.usable ?? 0 }
    }

    /// Free memory after the current bytes, to be filled without a lock.
    /// Received data is written directly to its place, so that a lock is needed only to take the room and to commit
    /// it.
    @safe package struct Room: Sendable {
        private let block: Block
        private let offset: Int
        package let count: Int

        fileprivate init(_ block: Block, offset: Int, count: Int) {
            self.block = block
            self.offset = offset
            self.count = count
        }

        /// Calls `body` with the memory and returns the number of bytes it has written, at most `count`.
        package func fill(_ body: (UnsafeMutableRawBufferPointer) throws(ImageError) -> Int) throws(ImageError) -> Int {
            let room = unsafe UnsafeMutableRawBufferPointer(start: block.base + offset, count: count)
            return min(max(unsafe try body(room), 0), count)
        }
    }

    private static let smallestBlock = 4096
    /// Limit for `reserve`: an announced length costs the sender nothing.
    private static let mostAnnounced = 1 << 20
    #if SDIMAGE_SANITIZED
        // All blocks come from the C allocator, whose bounds are checked.
        private static let reservedFrom = Int.max
    #else
        /// Smallest size at which memory is added in place: doubling would hold the bytes twice.
        private static let reservedFrom = 1 << 20
    #endif
    /// Address space to reserve unless the limit is lower.
    private static let reservedBytes = 1 << 30
    /// Excess bytes from doubling that are kept.
    private static let mostSlack = 65536

    /// nil until the first byte or reservation of room.
    private var block: Block?
    package private(set) var count = 0
    /// Appending more than this fails with `tooLarge`.
    private let limit: Int
    private let name: String

    /// `name`: the quantity named in the `tooLarge` error.
    package init(limit: Int, name: String = "decoder: encoded size in bytes") {
        self.limit = limit
        self.name = name
    }

    /// Preallocates at most 1 MiB.
    /// Throws `noMemory` if the pool refuses.
    package mutating func reserve(_ announced: Int) throws(ImageError) {
        try grow(to: min(max(announced, 0), limit, GrowingBytes.mostAnnounced))
    }

    /// Copies bytes to the end; throws `tooLarge` beyond the limit.
    package mutating func append(_ source: UnsafeRawBufferPointer) throws(ImageError) {
        guard let from = source.baseAddress, source.count > 0 else { return }
        try makeRoom(source.count, limit: limit)
        guard let block else { return }
        unsafe memcpy(block.base + count, from, source.count)
        count += source.count
    }

    /// Room for `count` bytes; nothing may be appended until `commit`.
    /// nil only for a count of 0 before any memory exists.
    package mutating func room(_ count: Int) throws(ImageError) -> Room? {
        // Room for one byte more than the limit, to detect a longer input.
        try makeRoom(max(count, 0), limit: limit < .max ? limit + 1 : limit)
        return block.map { Room($0, offset: self.count, count: max(count, 0)) }
    }

    /// Adds the first `filled` bytes of the room.
    /// Throws if more than the limit was received; the bytes then remain uncommitted.
    package mutating func commit(_ filled: Int) throws(ImageError) {
        guard filled >= 0, filled <= (block?.capacity ?? 0) - count, count + filled <= limit else {
            throw .tooLarge(name, limit: limit)
        }
        count += filled
    }

    /// All bytes received so far, by reference.
    /// A view that keeps the block alive; later appends write after its end.
    package var bytes: Bytes {
        guard let block, count > 0 else { return .empty }
        return unsafe Bytes(adopting: block.base, count: count) { withExtendedLifetime(block) {} }
    }

    /// All bytes, by reference; the object is empty afterwards.
    /// A large excess is returned to the system or copied away first, because the result may be cached for long.
    package mutating func finish() -> Bytes {
        if let reservation = block?.reservation, count > 0 {
            reservation.trim(to: count)
        } else if let capacity = block?.capacity, count > 0, capacity - count > max(GrowingBytes.mostSlack, count / 2) {
            // If the allocation is refused, the larger block is used.
            try? move(to: count)
        }
        defer {
            block = nil
            count = 0
        }
        return bytes
    }

    /// Ensures `more` bytes after the current ones. The error names the limit of the object, not that of the call.
    private mutating func makeRoom(_ more: Int, limit: Int) throws(ImageError) {
        let (needed, overflow) = count.addingReportingOverflow(more)
        guard !overflow, needed <= limit else { throw .tooLarge(name, limit: self.limit) }
        let capacity = block?.capacity ?? 0
        guard needed > capacity else { return }
        // If the system refuses address space, doubling still works.
        if needed > GrowingBytes.reservedFrom, extend(to: needed, limit: limit) { return }
        let (twice, isTooMuch) = capacity.multipliedReportingOverflow(by: 2)
        try grow(to: max(needed, isTooMuch ? limit : min(twice, limit), GrowingBytes.smallestBlock))
    }

    /// Adds memory after the bytes, or reserves address space for all that may come; false if the system refuses.
    private mutating func extend(to needed: Int, limit: Int) -> Bool {
        if block?.reservation?.makeUsable(needed) == true { return true }
        let (twice, isTooMuch) = needed.multipliedReportingOverflow(by: 2)
        let size = min(limit, max(GrowingBytes.reservedBytes, isTooMuch ? needed : twice))
        // The old block stays with its readers; this object continues in the copy.
        guard let reservation = Reservation(size), reservation.makeUsable(needed) else { return false }
        move(to: Block(reservation))
        return true
    }

    /// Moves to a block of the pool of at least `size` bytes, unless the block is large enough.
    private mutating func grow(to size: Int) throws(ImageError) {
        if size > block?.capacity ?? 0 { try move(to: size) }
    }

    private mutating func move(to size: Int) throws(ImageError) {
        move(to: try Block(size))
    }

    /// Copies the bytes into another block; readers of the old one keep it alive.
    private mutating func move(to other: Block) {
        if let block { unsafe memcpy(other.base, block.base, count) }
        block = other
    }
}
