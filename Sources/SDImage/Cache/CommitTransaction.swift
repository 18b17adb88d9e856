/// One transaction of pending changes: large entries become files first, then all rows change in one step (docs/decisions.md,
/// "The row is the commit").
/// Made for each batch by `CommitQueue.commit`.
struct CommitTransaction {
    private let site: CacheSite
    private let clock: CacheClock
    private let inlineEntryLimit: Int
    /// One change for each key, in the order of the last ones.
    private var changes: [CacheChange] = []
    /// Files to be removed if the transaction fails.
    private var written: [CacheFileName] = []

    init(in site: CacheSite, clock: CacheClock, inlineEntryLimit: Int) {
        self.site = site
        self.clock = clock
        self.inlineEntryLimit = inlineEntryLimit
    }

    /// Commits stores and removals; returns the result of each.
    /// Throws if the transaction fails as a whole; then no file of it is left.
    mutating func commit(_ batch: [PendingChanges.Operation]) throws(ImageError) -> [Result<Void, ImageError>] {
        var results: [Result<Void, ImageError>] = batch.map { _ in .success(()) }
        let last = CommitTransaction.lastChanges(batch)
        for (index, operation) in batch.enumerated() {
            // Other changes are superseded by a later one of the same transaction, and share its result.
            if let key = operation.change.key, last[key] == index { add(batch[...index], of: key, &results) }
        }
        // Must follow the files, to which the rows refer.
        do throws(ImageError) { try site.apply(changes) } catch {
            for name in written { site.folder.remove(name) }
            throw error
        }
        return results
    }

    /// Adds the last change of a key, or the one before it if its file cannot be written.
    /// A failed change has a result of its own; the others of its key share that of the transaction.
    private mutating func add(
        _ batch: ArraySlice<PendingChanges.Operation>, of key: CacheKey, _ results: inout [Result<Void, ImageError>]
    ) {
        for index in batch.indices.reversed() where batch[index].change.key == key {
            guard case .store(_, let data) = batch[index].change else { return changes.append(.remove(key, write: nil)) }
            do throws(ImageError) { return changes.append(.put(try row(key, data))) } catch { results[index] = .failure(error) }
        }
    }

    /// Position of the last change of each key.
    private static func lastChanges(_ batch: [PendingChanges.Operation]) -> [CacheKey: Int] {
        var last: [CacheKey: Int] = [:]
        for (index, operation) in batch.enumerated() {
            if let key = operation.change.key { last[key] = index }
        }
        return last
    }

    /// The row of an entry. Writes a large entry to its file first.
    /// Throws errors of the file; the row alone cannot fail here.
    private mutating func row(_ key: CacheKey, _ data: CachedData) throws(ImageError) -> CacheRow {
        var row = CacheRow(key: key, write: site.nextWrite())
        row.length = data.bytes.count
        row.checksum = unsafe data.bytes.withUnsafeBytes { unsafe CRC32C.checksum($0) }
        row.created = clock.now
        row.accessed = row.created
        row.expires = data.expires
        row.entityTag = data.entityTag
        row.lastModified = data.lastModified
        row.encodedRecord = data.encodedRecord
        row.extendedData = data.extendedData
        if data.bytes.count <= inlineEntryLimit {
            row.inline = data.bytes
        } else {
            let name = CacheFileName(key: key, write: row.write)
            row.allocated = try site.folder.create(name, data.bytes)
            row.file = name.path
            written.append(name)
        }
        return row
    }
}
