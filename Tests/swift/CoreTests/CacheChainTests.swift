import SDImage
import TestSupport
import Testing

/// Two caches of one chain: `low` was added first.
private struct Pair {
    let low: ImageCache
    let high: ImageCache
    let chain: CacheChain
    private let fixtures = [CacheFixture(), CacheFixture()]

    init(_ operation: CacheChain.Operation = .query, _ policy: CacheChain.Policy = .serial) throws {
        low = try ImageCache(fixtures[0].configuration, store: CacheFixture.store)
        high = try ImageCache(fixtures[1].configuration, store: CacheFixture.store)
        chain = try CacheChain()
        chain.add(low)
        chain.add(high)
        chain.setPolicy(policy, for: operation)
    }

    /// The bytes that each cache holds, low first; nil for none.
    func held(_ key: CacheKey) async throws -> [[UInt8]?] {
        [array(try await low.data(for: key)?.bytes), array(try await high.data(for: key)?.bytes)]
    }
}

private let key = CacheKey("a")

private func data(_ seed: Int) throws -> CachedData { CachedData(bytes: try bytes(seed)) }

@Suite struct CacheChainTests {
    @Test func aChainWithoutMembersHoldsNothing() async throws {
        let chain = try CacheChain()
        chain.store(try picture(), for: key)
        try await chain.store(try data(1), for: key)
        #expect(chain.image(for: key) == nil)
        #expect(try await chain.data(for: key) == nil)
        #expect(try await chain.contains(key, in: .all) == [])
        try await chain.clear(.all)
    }

    @Test(arguments: [
        (CacheChain.Policy.highestOnly, [nil, 1]), (.lowestOnly, [1, nil]), (.serial, [1, 1]), (.concurrent, [1, 1]),
    ])
    func aStoreReachesThoseThatItsPolicyNames(policy: CacheChain.Policy, expected: [Int?]) async throws {
        let pair = try Pair(.store, policy)
        try await pair.chain.store(try data(1), for: key)
        let wanted = try expected.map { try $0.map { array(try bytes($0)) } ?? nil }
        #expect(try await pair.held(key) == wanted)
    }

    @Test func aSerialQueryEndsWithTheHighestThatHasIt() async throws {
        let pair = try Pair()
        try await pair.low.store(try data(1), for: key)
        #expect(array(try await pair.chain.data(for: key)?.bytes) == array(try bytes(1)))
        try await pair.high.store(try data(2), for: key)
        #expect(array(try await pair.chain.data(for: key)?.bytes) == array(try bytes(2)))
    }

    @Test(arguments: [CacheChain.Policy.serial, .concurrent])
    func aQueryFindsWhatOnlyOneHas(policy: CacheChain.Policy) async throws {
        let pair = try Pair(.query, policy)
        #expect(try await pair.chain.data(for: key) == nil)
        try await pair.high.store(try data(2), for: key)
        #expect(try await pair.chain.data(for: key) != nil)
        try await pair.high.remove(key, from: .all)
        try await pair.low.store(try data(1), for: key)
        #expect(try await pair.chain.data(for: key) != nil)
    }

    @Test func aQueryOfOneAsksNoOther() async throws {
        let pair = try Pair(.query, .highestOnly)
        try await pair.low.store(try data(1), for: key)
        pair.low.store(try picture(), for: key)
        #expect(try await pair.chain.data(for: key) == nil)
        #expect(pair.chain.image(for: key) == nil)
        pair.chain.setPolicy(.lowestOnly, for: .query)
        #expect(try await pair.chain.data(for: key) != nil)
        #expect(pair.chain.image(for: key) != nil)
    }

    /// The vectors of SDWebImage's tests: memory below, the same key on disk above.
    @Test(arguments: [(CacheChain.Policy.serial, [CacheLayers.disk]), (.concurrent, [.all])])
    func containsFollowsItsPolicy(policy: CacheChain.Policy, allowed: [CacheLayers]) async throws {
        let pair = try Pair(.contains, policy)
        pair.low.store(try picture(), for: key)
        try await pair.high.store(try data(1), for: key)
        #expect(allowed.contains(try await pair.chain.contains(key, in: .all)))
    }

    @Test func promotionCopiesUpwardsOnlyWhenAsked() async throws {
        let pair = try Pair()
        try await pair.low.store(try data(1), for: key)
        pair.low.store(try picture(), for: key)
        _ = try await pair.chain.data(for: key)
        _ = pair.chain.image(for: key)
        #expect(try await pair.held(key)[1] == nil)
        #expect(pair.high.image(for: key) == nil)
        pair.chain.setPromotes(true)
        _ = try await pair.chain.data(for: key)
        _ = pair.chain.image(for: key)
        #expect(try await pair.held(key)[1] == array(try bytes(1)))
        #expect(pair.high.image(for: key) != nil)
    }

    @Test(arguments: [CacheChain.Policy.serial, .concurrent])
    func removingAndClearingReachAll(policy: CacheChain.Policy) async throws {
        let pair = try Pair(.remove, policy)
        pair.chain.setPolicy(policy, for: .clear)
        for name in ["a", "b"] {
            for cache in [pair.low, pair.high] { try await cache.store(try data(1), for: CacheKey(name)) }
        }
        try await pair.chain.remove(key, from: .all)
        #expect(try await pair.held(key) == [nil, nil])
        try await pair.chain.clear(.disk)
        #expect(try await pair.held(CacheKey("b")) == [nil, nil])
    }

    @Test func aMemberThatFailsIsAMissAndHidesNoHit() async throws {
        let pair = try Pair()
        try await pair.low.store(try data(1), for: key)
        pair.high.close()
        #expect(try await pair.chain.data(for: key) != nil)
        pair.chain.setPolicy(.concurrent, for: .query)
        #expect(try await pair.chain.data(for: key) != nil)
        await #expect(throws: ImageError.self) { try await pair.chain.data(for: CacheKey("none")) }
    }

    @Test func damageIsDroppedWhereItWasFound() async throws {
        let pair = try Pair()
        for cache in [pair.low, pair.high] { try await cache.store(try data(1), for: key) }
        let found = try #require(try await pair.chain.data(for: key))
        pair.chain.dropDamaged(found, for: key)
        try await pair.high.disk?.settle()
        #expect(try await pair.held(key) == [array(try bytes(1)), nil])
    }

    @Test func aMemberAddedAgainBecomesTheHighest() async throws {
        let pair = try Pair()
        pair.chain.add(pair.low)
        try await pair.chain.store(try data(1), for: key)
        #expect(try await pair.held(key) == [array(try bytes(1)), nil])
        #expect(pair.chain.remove(pair.low))
        #expect(!pair.chain.remove(pair.low))
        #expect(pair.chain.members.count == 1)
    }
}
