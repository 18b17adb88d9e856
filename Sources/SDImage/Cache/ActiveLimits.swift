/// Limits of a disk cache, which can change while it is in use, and the age rule that they define.
final class ActiveLimits: Sendable {
    private let initial: DiskLimits
    private let limits: Lock<DiskLimits>

    init(_ limits: DiskLimits) {
        initial = limits
        self.limits = Lock(limits)
    }

    /// The limits in force; the initial ones in a forked child, which must not take the lock.
    var current: DiskLimits { Engine.isForked ? initial : limits.withLock { $0 } }

    func set(_ new: DiskLimits) { limits.withLock { $0 = new } }

    /// True when the row is expired. Expired rows are misses and are left to trimming, so a temporarily wrong clock loses
    /// nothing.
    func isExpired(_ row: CacheRow, at now: UInt64) -> Bool {
        if row.expires != 0 { return row.expires <= now }
        let limits = current
        guard limits.maxAge >= 0 else { return false }
        // Dates in the future count as the current time.
        let date = min(limits.rule == .access ? row.accessed : row.created, now)
        return (now - date) / 1_000_000_000 >= UInt64(limits.maxAge)
    }
}
