extension DiskCache {
    /// Selects every row, including rows of negative length, which lists omit.
    private static let everyRow = {
        var query = CacheQuery()
        query.lengths = .min ... .max
        return query
    }()

    /// Reads every entry and compares every checksum; blocks the caller throughout. With `repairs`, removes or repairs all
    /// problems found.
    package func verifyNow(repairs: Bool) throws(ImageError) -> CacheReport {
        try check()
        queue.commitAll()
        let site = try opener.site()
        var report = CacheReport()
        report.isRepaired = repairs
        try verifyIndex(site, repairs, &report)
        try verifyEntries(site, repairs, &report)
        report.strays = CacheSweep(site).strays(removesThem: repairs)
        return report
    }

    private func verifyIndex(_ site: CacheSite, _ repairs: Bool, _ report: inout CacheReport) throws(ImageError) {
        guard try !isIndexSound(site) else { return }
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
        if isMended, try isIndexSound(site) { return }
        try site.index.giveUp()
    }

    private func isIndexSound(_ site: CacheSite) throws(ImageError) -> Bool {
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

    private func verifyEntries(_ site: CacheSite, _ repairs: Bool, _ report: inout CacheReport) throws(ImageError) {
        let before = try site.totals()
        var place: CachePosition? = .beginning
        while let from = place {
            let page = try site.index.perform { store throws(ImageError) in
                try store.entries(DiskCache.everyRow, from: from, limit: 256)
            }
            for entry in page.entries { try verify(entry, site, repairs, &report) }
            place = page.next
        }
        let after = try site.totals()
        // The totals are comparable only without concurrent stores or removals.
        let found = report.damaged + report.missing
        guard before.count == after.count + (repairs ? found : 0), before.count != report.entries else { return }
        report.areTotalsWrong = true
        if repairs { try site.index.perform { store throws(ImageError) in try store.recount() } }
    }

    private func verify(_ entry: CacheEntry, _ site: CacheSite, _ repairs: Bool, _ report: inout CacheReport)
        throws(ImageError)
    {
        let row = try site.index.perform { store throws(ImageError) in try store.row(for: entry.key) }
        guard let row, row.write == entry.write else {
            // Replaced, removed, or no longer found by its key.
            guard try isListed(entry, site) else { return }
            report.entries += 1
            report.damaged += 1
            report.note(entry.key)
            if repairs { try site.apply([.removeRow(entry.id, write: entry.write)]) }
            return
        }
        report.entries += 1
        report.bytes &+= row.length
        let missing = counters.statistics.missingFiles
        if try bytes(of: row, in: site) != nil { return }
        if counters.statistics.missingFiles > missing { report.missing += 1 } else { report.damaged += 1 }
        report.note(entry.key)
        if repairs { drop(row.key, row.write, from: site) }
    }

    private func isListed(_ entry: CacheEntry, _ site: CacheSite) throws(ImageError) -> Bool {
        let page = try site.index.perform { store throws(ImageError) in
            try store.entries(DiskCache.everyRow, from: CachePosition(date: 0, id: entry.id &- 1), limit: 1)
        }
        return page.entries.first.map { $0.id == entry.id && $0.write == entry.write } ?? false
    }
}
