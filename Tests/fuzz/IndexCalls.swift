import SDImage

/// The calls of a disk cache, by number.
enum IndexCalls {
    /// Few keys, so that rows and calls coincide; some belong to a variant or have a file extension.
    static let keys: [[UInt8]] = [
        "a", "b", "https://example.org/c.png", "https://example.org/d.jpg\u{1F}Thumbnail({1,2},1)", "d-e.png", "", "f/../g.gif",
        "a\0",
    ].map { Array($0.utf8) }

    static func key(_ number: UInt8) -> CacheKey { CacheKey(keys[Int(number) % keys.count]) }

    static func make(_ kind: UInt8, _ argument: UInt8, on cache: DiskCache) throws(ImageError) {
        let key = key(argument)
        switch kind {
        case 0: try checkData(of: key, in: cache)
        case 1: _ = try cache.containsNow(key)
        case 2: _ = try cache.extendedDataNow(for: key)
        case 3: _ = try cache.named(key)
        case 4: try list(.stored, argument, of: cache)
        case 5: try list(.accessed, argument, of: cache)
        case 6: _ = try cache.totalsNow()
        case 7: _ = cache.statistics
        case 8: try cache.trimNow()
        case 9: try cache.trimNow(below: Int(argument) << 8)
        case 10: try cache.setExpiryNow(UInt64(argument) << 56, for: key)
        case 11: try cache.setExtendedDataNow(argument & 0x80 == 0 ? nil : .copying(keys[2]), for: key)
        case 12: try revalidate(key, in: cache)
        case 13: _ = try cache.unpinNow(cache.pathNow(for: key))
        case 14: try cache.removeNow(key)
        case 15: try cache.removeAllNow()
        case 16: try store(argument, on: cache)
        case 17: _ = try cache.verifyNow(repairs: false)
        case 18: _ = try cache.verifyNow(repairs: true)
        case 19: cache.setLimits(cache.limits)
        case 20: cache.enqueueStore(CachedData(bytes: try .copying(keys[2])), for: key)
        case 21: try cache.flushNow()
        default: cache.removeDamaged(key, write: CacheWrite(instance: 7, number: UInt64(argument)))
        }
    }

    /// Bytes that differ for each number.
    private static func bytes(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: 20) }

    static func store(_ number: UInt8, on cache: DiskCache) throws(ImageError) {
        try cache.storeNow(CachedData(bytes: .copying(bytes(number))), for: key(number))
    }

    static func isStored(_ number: UInt8, in cache: DiskCache) -> Bool {
        guard let found = (try? cache.dataNow(for: key(number)))??.bytes else { return false }
        return found.withUnsafeBytes { $0.elementsEqual(bytes(number)) }
    }

    private static func checkData(of key: CacheKey, in cache: DiskCache) throws(ImageError) {
        guard let data = try cache.dataNow(for: key) else { return }
        let again = try CachedData(bytes: data.bytes, metadata: .copying(data.metadata))
        expect(
            again.encodedRecord == data.encodedRecord && again.extendedData?.count == data.extendedData?.count,
            "an entry can be given to other caches")
    }

    /// Lists all entries. More pages than a database of this size can hold mean an endless list.
    private static func list(_ order: CacheQuery.Order, _ argument: UInt8, of cache: DiskCache) throws(ImageError) {
        var query = CacheQuery()
        query.order = order
        if argument & 1 != 0 { query.prefix = Array("https:".utf8) }
        if argument & 2 != 0 { query.accessedUntil = MonotonicClock.wall }
        if argument & 4 != 0 { query.lengths = 1...100 }
        var place: CachePosition? = .beginning
        var count = 0
        while let from = place {
            let page = try cache.entriesNow(query, from: from, limit: argument & 8 == 0 ? 3 : 1000)
            count += 1
            expect(count < 10_000, "a list ends")
            place = page.next
        }
    }

    private static func revalidate(_ key: CacheKey, in cache: DiskCache) throws(ImageError) {
        guard let old = try cache.dataNow(for: key)?.record else { return }
        var new = old
        new.cacheControl = Array("max-age=5".utf8)
        new.responseTime = MonotonicClock.wall
        try cache.updateRecordNow(key, from: old, to: new)
    }
}
