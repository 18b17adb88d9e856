import Glibc
import SDImage
import Synchronization
import Testing

/// Key sequences typical of programs that load images, and the hit rates of a cache.
private struct Trace {
    let keys: [Int]

    private static let items = 5000
    private static let length = 40_000

    /// Requests key n with a probability proportional to 1/n^0.9.
    static var skewed: Trace {
        var source = Source()
        return Trace(keys: (0..<length).map { _ in source.popular() })
    }

    /// The same with long runs of keys in between that occur only once.
    static var scanned: Trace {
        var source = Source()
        var keys: [Int] = []
        while keys.count < length {
            for _ in 0..<1000 { keys.append(source.popular()) }
            for _ in 0..<500 { keys.append(source.new()) }
        }
        return Trace(keys: keys)
    }

    /// Scrolling in a list: some old keys, some near the newest, some new.
    static var scrolled: Trace {
        var source = Source()
        let keys = (0..<length).map { _ -> Int in
            let kind = source.fraction()
            if kind < 0.55 { return source.popular() }
            return kind < 0.85 ? source.recent() : source.new()
        }
        return Trace(keys: keys)
    }

    private struct Source {
        private var state: UInt64 = 5
        private var newest = Trace.items
        private let sums: [Double]

        init() {
            var sum = 0.0
            sums = (1...Trace.items).map { rank in
                sum += pow(Double(rank), -0.9)
                return sum
            }
        }

        mutating func fraction() -> Double {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Double(state >> 11) * 0x1p-53
        }

        mutating func popular() -> Int {
            let wanted = fraction() * (sums.last ?? 0)
            var (low, high) = (0, sums.count - 1)
            while low < high {
                let middle = (low + high) / 2
                if sums[middle] < wanted { low = middle + 1 } else { high = middle }
            }
            return low
        }

        mutating func recent() -> Int { newest - min(Int(-60 * log(1 - fraction())), 2000) }

        mutating func new() -> Int {
            newest += 1
            return newest
        }
    }

    /// The hit rate of a cache limited to `capacity` images, or to `capacity` bytes if each key has its own cost.
    func hitRate(_ eviction: EvictionPolicy, capacity: Int, cost: (Int) -> Int? = { _ in nil }) throws -> Double {
        let isCounted = cost(0) == nil
        let cache = MemoryCache(byteLimit: isCounted ? 0 : capacity, countLimit: isCounted ? capacity : 0, eviction: eviction)
        let shared = try picture()
        for number in keys {
            let key = CacheKey("\(number)")
            if cache.image(for: key) == nil { cache.set(shared, for: key, cost: cost(number)) }
        }
        return Double(cache.statistics.hits) / Double(keys.count)
    }

    /// The hit rate of S3-FIFO with a tenth for the small queue, from a simple model.
    func hitRateOfFixedShare(capacity: Int) -> Double {
        var (small, main, ghosts): ([Int], [Int], [Int]) = ([], [], [])
        var uses: [Int: Int] = [:]
        var hits = 0
        for key in keys {
            if let used = uses[key] {
                uses[key] = min(3, used + 1)
                hits += 1
                continue
            }
            while small.count + main.count >= capacity {
                let isSmall = small.count > capacity / 10 || main.isEmpty
                let oldest = isSmall ? small.removeFirst() : main.removeFirst()
                let used = uses[oldest] ?? 0
                if used > (isSmall ? 1 : 0) {
                    main.append(oldest)
                    uses[oldest] = isSmall ? 0 : used - 1
                } else {
                    uses[oldest] = nil
                    if isSmall { ghosts.append(oldest) }
                    if ghosts.count > capacity { ghosts.removeFirst() }
                }
            }
            uses[key] = 0
            if let ghost = ghosts.firstIndex(of: key) {
                ghosts.remove(at: ghost)
                main.append(key)
            } else {
                small.append(key)
            }
        }
        return Double(hits) / Double(keys.count)
    }
}

@Suite struct MemoryCacheEvictionTests {
    @Test func scansDisplaceLittleOfWhatIsPopular() throws {
        let trace = Trace.scanned
        #expect(try trace.hitRate(.adaptive, capacity: 300) > trace.hitRate(.leastRecentlyUsed, capacity: 300) + 0.08)
    }

    @Test func whatIsPopularStaysInASkewedTrace() throws {
        let trace = Trace.skewed
        #expect(try trace.hitRate(.adaptive, capacity: 300) > trace.hitRate(.leastRecentlyUsed, capacity: 300) + 0.06)
    }

    /// Keys that occur in one burst need a larger share for new entries: a small fixed share loses to plain LRU here.
    @Test func theShareOfTheNewFollowsTheTraffic() throws {
        let trace = Trace.scrolled
        let adaptive = try trace.hitRate(.adaptive, capacity: 500)
        #expect(try adaptive > trace.hitRate(.leastRecentlyUsed, capacity: 500) - 0.005)
        #expect(adaptive > trace.hitRateOfFixedShare(capacity: 500) + 0.01)
    }

    @Test func noTraceIsServedWorseThanByAFixedShare() throws {
        for trace in [Trace.skewed, .scanned, .scrolled] {
            #expect(try trace.hitRate(.adaptive, capacity: 200) > trace.hitRateOfFixedShare(capacity: 200) - 0.005)
        }
    }

    @Test func sharesAreThoseOfBytesWhereBytesAreLimited() throws {
        let trace = Trace.scanned
        let cost: (Int) -> Int? = { 1000 + $0 * 7919 % 2000 }
        let adaptive = try trace.hitRate(.adaptive, capacity: 600_000, cost: cost)
        #expect(try adaptive > trace.hitRate(.leastRecentlyUsed, capacity: 600_000, cost: cost) + 0.08)
    }

    /// Compared with a list that is searched from its end.
    @Test func leastRecentlyUsedIsExact() throws {
        let cache = MemoryCache(byteLimit: 1000, eviction: .leastRecentlyUsed)
        var model: [(key: Int, cost: Int)] = []
        var random: UInt64 = 9
        for step in 0..<20_000 {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let key = Int(random >> 40) % 60
            let index = model.firstIndex { $0.key == key }
            switch (random >> 20) % 8 {
            case 0:
                cache.remove(CacheKey("\(key)"))
                if let index { model.remove(at: index) }
            case 1...4:
                #expect((cache.image(for: CacheKey("\(key)")) != nil) == (index != nil), "step \(step)")
                if let index { model.append(model.remove(at: index)) }
            default:
                let cost = Int(random >> 50) % 100
                cache.set(try picture(), for: CacheKey("\(key)"), cost: cost)
                if let index { model.remove(at: index) }
                model.append((key, cost))
                while model.reduce(0, { $0 + $1.cost }) > 1000 { model.removeFirst() }
            }
        }
        #expect(cache.statistics.count == model.count)
        for entry in model { #expect(cache.contains(CacheKey("\(entry.key)"))) }
    }

    @Test func missesOfWhatJustLeftAreCounted() throws {
        let cache = MemoryCache(countLimit: 100)
        for index in 0..<110 { cache.set(try picture(), for: CacheKey("\(index)")) }
        #expect(cache.statistics.evictions == 10 && cache.statistics.ghostHits == 0)
        cache.set(try picture(), for: CacheKey("0"))
        #expect(cache.statistics.ghostHits == 1)
    }

    @Test(arguments: [EvictionPolicy.adaptive, .leastRecentlyUsed])
    func noLimitIsExceededAtAnyMomentByRacingWriters(eviction: EvictionPolicy) throws {
        let cache = MemoryCache(byteLimit: 5000, countLimit: 40, eviction: eviction)
        let shared = try picture()
        let running = Atomic<Int>(3)
        let excess = Atomic<Int>(0)
        let threads = try (0..<3).map { thread in
            try LibraryThread.start("writer") {
                for step in 0..<15_000 {
                    let number = (step &* 7919 &+ thread &* 131) % 300
                    cache.set(shared, for: CacheKey("\(number)"), cost: step &* 31 % 900)
                    if step % 7 == 0 { cache.remove(CacheKey("\(number / 2)")) }
                    if step % 500 == 0 { cache.setLimits(bytes: 5000 - step % 1000, count: 40) }
                }
                running.subtract(1, ordering: .relaxed)
            }
        }
        while running.load(ordering: .relaxed) > 0 {
            let statistics = cache.statistics
            if statistics.bytes > 5000 || statistics.count > 40 { excess.add(1, ordering: .relaxed) }
        }
        for thread in threads { pthread_join(thread, nil) }
        #expect(excess.load(ordering: .relaxed) == 0)
        cache.removeAll()
        #expect(cache.statistics.count == 0 && cache.statistics.bytes == 0)
    }

    /// Continuous look-ups must not prevent a store from finding an entry to evict.
    @Test func storesEndWhileEveryPictureIsInUse() throws {
        let cache = MemoryCache(countLimit: 2)
        for name in ["a", "b"] { cache.set(try picture(), for: CacheKey(name)) }
        let isDone = Atomic<Bool>(false)
        let threads = try (0..<2).map { _ in
            try LibraryThread.start("reader") {
                while !isDone.load(ordering: .relaxed) { for name in ["a", "b", "c"] { _ = cache.image(for: CacheKey(name)) } }
            }
        }
        for round in 0..<2000 { cache.set(try picture(), for: CacheKey(["a", "b", "c"][round % 3]), cost: round) }
        isDone.store(true, ordering: .relaxed)
        for thread in threads { pthread_join(thread, nil) }
        #expect(cache.statistics.count == 2)
    }
}
