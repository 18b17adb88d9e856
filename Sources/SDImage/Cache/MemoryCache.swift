import CSystem
import Synchronization

/// Decoded images by key, under strict limits of bytes and count.
///
/// A look-up takes the lock of one shard of the table and counts a use. A change of the set of entries also takes the lock of
/// the eviction order, always first; under it the limits hold at every moment, for any concurrent calls. In a forked child,
/// whose locks may be held by threads of the parent, the cache is empty and stores nothing.
package final class MemoryCache: Sendable {
    /// Guarded by the lock, like the order.
    private struct State {
        let order: any EvictionOrder
        /// Costs of all entries.
        var bytes = 0
        var count = 0
        var evictions = 0
        var byteLimit = 0
        var countLimit = 0

        /// True if the limits leave no room. `more` never exceeds the byte limit, so the difference is not negative.
        func lacksRoom(bytes more: Int, count another: Int) -> Bool {
            if byteLimit > 0, bytes > byteLimit - more { return true }
            return countLimit > 0 && count > countLimit - another
        }
    }

    /// Entries and images removed by one change, to be freed after all locks are released.
    @safe private struct Removed: @unchecked Sendable {
        // Unchecked: these entries are unreachable for other threads.
        /// Removed entries, linked by `older`.
        var chain: MemoryEntry.Pointer?
        var replaced: Image?

        init() { unsafe chain = nil }

        mutating func add(_ entry: MemoryEntry.Pointer) {
            unsafe entry.pointee.older = chain
            unsafe chain = entry
        }
    }

    /// The table in parts; see `MemoryShards`.
    private let shards = MemoryShards()
    /// Key of the hash function of this process: an attacker may choose the URLs.
    private let secret = CacheKey.secret
    /// True when uses are recorded with their time.
    private let notesTimes: Bool
    private let state: Lock<State>
    /// Images that were stored, as long as other code holds them.
    private let weakImages = WeakImages()
    private let keepsWeakly: Atomic<Bool>

    /// Creates a cache. Limits of 0 mean unlimited.
    package init(byteLimit: Int = 0, countLimit: Int = 0, keepsWeakly: Bool = false, eviction: EvictionPolicy = .adaptive) {
        notesTimes = eviction == .leastRecentlyUsed
        let order: any EvictionOrder = eviction == .adaptive ? AdaptiveOrder() : LeastRecentlyUsedOrder()
        order.setLimits(bytes: byteLimit, count: countLimit)
        state = Lock(State(order: order, byteLimit: byteLimit, countLimit: countLimit))
        self.keepsWeakly = Atomic(keepsWeakly)
    }

    // No other reference exists, so no lock is needed for the shards.
    deinit { unsafe MemoryEntry.free(chain: state.withLock { unsafe $0.order.removeAll() }) }

    // MARK: Look-ups

    /// The image of a key given as plain bytes, which avoids creating a `CacheKey`.
    /// `key` is read during the call only.
    package func image(for key: UnsafeRawBufferPointer) -> Image? {
        if let image = unsafe find(CacheKey.hash(of: key, secret: secret), key) { return image }
        guard keepsWeakly.load(ordering: .relaxed) else { return nil }
        return revive(CacheKey(unsafe Array(key)))
    }

    package func image(for key: CacheKey) -> Image? {
        if let image = unsafe key.bytes.withUnsafeBytes({ unsafe find(key.hash, $0) }) { return image }
        return keepsWeakly.load(ordering: .relaxed) ? revive(key) : nil
    }

    /// The image of an entry, without counting as a use.
    package func peek(_ key: CacheKey) -> Image? {
        guard !Engine.isForked else { return nil }
        let image = unsafe shards[key.hash].withLock {
            unsafe slot(key, in: $0)?.pointee.entry?.pointee.image.takeUnretainedValue()
        }
        return image ?? (keepsWeakly.load(ordering: .relaxed) ? weakImages.image(for: key) : nil)
    }

    /// True when an entry exists; does not count as a use.
    /// Evicted images that are still held do not count.
    package func contains(_ key: CacheKey) -> Bool {
        guard !Engine.isForked else { return false }
        return unsafe shards[key.hash].withLock { unsafe slot(key, in: $0) != nil }
    }

    /// Looks up and counts a hit or a miss. In the path of every redraw, so it is inlined.
    @inline(__always)
    private func find(_ hash: UInt64, _ key: UnsafeRawBufferPointer) -> Image? {
        guard !Engine.isForked else { return nil }
        let shard = unsafe shards[hash]
        // Memory of the table is fetched while the lock is taken.
        unsafe shard.prefetch(hash)
        return unsafe shard.withLock { shard in
            guard let entry = unsafe shard.pointee.table.find(hash, key)?.pointee.entry else {
                unsafe shard.pointee.misses &+= 1
                return nil
            }
            unsafe shard.pointee.hits &+= 1
            unsafe noteUse(entry)
            return unsafe entry.pointee.image.takeUnretainedValue()
        }
    }

    /// Counts a use; called under the lock of the shard.
    @inline(__always)
    private func noteUse(_ entry: MemoryEntry.Pointer) {
        if notesTimes { return unsafe entry.pointee.lastUse.store(csys_order(), ordering: .relaxed) }
        // Written only while it increases, so that the cache line of a popular entry stays shared between the processors that
        // read it.
        let uses = unsafe entry.pointee.uses.load(ordering: .relaxed)
        if unsafe uses < MemoryEntry.mostUses { unsafe entry.pointee.uses.store(uses + 1, ordering: .relaxed) }
    }

    /// The slot of a key; nil without an entry. Called under the lock of the shard.
    private func slot(
        _ key: CacheKey, in shard: UnsafeMutablePointer<MemoryShard.Contents>
    ) -> UnsafeMutablePointer<MemoryTable.Slot>? {
        unsafe key.bytes.withUnsafeBytes { unsafe shard.pointee.table.find(key.hash, $0) }
    }

    // MARK: Changes

    /// Bytes of a key that do not count. Nearly all keys are shorter.
    private static let freeKeyBytes = 4096

    /// The cost of an entry: that of its image, and its key if that is long. The key of a `data:` URL is as large as its content.
    private static func cost(_ image: Int, _ key: CacheKey) -> Int {
        max(0, image).addingSaturated(max(0, key.bytes.count - freeKeyBytes))
    }

    /// Stores an image, at the cost of its pixels unless `cost` is given. An image larger than the byte limit is not stored.
    /// Images that no longer fit are evicted, and freed after all locks are released.
    package func set(_ image: Image, for key: CacheKey, cost: Int? = nil) {
        guard !Engine.isForked else { return }
        if keepsWeakly.load(ordering: .relaxed) { weakImages.set(image, for: key) }
        let cost = MemoryCache.cost(cost ?? image.memoryCost, key)
        // Most stores of a key have the same cost; then the lock of the order is not needed.
        if let replaced = replace(image, for: key, cost: cost) { return withExtendedLifetime(replaced) {} }
        changing { state, removed in
            // The former image is removed, too: it is no longer the one of the key.
            if state.byteLimit > 0, cost > state.byteLimit { return remove(key, &state, &removed) }
            if let entry = unsafe entry(of: key) {
                unsafe update(entry, image, key, cost, &state, &removed)
            } else {
                insert(image, key, cost, &state, &removed)
            }
        }
    }

    package func remove(_ key: CacheKey) {
        guard !Engine.isForked else { return }
        weakImages.remove(key)
        changing { remove(key, &$0, &$1) }
    }

    package func removeAll() {
        guard !Engine.isForked else { return }
        // Weak references are forgotten, too: the images were removed, not evicted.
        weakImages.removeAll()
        memoryPressure()
    }

    /// Releases all images because the host is short of memory. Images held by other code are still found if weak references
    /// are enabled.
    package func memoryPressure() {
        guard !Engine.isForked else { return }
        changing { state, removed in
            // The table forgets its entries first; the order then returns all of them.
            for index in 0..<MemoryShards.count {
                unsafe shards[index].removeAll()
            }
            unsafe removed.chain = state.order.removeAll()
            (state.bytes, state.count) = (0, 0)
        }
    }

    /// Sets new limits, enforced before this returns; 0 = unlimited.
    package func setLimits(bytes: Int, count: Int) {
        guard !Engine.isForked else { return }
        changing { state, removed in
            (state.byteLimit, state.countLimit) = (bytes, count)
            state.order.setLimits(bytes: bytes, count: count)
            makeRoom(bytes: 0, count: 0, &state, &removed)
        }
    }

    /// The limits in force; 0 = unlimited.
    package var limits: (bytes: Int, count: Int) {
        Engine.isForked ? (0, 0) : state.withLock { ($0.byteLimit, $0.countLimit) }
    }

    /// True if evicted images are found while other code holds them.
    package var keepsEvictedImages: Bool { keepsWeakly.load(ordering: .relaxed) }

    /// Sets whether evicted images are found while other code holds them. False takes effect at once, true for images stored later.
    package func setKeepsWeakly(_ keeps: Bool) {
        keepsWeakly.store(keeps, ordering: .relaxed)
        if !keeps, !Engine.isForked { weakImages.removeAll() }
    }

    /// Numbers of different shards are read at different moments.
    package var statistics: MemoryCacheStatistics {
        var result = MemoryCacheStatistics()
        guard !Engine.isForked else { return result }
        for index in 0..<MemoryShards.count {
            let (hits, misses) = unsafe shards[index].withLock { unsafe ($0.pointee.hits, $0.pointee.misses) }
            result.hits &+= hits
            result.misses &+= misses
        }
        state.withLock { state in
            result.evictions = state.evictions
            result.ghostHits = state.order.ghostHits
            result.bytes = state.bytes
            result.count = state.count
        }
        return result
    }

    /// Stores an image again that other code kept alive, unless its entry was set or removed meanwhile.
    private func revive(_ key: CacheKey) -> Image? {
        guard !Engine.isForked, let image = weakImages.image(for: key) else { return nil }
        let cost = MemoryCache.cost(image.memoryCost, key)
        // Released outside the lock.
        var current: Image?
        changing { state, removed in
            // An image that another thread has set or removed meanwhile takes precedence.
            current = weakImages.image(for: key)
            guard current === image, unsafe entry(of: key) == nil, state.byteLimit == 0 || cost <= state.byteLimit else { return }
            insert(image, key, cost, &state, &removed)
        }
        withExtendedLifetime(current) {}
        return image
    }

    // MARK: Under the lock of the eviction order

    /// Changes the set of entries. Frees removed entries after the lock, because their destructors may call this cache.
    /// Calls `body` under the lock of the order.
    private func changing(_ body: (inout State, inout Removed) -> Void) {
        let removed = state.withLock { state in
            var removed = Removed()
            body(&state, &removed)
            return removed
        }
        unsafe MemoryEntry.free(chain: removed.chain)
    }

    /// Replaces the image of an entry of exactly this cost, which leaves the limits unaffected. Returns the old image; nil
    /// when there is no such entry.
    private func replace(_ image: Image, for key: CacheKey, cost: Int) -> Image? {
        // The lock of the shard suffices: neither the set of entries nor their costs change.
        unsafe shards[key.hash].withLock { shard in
            guard let slot = unsafe slot(key, in: shard), let entry = unsafe slot.pointee.entry, unsafe entry.pointee.cost == cost
            else { return nil }
            unsafe noteUse(entry)
            return unsafe slot.pointee.exchange(image)
        }
    }

    /// The entry of a key, which stays valid under the lock of the order.
    private func entry(of key: CacheKey) -> MemoryEntry.Pointer? {
        unsafe shards[key.hash].withLock { unsafe slot(key, in: $0)?.pointee.entry }
    }

    /// Called under the lock of the order. Without memory the image is not stored.
    private func insert(_ image: Image, _ key: CacheKey, _ cost: Int, _ state: inout State, _ removed: inout Removed) {
        makeRoom(bytes: cost, count: 1, &state, &removed)
        let made = unsafe key.bytes.withUnsafeBytes { unsafe MemoryEntry.make(hash: key.hash, key: $0, image: image, cost: cost) }
        guard let entry = unsafe made else { return }
        if notesTimes { unsafe noteUse(entry) }
        guard unsafe shards[key.hash].insert(entry) else {
            return unsafe removed.add(entry)
        }
        unsafe state.order.insert(entry)
        state.bytes &+= cost
        state.count += 1
    }

    /// Replaces image and cost of an entry. The entry itself is not evicted to make room for it.
    /// Called under the lock of the order.
    private func update(
        _ entry: MemoryEntry.Pointer, _ image: Image, _ key: CacheKey, _ cost: Int, _ state: inout State, _ removed: inout Removed
    ) {
        unsafe state.order.remove(entry)
        unsafe state.bytes &-= entry.pointee.cost
        makeRoom(bytes: cost, count: 0, &state, &removed)
        // Look-ups of other threads see either image.
        unsafe removed.replaced = shards[key.hash].withLock { shard in
            unsafe entry.pointee.cost = cost
            unsafe noteUse(entry)
            return unsafe slot(key, in: shard)?.pointee.exchange(image)
        }
        unsafe state.order.insert(entry)
        state.bytes &+= cost
    }

    /// Does nothing without an entry.
    private func remove(_ key: CacheKey, _ state: inout State, _ removed: inout Removed) {
        guard let entry = unsafe entry(of: key) else { return }
        unsafe state.order.remove(entry)
        unsafe takeOut(entry, &state, &removed)
    }

    /// Evicts until `bytes` and `count` more fit. The host chooses the costs, so nothing here may overflow.
    private func makeRoom(bytes: Int, count: Int, _ state: inout State, _ removed: inout Removed) {
        while state.lacksRoom(bytes: bytes, count: count), let entry = unsafe state.order.popNext() {
            unsafe takeOut(entry, &state, &removed)
            state.evictions &+= 1
        }
    }

    /// Removes an entry from the table after its removal from the eviction order.
    private func takeOut(_ entry: MemoryEntry.Pointer, _ state: inout State, _ removed: inout Removed) {
        unsafe shards[entry.pointee.hash].withLock { unsafe $0.pointee.table.remove(entry) }
        unsafe state.bytes &-= entry.pointee.cost
        state.count -= 1
        unsafe removed.add(entry)
    }
}

/// Contents and usage of a memory cache.
/// Numbers since the cache was made, except for `bytes` and `count`.
package struct MemoryCacheStatistics: Sendable, Equatable {
    /// Look-ups that found an image.
    package var hits = 0
    package var misses = 0
    /// Images removed because of a limit.
    package var evictions = 0
    /// Misses of recently evicted images.
    package var ghostHits = 0
    /// Costs of all images now.
    package var bytes = 0
    package var count = 0

    package init() {}
}
