/// Verifies a disk cache: its index, every entry, and the files without an entry.
/// Runs on the thread of the caller. Each entry is a query of its own, so that other users of the index need not
/// wait.
struct Verifier {
    private let site: CacheSite
    private let reader: CacheReader
    private let repairs: Bool
    private var report = CacheReport()
    /// Bytes of the files of entries on disk.
    private var allocated = 0

    /// Selects every row, including rows of negative length, which lists omit.
    private static let everyRow = {
        var query = CacheQuery()
        query.lengths = .min ... .max
        return query
    }()

    /// `repairs`: problems found are removed or repaired.
    init(_ site: CacheSite, reader: CacheReader, repairs: Bool) {
        self.site = site
        self.reader = reader
        self.repairs = repairs
        report.isRepaired = repairs
    }

    /// Reads every entry and compares every checksum; blocks the caller throughout.
    /// Stores and removals may go on meanwhile; entries that they affect are skipped.
    mutating func verify() throws(ImageError) -> CacheReport {
        try verifyIndex()
        try verifyEntries()
        report.strays = CacheSweep(site).strays(removesThem: repairs)
        return report
    }

    /// Checks the database. With `repairs`, rebuilds its indexes, or replaces it.
    private mutating func verifyIndex() throws(ImageError) {
        guard try !isIndexSound() else { return }
        report.isIndexDamaged = true
        guard repairs else { return }
        // The rows may be intact when only an index of them is damaged.
        let isMended = try site.index.perform { store throws(ImageError) in
            do throws(ImageError) {
                try store.mend()
                return true
            } catch {
                guard error.status == .cacheDamaged else { throw error }
                return false
            }
        }
        if isMended, try isIndexSound() { return }
        try site.index.replaceDamaged()
    }

    /// False for damage; throws other errors.
    private func isIndexSound() throws(ImageError) -> Bool {
        try site.index.perform { store throws(ImageError) in
            do throws(ImageError) {
                try store.examine()
                return true
            } catch {
                guard error.status == .cacheDamaged else { throw error }
                return false
            }
        }
    }

    /// Reads all rows in pages, then compares their number with the totals.
    private mutating func verifyEntries() throws(ImageError) {
        let before = try site.totals()
        var next: CachePosition? = .beginning
        while let position = next {
            let page = try site.index.perform { store throws(ImageError) in
                try store.entries(Verifier.everyRow, from: position, limit: 256)
            }
            for entry in page.entries { try verify(entry) }
            next = page.next
        }
        let after = try site.totals()
        // The totals are comparable only without concurrent stores or removals.
        let found = report.damaged + report.missing
        guard before.count == after.count.addingSaturated(repairs ? found : 0) else { return }
        // Repairs remove an unknown number of bytes.
        let areComparable = found == 0 && before.bytes == after.bytes && before.allocated == after.allocated
        let isSizeWrong = before.bytes != report.bytes || before.allocated != allocated
        guard before.count != report.entries || areComparable && isSizeWrong else { return }
        report.areTotalsWrong = true
        if repairs { try site.index.perform { store throws(ImageError) in try store.recount() } }
    }

    /// Checks one entry. With `repairs`, a damaged or missing one is removed.
    private mutating func verify(_ entry: CacheEntry) throws(ImageError) {
        let row = try site.index.perform { store throws(ImageError) in try store.row(for: entry.key) }
        guard let row, row.write == entry.write else {
            // Replaced, removed, or no longer found by its key.
            guard try isListed(entry) else { return }
            report.entries += 1
            report.damaged += 1
            report.note(entry.key)
            if repairs { try site.apply([.removeRow(entry.id, write: entry.write)]) }
            return
        }
        report.entries += 1
        report.bytes &+= row.length
        allocated = allocated.addingSaturated(row.allocated)
        switch try reader.bytes(of: row, in: site) {
        case .intact: return
        case .damaged: report.damaged += 1
        case .missing: report.missing += 1
        }
        report.note(entry.key)
        if repairs { reader.drop(row.key, row.write, from: site) }
    }

    /// True if the row of this write is still there, although its key does not find it.
    private func isListed(_ entry: CacheEntry) throws(ImageError) -> Bool {
        let page = try site.index.perform { store throws(ImageError) in
            try store.entries(Verifier.everyRow, from: CachePosition(date: 0, id: entry.id &- 1), limit: 1)
        }
        return page.entries.first.map { $0.id == entry.id && $0.write == entry.write } ?? false
    }
}
