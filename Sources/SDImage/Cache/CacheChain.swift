/// Several caches that act as one; the last is the highest.
/// Made by the C interface. Members are caches of the library or of the host, other chains included.
package final class CacheChain: ImageCaching, MemoryCaching, DataCaching, LeaseGranting {
    /// Distribution of an operation over the members; the raw values are those of `sdimage_cache_chain_policy`.
    /// `serial`: one after the other, the highest first. `concurrent`: all at once. The others: one member alone.
    package enum Policy: Int32, Sendable {
        case serial = 0, concurrent, highestOnly, lowestOnly
    }

    /// Operation that a policy applies to; the raw values are those of `sdimage_cache_chain_operation`, where 0 is all of them.
    /// `query` covers look-ups in memory and on disk.
    package enum Operation: UInt32, Sendable, CaseIterable {
        case query = 1, store, remove, contains, clear
    }

    /// Guarded by `state`, which is not held while members run.
    private struct State {
        /// From the lowest to the highest.
        var members: [any ImageCaching] = []
        var policies: [Operation: Policy] = [
            .query: .serial, .store: .highestOnly, .remove: .concurrent, .contains: .serial, .clear: .concurrent,
        ]
        /// True if hits of lower members are stored in higher ones.
        var promotes = false
        /// Failure of a store that a flush left for the next one.
        var storeError: ImageError?
    }

    private let state = Lock(State())
    /// Serializes additions to all chains: two concurrent ones, each allowed by itself, could make a cycle.
    private static let additions = Lock(())
    /// Keeps the threads of the library, on which concurrent members run.
    private let lease: EngineLease

    package init() throws(ImageError) { lease = try Engine.acquire() }

    // MARK: Members

    /// The members, from the lowest to the highest.
    package var members: [any ImageCaching] { state.withLock { $0.members } }

    /// Adds a cache as the highest member; an existing member moves there. False for a cache that is or contains this chain:
    /// it is not added.
    @discardableResult package func add(_ cache: any ImageCaching) -> Bool {
        let (isAdded, released) = CacheChain.additions.withLock { _ -> (Bool, [any CachePart]) in
            let contents = CacheChain.contents(of: cache)
            if contents.contains(where: { $0 === self }) { return (false, contents) }
            let old: [any CachePart] = exchange { members in members.filter { $0 !== cache } + [cache] }
            return (true, contents + old)
        }
        // Outside the lock, because that may free a cache of the host.
        withExtendedLifetime(released) {}
        return isAdded
    }

    /// Removes a member; false when the cache is not a member.
    package func remove(_ cache: any ImageCaching) -> Bool {
        // The replaced list tells: only one of several concurrent calls finds the member in it.
        exchange { members in members.filter { $0 !== cache } }.contains { $0 === cache }
    }

    package func setPolicy(_ policy: Policy, for operation: Operation) {
        state.withLock { $0.policies[operation] = policy }
    }

    package func policy(of operation: Operation) -> Policy { state.withLock { $0.policies[operation] ?? .serial } }

    /// Enables storing entries found in a lower member in the members above it (docs/decisions.md, "Chains of caches").
    package func setPromotes(_ promotes: Bool) { state.withLock { $0.promotes = promotes } }

    package var promotes: Bool { state.withLock { $0.promotes } }

    /// A local cache above a shared one (docs/decisions.md, "Chains of caches"). Entries found in the shared cache are also
    /// stored in the local one, and every store goes to both.
    package static func tiered(_ local: any ImageCaching, _ shared: any ImageCaching) throws(ImageError) -> CacheChain {
        let chain = try CacheChain()
        chain.add(shared)
        chain.add(local)
        chain.setPromotes(true)
        chain.setPolicy(.concurrent, for: .store)
        return chain
    }

    /// A cache and all that it contains, directly or through its parts and members.
    private static func contents(of cache: any CachePart) -> [any CachePart] {
        var result: [any CachePart] = [cache]
        if let layered = cache as? LayeredCache {
            result += contents(of: layered.memoryPart)
            result += contents(of: layered.diskPart)
        }
        for member in (cache as? CacheChain)?.members ?? [] { result += contents(of: member) }
        return result
    }

    /// The identities of a cache and of all that it contains, for `PendingStores`.
    static func identities(of cache: any CachePart) -> [ObjectIdentifier] { contents(of: cache).map { ObjectIdentifier($0) } }

    /// Replaces the member list and returns the old one, to be released outside any lock: that may free a cache of the host.
    private func exchange(_ change: ([any ImageCaching]) -> [any ImageCaching]) -> [any ImageCaching] {
        state.withLock { state in
            let old = state.members
            state.members = change(old)
            return old
        }
    }

    /// The members that take part in an operation, highest first, and whether they run concurrently.
    private func parties(_ operation: Operation) -> (members: [any ImageCaching], isConcurrent: Bool) {
        let (members, policy) = state.withLock { ($0.members, $0.policies[operation] ?? .serial) }
        switch policy {
        case .serial: return (members.reversed(), false)
        case .concurrent: return (members.reversed(), true)
        case .highestOnly: return (members.suffix(1), false)
        case .lowestOnly: return (Array(members.prefix(1)), false)
        }
    }

    // MARK: Memory, immediate: one member after the other with any policy

    /// Hits of lower members are stored in higher ones, if the chain promotes.
    package func image(for key: UnsafeRawBufferPointer) -> Image? {
        let members = parties(.query).members
        for (index, member) in members.enumerated() {
            guard let image = unsafe member.memoryPart.image(for: key) else { continue }
            if index > 0, state.withLock({ $0.promotes }) {
                let key = unsafe CacheKey(Array(key))
                for higher in members[..<index] { higher.memoryPart.store(image, for: key) }
            }
            return image
        }
        return nil
    }

    package func peek(_ key: CacheKey) -> Image? {
        parties(.query).members.lazy.compactMap { $0.memoryPart.peek(key) }.first
    }

    package func store(_ image: Image, for key: CacheKey) {
        for member in parties(.store).members { member.memoryPart.store(image, for: key) }
    }

    // MARK: Disk

    /// The bytes of the first member that has the entry. A failing member counts as a miss, unless no member has the entry.
    /// `holder` of the result is the part that has the entry, so that damage is removed there.
    package func data(for key: CacheKey, options: FrozenOptions?) async throws(ImageError) -> CachedData? {
        let (members, isConcurrent) = parties(.query)
        let found = try await first(of: members, isConcurrent) { member throws(ImageError) -> CachedData? in
            guard var data = try await member.diskPart.data(for: key, options: options) else { return nil }
            data.holder = data.holder ?? member.diskPart
            return data
        }
        if let found { promote(found, key, above: members) }
        return found
    }

    /// Stores an entry found in a lower member in the members above it.
    /// Stores in the background; the caller does not wait.
    private func promote(_ found: CachedData, _ key: CacheKey, above members: [any ImageCaching]) {
        guard let holder = found.holder.map({ ObjectIdentifier($0) }), state.withLock({ $0.promotes }) else { return }
        // The holder may be a part of a member, such as a member of a chain.
        for higher in members.lazy.map(\.diskPart).prefix(while: { !CacheChain.identities(of: $0).contains(holder) }) {
            higher.enqueueStore(found.withoutWrite, for: key)
        }
    }

    /// True if any member may have an entry.
    package var mayHaveData: Bool { members.contains { $0.diskPart.mayHaveData } }

    package var leases: (any LeaseGranting)? { members.contains { $0.diskPart.leases != nil } ? self : nil }

    /// Asks the highest member that grants leases; an entry that it finds is promoted like any other hit.
    package func lease(_ key: CacheKey, newerThan date: UInt64, options: FrozenOptions?) async -> CacheLeasing {
        let members = parties(.query).members
        guard let disk = members.lazy.map(\.diskPart).first(where: { $0.leases != nil }), let leases = disk.leases else {
            return .unknown
        }
        let leasing = await leases.lease(key, newerThan: date, options: options)
        guard case .found(var data) = leasing else { return leasing }
        data.holder = data.holder ?? disk
        promote(data, key, above: members)
        return .found(data)
    }

    package func store(_ data: CachedData, for key: CacheKey) async throws(ImageError) {
        try await all(.store) { member throws(ImageError) in try await member.diskPart.store(data, for: key) }
    }

    package func enqueueStore(_ data: CachedData, for key: CacheKey) {
        for member in parties(.store).members { member.diskPart.enqueueStore(data, for: key) }
    }

    package func dropDamaged(_ data: CachedData, for key: CacheKey) { data.holder?.dropDamaged(data, for: key) }

    /// A failing member does not keep the others from committing. A timeout precedes other errors, because stores are under way;
    /// the failure of a store is left for the next flush. A closed member hides no such failure.
    package func flushNow(deadline: UInt64) throws(ImageError) {
        let (members, earlier) = state.withLock { state in
            defer { state.storeError = nil }
            return (state.members, state.storeError)
        }
        var errors = earlier.map { [$0] } ?? []
        for member in members {
            do throws(ImageError) { try member.diskPart.flushNow(deadline: deadline) } catch { errors.append(error) }
        }
        let failure = errors.first { $0.status != .timeout && $0.status != .shutdown }
        if let timeout = errors.first(where: { $0.status == .timeout }) {
            state.withLock { $0.storeError = $0.storeError ?? failure }
            throw timeout
        }
        if let error = failure ?? errors.first { throw error }
    }

    /// Updates every member, because any of them may have the entry.
    /// Errors stay inside the members.
    package func updateRecord(_ key: CacheKey, from old: ResponseRecord, to new: ResponseRecord) async {
        for member in members { await member.diskPart.updateRecord(key, from: old, to: new) }
    }

    package func remove(_ key: CacheKey, from layers: CacheLayers) async throws(ImageError) {
        try await all(.remove) { member throws(ImageError) in try await member.remove(key, from: layers) }
    }

    package func clear(_ layers: CacheLayers) async throws(ImageError) {
        try await all(.clear) { member throws(ImageError) in try await member.clear(layers) }
    }

    /// The layers of the first member that has the entry; of all members that have it if these are asked concurrently, because
    /// their order is then undefined. Throws only when no member has the entry.
    package func contains(_ key: CacheKey, in layers: CacheLayers) async throws(ImageError) -> CacheLayers {
        let (members, isConcurrent) = parties(.contains)
        guard isConcurrent else {
            let found = try await first(of: members, false) { member throws(ImageError) -> CacheLayers? in
                let found = try await member.contains(key, in: layers)
                return found.isEmpty ? nil : found
            }
            return found ?? []
        }
        let outcomes = await outcomes(of: members) { member async throws(ImageError) in
            try await member.contains(key, in: layers)
        }
        let found = outcomes.reduce(into: CacheLayers()) { found, outcome in
            if case .success(let layers) = outcome { found.formUnion(layers) }
        }
        if found.isEmpty { for case .failure(let error) in outcomes { throw error } }
        return found
    }

    // MARK: Queries to several members

    /// A query of one member; nil counts as a miss.
    private typealias Question<R> = @Sendable (any ImageCaching) async throws(ImageError) -> R?

    /// The first result that is not nil. Throws only when no member has a result.
    private func first<R: Sendable>(
        of members: [any ImageCaching], _ isConcurrent: Bool, _ query: @escaping Question<R>
    ) async throws(ImageError) -> R? {
        guard isConcurrent, members.count > 1 else {
            var failure: ImageError?
            for member in members {
                do throws(ImageError) { if let result = try await query(member) { return result } } catch {
                    // The load was cancelled, so no further member is queried.
                    if Task.isCancelled { throw .cancelled }
                    failure = failure ?? error
                }
            }
            if let failure { throw failure }
            return nil
        }
        let queries = members.map { member -> CacheRace<R>.Query in
            {
                do throws(ImageError) { return .success(try await query(member)) } catch { return .failure(error) }
            }
        }
        return try await CacheRace<R>().first(of: queries, lease: lease).get()
    }

    /// The outcomes of all members, which run concurrently.
    private func outcomes<R: Sendable>(
        of members: [any ImageCaching], _ body: @escaping @Sendable (any ImageCaching) async throws(ImageError) -> R
    ) async -> [Result<R, ImageError>] {
        await withTaskGroup(of: Result<R, ImageError>.self) { group in
            for member in members {
                group.addTask {
                    do throws(ImageError) { return .success(try await body(member)) } catch { return .failure(error) }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Runs an operation on all members that take part; throws an error of one of them after all have ended.
    /// A failing member does not keep the others from the operation.
    private func all(
        _ operation: Operation, _ body: @escaping @Sendable (any ImageCaching) async throws(ImageError) -> Void
    ) async throws(ImageError) {
        let (members, isConcurrent) = parties(operation)
        var failure: ImageError?
        if isConcurrent, members.count > 1 {
            for case .failure(let error) in await outcomes(of: members, body) { failure = failure ?? error }
        } else {
            for member in members {
                do throws(ImageError) { try await body(member) } catch { failure = failure ?? error }
            }
        }
        if let failure { throw failure }
    }
}
