/// Several caches that act as one; the last is the highest.
package final class CacheChain: ImageCaching {
    /// How the members share an operation; the numbers are those of `sdimage_cache_policy`.
    package enum Policy: Int32, Sendable {
        case serial = 0, concurrent, highestOnly, lowestOnly
    }

    /// What a policy is for; the numbers are those of `sdimage_cache_operation`.
    package enum Operation: Int32, Sendable, CaseIterable {
        case query = 0, store, remove, contains, clear
    }

    private struct State {
        var members: [any ImageCaching] = []
        var policies: [Operation: Policy] = [
            .query: .serial, .store: .highestOnly, .remove: .concurrent, .contains: .serial, .clear: .concurrent,
        ]
        var promotes = false
    }

    private let state = Lock(State())
    private let lease: EngineLease

    package init() throws(ImageError) { lease = try Engine.acquire() }

    // MARK: Members

    /// From the lowest to the highest.
    package var members: [any ImageCaching] { state.withLock { $0.members } }

    /// As the highest; one that is in already moves.
    package func add(_ cache: any ImageCaching) { replace { members in members.filter { $0 !== cache } + [cache] } }

    /// False when it was not there.
    package func remove(_ cache: any ImageCaching) -> Bool {
        guard members.contains(where: { $0 === cache }) else { return false }
        replace { members in members.filter { $0 !== cache } }
        return true
    }

    package func setPolicy(_ policy: Policy, for operation: Operation) {
        state.withLock { $0.policies[operation] = policy }
    }

    /// Whether what a lower member has found is stored in those above it (docs/decisions.md, "Chains of caches").
    package func setPromotes(_ promotes: Bool) { state.withLock { $0.promotes = promotes } }

    /// A local cache over one that is shared (docs/decisions.md, "Chains of caches"): what the lower one has is kept in the upper
    /// one, and both store.
    package static func tiered(_ local: any ImageCaching, _ shared: any ImageCaching) throws(ImageError) -> CacheChain {
        let chain = try CacheChain()
        chain.add(shared)
        chain.add(local)
        chain.setPromotes(true)
        chain.setPolicy(.concurrent, for: .store)
        return chain
    }

    /// Whether this is `other`, or holds it somewhere below.
    package func reaches(_ other: CacheChain) -> Bool {
        self === other || members.contains { CacheChain.reaches($0, other) }
    }

    /// Whether a cache is `chain`, or holds it somewhere below.
    package static func reaches(_ cache: any ImageCaching, _ chain: CacheChain) -> Bool {
        if let layered = cache as? LayeredCache { return layered.members.contains { reaches($0, chain) } }
        return (cache as? CacheChain)?.reaches(chain) == true
    }

    /// The old list is released outside the lock: with it a cache of the host may go.
    private func replace(_ change: ([any ImageCaching]) -> [any ImageCaching]) {
        let old = state.withLock { state in
            let old = state.members
            state.members = change(old)
            return old
        }
        withExtendedLifetime(old) {}
    }

    /// Who takes part in an operation, highest first, and whether at the same time.
    private func parties(_ operation: Operation) -> (members: [any ImageCaching], isConcurrent: Bool) {
        let (members, policy) = state.withLock { ($0.members, $0.policies[operation] ?? .serial) }
        switch policy {
        case .serial: return (members.reversed(), false)
        case .concurrent: return (members.reversed(), true)
        case .highestOnly: return (members.suffix(1), false)
        case .lowestOnly: return (Array(members.prefix(1)), false)
        }
    }

    // MARK: Memory, which answers at once: one after the other whatever the policy

    package func memoryImage(for key: UnsafeRawBufferPointer) -> Image? {
        let members = parties(.query).members
        for (place, member) in members.enumerated() {
            guard let image = unsafe member.memoryImage(for: key) else { continue }
            if place > 0, state.withLock({ $0.promotes }) {
                let key = unsafe CacheKey(Array(key))
                for higher in members[..<place] { higher.storeInMemory(image, for: key) }
            }
            return image
        }
        return nil
    }

    package func peek(_ key: CacheKey) -> Image? {
        parties(.query).members.lazy.compactMap { $0.peek(key) }.first
    }

    package func storeInMemory(_ image: Image, for key: CacheKey) {
        for member in parties(.store).members { member.storeInMemory(image, for: key) }
    }

    // MARK: Disk

    /// The bytes that the first member has; one that fails counts as one that has none, unless none has them.
    package func diskData(for key: CacheKey, options: FrozenOptions?) async throws(ImageError) -> CachedData? {
        let (members, isConcurrent) = parties(.query)
        let found = try await first(of: members, isConcurrent) { member throws(ImageError) -> CachedData? in
            guard var data = try await member.diskData(for: key, options: options) else { return nil }
            data.holder = data.holder ?? member
            return data
        }
        if let found { promote(found, key, above: members) }
        return found
    }

    /// Stores what a lower member had in those above it.
    private func promote(_ found: CachedData, _ key: CacheKey, above members: [any ImageCaching]) {
        guard let holder = found.holder, state.withLock({ $0.promotes }) else { return }
        for higher in members.prefix(while: { $0 !== holder }) { higher.enqueueDiskStore(found.withoutWrite, for: key) }
    }

    package var isShared: Bool { members.contains { $0.isShared } }

    package var grantsLeases: Bool { members.contains { $0.grantsLeases } }

    /// The highest member that knows of other processes is asked; what it finds goes the way of every other hit.
    package func lease(_ key: CacheKey, newerThan date: UInt64, options: FrozenOptions?) async -> CacheLeasing {
        let members = parties(.query).members
        guard let member = members.first(where: { $0.grantsLeases }) else { return .unknown }
        let leasing = await member.lease(key, newerThan: date, options: options)
        guard case .found(var data) = leasing else { return leasing }
        data.holder = data.holder ?? member
        promote(data, key, above: members)
        return .found(data)
    }

    package func storeOnDisk(_ data: CachedData, for key: CacheKey) async throws(ImageError) {
        try await all(.store) { member throws(ImageError) in try await member.storeOnDisk(data, for: key) }
    }

    package func enqueueDiskStore(_ data: CachedData, for key: CacheKey) {
        for member in parties(.store).members { member.enqueueDiskStore(data, for: key) }
    }

    package func dropDamaged(_ data: CachedData, for key: CacheKey) { data.holder?.dropDamaged(data, for: key) }

    /// In every member: whichever has the entry.
    package func renew(_ key: CacheKey, from old: ResponseRecord, to new: ResponseRecord) async {
        for member in members { await member.renew(key, from: old, to: new) }
    }

    package func remove(_ key: CacheKey, from layers: CacheLayers) async throws(ImageError) {
        try await all(.remove) { member throws(ImageError) in try await member.remove(key, from: layers) }
    }

    package func clear(_ layers: CacheLayers) async throws(ImageError) {
        try await all(.clear) { member throws(ImageError) in try await member.clear(layers) }
    }

    package func contains(_ key: CacheKey, in layers: CacheLayers) async throws(ImageError) -> CacheLayers {
        let (members, isConcurrent) = parties(.contains)
        let found = try await first(of: members, isConcurrent) { member throws(ImageError) -> CacheLayers? in
            let found = try await member.contains(key, in: layers)
            return found.isEmpty ? nil : found
        }
        return found ?? []
    }

    // MARK: Asking many

    private typealias Question<R> = @Sendable (any ImageCaching) async throws(ImageError) -> R?

    /// The first answer that is one; an error only where no member has an answer.
    private func first<R: Sendable>(
        of members: [any ImageCaching], _ isConcurrent: Bool, _ ask: @escaping Question<R>
    ) async throws(ImageError) -> R? {
        guard isConcurrent, members.count > 1 else {
            var failure: ImageError?
            for member in members {
                do throws(ImageError) { if let answer = try await ask(member) { return answer } } catch {
                    if error.status == .cancelled { throw error }
                    failure = failure ?? error
                }
            }
            if let failure { throw failure }
            return nil
        }
        let outcome: Result<R?, ImageError> = await withTaskGroup(of: Result<R?, ImageError>.self) { group in
            for member in members {
                group.addTask {
                    do throws(ImageError) { return .success(try await ask(member)) } catch { return .failure(error) }
                }
            }
            var outcome = Result<R?, ImageError>.success(nil)
            for await each in group {
                if case .success(.some) = each {
                    group.cancelAll()
                    return each
                }
                if case .failure = each { outcome = each }
            }
            return outcome
        }
        return try outcome.get()
    }

    /// Runs an operation on all that take part; throws what one of them threw once all have ended.
    private func all(
        _ operation: Operation, _ body: @escaping @Sendable (any ImageCaching) async throws(ImageError) -> Void
    ) async throws(ImageError) {
        let (members, isConcurrent) = parties(operation)
        var failure: ImageError?
        if isConcurrent, members.count > 1 {
            failure = await withTaskGroup(of: ImageError?.self) { group in
                for member in members {
                    group.addTask {
                        do throws(ImageError) { try await body(member) } catch { return error }; return nil
                    }
                }
                return await group.reduce(nil) { $0 ?? $1 }
            }
        } else {
            for member in members {
                do throws(ImageError) { try await body(member) } catch { failure = failure ?? error }
            }
        }
        if let failure { throw failure }
    }
}
