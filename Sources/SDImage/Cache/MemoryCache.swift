import CSystem
import Synchronization

/// Decoded pictures by key, under strict limits of bytes and number.
///
/// The entries are spread over shards by hash, each with its own lock; the limits and the order of use hold over all of
/// them. Used from one thread the order is exactly that of the last use (spec MEM-3). In a forked child, whose locks may
/// be held by threads that stayed behind, it is empty and keeps nothing.
package final class MemoryCache: Sendable {
    private final class Shard: Sendable {
        let table = AdaptiveLock(MemoryTable())
        /// Copy of the table's `oldestOrder`, so that an eviction finds the right shard without locking all.
        let oldest = Atomic<UInt64>(.max)
    }

    private let shards: [Shard]
    /// How far a hash is shifted to leave the number of its shard.
    private let shift: UInt64
    private let bytes = Atomic<Int>(0)
    private let count = Atomic<Int>(0)
    private let evictions = Atomic<Int>(0)
    private let byteLimit: Atomic<Int>
    private let countLimit: Atomic<Int>
    private let weakImages = WeakImages()
    private let keepsWeakly: Atomic<Bool>

    /// 0 = unlimited.
    package init(byteLimit: Int = 0, countLimit: Int = 0, keepsWeakly: Bool = false) {
        // Some for each processor against waiting; not more, because an eviction looks at all.
        let bits: UInt64 = LibraryThread.availableProcessors <= 2 ? 4 : LibraryThread.availableProcessors <= 8 ? 5 : 6
        shards = (0..<(1 << bits)).map { _ in Shard() }
        shift = 64 - bits
        self.byteLimit = Atomic(byteLimit)
        self.countLimit = Atomic(countLimit)
        self.keepsWeakly = Atomic(keepsWeakly)
    }

    /// The picture of a key given as plain bytes, so that a caller need not make a `CacheKey` first.
    package func image(for key: UnsafeRawBufferPointer) -> Image? {
        if let image = unsafe image(CacheKey.hash(of: key), key) { return image }
        guard keepsWeakly.load(ordering: .relaxed) else { return nil }
        return revive(CacheKey(unsafe Array(key)))
    }

    package func image(for key: CacheKey) -> Image? {
        if let image = unsafe key.bytes.withUnsafeBytes({ unsafe image(key.hash, $0) }) { return image }
        return keepsWeakly.load(ordering: .relaxed) ? revive(key) : nil
    }

    /// Whether an entry exists; does not count as a use.
    package func contains(_ key: CacheKey) -> Bool {
        unsafe key.bytes.withUnsafeBytes { bytes in
            !Engine.isForked && shard(key.hash).table.withLock { unsafe $0.contains(key.hash, bytes) }
        }
    }

    /// Puts a picture in, at the cost of its pixels unless another is given. One larger than the limit is not kept.
    package func set(_ image: Image, for key: CacheKey, cost: Int? = nil) {
        guard !Engine.isForked else { return }
        if keepsWeakly.load(ordering: .relaxed) { weakImages.set(image, for: key) }
        let cost = max(0, cost ?? image.memoryCost)
        let limit = byteLimit.load(ordering: .relaxed)
        guard limit <= 0 || cost <= limit else { return removeStrong(key) }
        let replaced = unsafe key.bytes.withUnsafeBytes { unsafe insert(image, key.hash, $0, cost: cost) }
        withExtendedLifetime(replaced) {}
        enforceLimits()
    }

    package func remove(_ key: CacheKey) {
        guard !Engine.isForked else { return }
        weakImages.remove(key)
        removeStrong(key)
    }

    package func removeAll() {
        guard !Engine.isForked else { return }
        weakImages.removeAll()
        removeAllStrong()
    }

    /// The host is short of memory: nothing is kept alive any more, and what others hold is still found where weak
    /// references are kept (spec MEM-6).
    package func memoryPressure() { removeAllStrong() }

    /// Whether pictures that left are found again as long as somebody else holds them; takes effect at once.
    package func setKeepsWeakly(_ keeps: Bool) {
        keepsWeakly.store(keeps, ordering: .relaxed)
        if !keeps, !Engine.isForked { weakImages.removeAll() }
    }

    private func removeStrong(_ key: CacheKey) {
        let removed = unsafe key.bytes.withUnsafeBytes { bytes in
            change(shard(key.hash)) { unsafe $0.remove(key.hash, bytes) }
        }
        withExtendedLifetime(removed) {}
    }

    private func removeAllStrong() {
        guard !Engine.isForked else { return }
        for shard in shards {
            // No more than there are now: a destructor may put new ones in.
            for _ in 0..<shard.table.withLock({ $0.count }) {
                let removed = change(shard) { $0.removeOldest() }
                withExtendedLifetime(removed) {}
            }
        }
    }

    /// Puts a picture that somebody else kept alive back in.
    private func revive(_ key: CacheKey) -> Image? {
        guard !Engine.isForked, let image = weakImages.image(for: key) else { return nil }
        set(image, for: key)
        return image
    }

    /// New limits, enforced before this returns; 0 = unlimited.
    package func setLimits(bytes: Int, count: Int) {
        byteLimit.store(bytes, ordering: .relaxed)
        countLimit.store(count, ordering: .relaxed)
        enforceLimits()
    }

    package var statistics: MemoryCacheStatistics {
        var result = MemoryCacheStatistics()
        guard !Engine.isForked else { return result }
        for shard in shards {
            shard.table.withLock { table in
                result.hits &+= table.hits
                result.misses &+= table.misses
            }
        }
        result.evictions = evictions.load(ordering: .relaxed)
        result.bytes = bytes.load(ordering: .relaxed)
        result.count = count.load(ordering: .relaxed)
        return result
    }

    private func shard(_ hash: UInt64) -> Shard { shards[Int(truncatingIfNeeded: hash >> shift)] }

    private func image(_ hash: UInt64, _ key: UnsafeRawBufferPointer) -> Image? {
        guard !Engine.isForked else { return nil }
        let shard = shard(hash)
        return shard.table.withLock { table in
            let before = table.oldestOrder
            let image = unsafe table.find(hash, key, order: csys_order())
            if table.oldestOrder != before { shard.oldest.store(table.oldestOrder, ordering: .relaxed) }
            return image
        }
    }

    private func insert(_ image: Image, _ hash: UInt64, _ key: UnsafeRawBufferPointer, cost: Int) -> Image? {
        let shard = shard(hash)
        return shard.table.withLock { table in
            let (replaced, isKept) = unsafe table.insert(hash, key, image, cost: cost, order: csys_order())
            shard.oldest.store(table.oldestOrder, ordering: .relaxed)
            if isKept { account(bytes: cost &- (replaced?.cost ?? 0), count: replaced == nil ? 1 : 0) }
            return replaced?.image
        }
    }

    /// Runs a removal under the shard's lock and keeps the totals. The caller lets go of the picture.
    private func change(_ shard: Shard, _ body: (inout MemoryTable) -> MemoryTable.Removed?) -> Image? {
        guard !Engine.isForked else { return nil }
        return shard.table.withLock { table in
            guard let removed = body(&table) else { return nil }
            shard.oldest.store(table.oldestOrder, ordering: .relaxed)
            account(bytes: 0 &- removed.cost, count: -1)
            return removed.image
        }
    }

    /// Wrapping, because costs are the host's to choose.
    private func account(bytes delta: Int, count change: Int) {
        bytes.wrappingAdd(delta, ordering: .relaxed)
        if change != 0 { count.wrappingAdd(change, ordering: .relaxed) }
    }

    private var isOverLimit: Bool {
        let (byteLimit, countLimit) = (byteLimit.load(ordering: .relaxed), countLimit.load(ordering: .relaxed))
        if byteLimit > 0, bytes.load(ordering: .relaxed) > byteLimit { return true }
        return countLimit > 0 && count.load(ordering: .relaxed) > countLimit
    }

    /// Evicts the oldest of all shards until the limits hold. Every writer does this after its own insertion, so that
    /// no excess is left behind by racing writers.
    private func enforceLimits() {
        while isOverLimit, !Engine.isForked {
            var candidate: Shard?
            var oldest = UInt64.max
            for shard in shards {
                let order = shard.oldest.load(ordering: .relaxed)
                if order < oldest { (oldest, candidate) = (order, shard) }
            }
            guard let candidate else { return }
            let evicted = change(candidate) { table in
                // Used or removed meanwhile: look again.
                table.oldestOrder == oldest ? table.removeOldest() : nil
            }
            if evicted != nil { evictions.wrappingAdd(1, ordering: .relaxed) }
            withExtendedLifetime(evicted) {}
        }
    }
}

/// What a memory cache holds and how it was used.
package struct MemoryCacheStatistics: Sendable, Equatable {
    package var hits = 0
    package var misses = 0
    package var evictions = 0
    package var bytes = 0
    package var count = 0

    package init() {}
}
