import Glibc

/// Bytes of which more arrive. Every look at them is immutable and stays valid, whatever is appended later: what is there
/// is never moved or changed under a reader's eyes.
@safe package struct GrowingBytes {
    /// Memory that readers share with the writer, who only writes behind what they see. Small blocks are recycled: touching fresh
    /// pages takes longer than receiving what goes into them.
    @safe fileprivate final class Block: @unchecked Sendable {
        // Unchecked: bytes are written once, before they are handed out.
        private let pooled: PixelPool.Block?
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

        let base: UnsafeMutableRawPointer
        var capacity: Int { unsafe pooled?.capacity ?? reservation?.usable ?? 0 }
    }

    /// Memory behind the bytes that are there, to be filled without a lock.
    @safe package struct Room: Sendable {
        private let block: Block
        private let offset: Int
        package let count: Int

        fileprivate init(_ block: Block, offset: Int, count: Int) {
            self.block = block
            self.offset = offset
            self.count = count
        }

        package func fill(_ body: (UnsafeMutableRawBufferPointer) throws(ImageError) -> Int) throws(ImageError) -> Int {
            let room = unsafe UnsafeMutableRawBufferPointer(start: block.base + offset, count: count)
            return min(max(unsafe try body(room), 0), count)
        }
    }

    private static let smallestBlock = 4096
    /// An announced length costs the sender nothing.
    private static let mostAnnounced = 1 << 20
    #if SDIMAGE_SANITIZED
        // All blocks from the C allocator, whose bounds are watched.
        private static let reservedFrom = Int.max
    #else
        /// From here on memory is added where the bytes are: doubling would hold them twice.
        private static let reservedFrom = 1 << 20
    #endif
    /// Where there is no lower limit.
    private static let reservedBytes = 1 << 30
    /// What doubling may take in excess before it is given back.
    private static let mostSlack = 65536

    private var block: Block?
    package private(set) var count = 0
    /// More than this is refused with `tooLarge`.
    private let limit: Int
    private let name: String

    /// `name`: what is too large when it is.
    package init(limit: Int, name: String = "encoded size in bytes") {
        self.limit = limit
        self.name = name
    }

    /// A hint, believed up to 1 MiB only.
    package mutating func reserve(_ announced: Int) throws(ImageError) {
        try grow(to: min(max(announced, 0), limit, GrowingBytes.mostAnnounced))
    }

    package mutating func append(_ source: UnsafeRawBufferPointer) throws(ImageError) {
        guard let from = source.baseAddress, source.count > 0 else { return }
        try makeRoom(source.count, limit: limit)
        guard let block else { return }
        unsafe memcpy(block.base + count, from, source.count)
        count += source.count
    }

    /// Room for `count` bytes; nobody else appends until `commit`.
    package mutating func room(_ count: Int) throws(ImageError) -> Room? {
        // One byte more than allowed is read, to see that there is more.
        try makeRoom(max(count, 0), limit: limit < .max ? limit + 1 : limit)
        return block.map { Room($0, offset: self.count, count: max(count, 0)) }
    }

    /// So many bytes of the room were filled.
    package mutating func commit(_ filled: Int) throws(ImageError) {
        guard filled >= 0, filled <= (block?.capacity ?? 0) - count, count + filled <= limit else {
            throw .tooLarge(name, limit: limit)
        }
        count += filled
    }

    /// What has arrived so far, by reference.
    package var bytes: Bytes {
        guard let block, count > 0 else { return .empty }
        return unsafe Bytes(adopting: block.base, count: count) { withExtendedLifetime(block) {} }
    }

    /// All of them, by reference; what comes next starts anew.
    package mutating func finish() -> Bytes {
        if let reservation = block?.reservation, count > 0 {
            reservation.trim(to: count)
        } else if let capacity = block?.capacity, count > 0, capacity - count > max(GrowingBytes.mostSlack, count / 2) {
            // When it is refused the larger block does as well.
            try? move(to: count)
        }
        defer {
            block = nil
            count = 0
        }
        return bytes
    }

    private mutating func makeRoom(_ more: Int, limit: Int) throws(ImageError) {
        let (needed, overflow) = count.addingReportingOverflow(more)
        guard !overflow, needed <= limit else { throw .tooLarge(name, limit: self.limit) }
        let capacity = block?.capacity ?? 0
        guard needed > capacity else { return }
        if needed > GrowingBytes.reservedFrom, extend(to: needed, limit: limit) { return }
        let (twice, isTooMuch) = capacity.multipliedReportingOverflow(by: 2)
        try grow(to: max(needed, isTooMuch ? limit : min(twice, limit), GrowingBytes.smallestBlock))
    }

    /// Adds memory behind the bytes, or reserves address space for all that may come; false where that is refused.
    private mutating func extend(to needed: Int, limit: Int) -> Bool {
        if block?.reservation?.makeUsable(needed) == true { return true }
        let (twice, isTooMuch) = needed.multipliedReportingOverflow(by: 2)
        let size = min(limit, max(GrowingBytes.reservedBytes, isTooMuch ? needed : twice))
        guard let reservation = Reservation(size), reservation.makeUsable(needed) else { return false }
        move(to: Block(reservation))
        return true
    }

    private mutating func grow(to size: Int) throws(ImageError) {
        if size > block?.capacity ?? 0 { try move(to: size) }
    }

    private mutating func move(to size: Int) throws(ImageError) {
        move(to: try Block(size))
    }

    private mutating func move(to other: Block) {
        if let block { unsafe memcpy(other.base, block.base, count) }
        block = other
    }
}
