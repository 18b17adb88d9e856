import SDImage

/// A page of a list as seen from C: its keys lie in one piece of memory, each followed by a NUL. Immutable; the keys are lent as
/// long as it lives.
package final class CachePageObject: Sendable, HandleObject {
    @inlinable package static var forkRule: ForkRule { .usable }

    package let page: CachePage
    /// Slices of that memory, without the NULs.
    private let keys: [Bytes]

    /// The page after `after`; the first page for nil, and an empty page after the last.
    package static func page(of disk: DiskCache, _ query: CacheQuery, after: CachePageObject?, limit: Int) throws(ImageError)
        -> CachePageObject
    {
        guard let after else { return try CachePageObject(try disk.entriesNow(query, limit: limit)) }
        guard let next = after.page.next else { return try CachePageObject(CachePage()) }
        return try CachePageObject(try disk.entriesNow(query, from: next, limit: limit))
    }

    private init(_ page: CachePage) throws(ImageError) {
        self.page = page
        // One allocation for all keys, instead of one for each.
        let all = try Bytes.copying(Array(page.entries.map { $0.key.bytes + [0] }.joined()))
        var keys: [Bytes] = []
        var start = 0
        for entry in page.entries {
            let end = start + entry.key.bytes.count
            guard let key = all.slice(start..<end) else { break }
            keys.append(key)
            start = end + 1
        }
        self.keys = keys
    }

    /// The entry and its key; nil beyond the last.
    package func entry(_ index: Int) -> CacheEntry? { page.entries.indices.contains(index) ? page.entries[index] : nil }

    package func key(_ index: Int) -> Bytes? { keys.indices.contains(index) ? keys[index] : nil }
}
