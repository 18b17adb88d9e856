/// Limits of a disk cache, which can change while it is in use, and the age rule that they define.
/// Shared by the parts of `DiskCache`.
final class ActiveLimits: Sendable {
    /// Limits of the configuration.
    private let initial: DiskLimits
    private let limits: Lock<DiskLimits>

    init(_ limits: DiskLimits) {
        initial = limits
        self.limits = Lock(limits)
    }

    /// The limits in force; the initial ones in a forked child, which must not take the lock.
    var current: DiskLimits { Engine.isForked ? initial : limits.withLock { $0 } }

    /// Takes effect with the next query or slice of a trim.
    func set(_ new: DiskLimits) { limits.withLock { $0 = new } }

    /// Resolution of the dates of access, in nanoseconds: an hour, for a shorter maximum age a sixtieth of it, at least a minute.
    var accessResolution: UInt64 {
        let age = current.maxAge
        return UInt64(age < 0 ? 3600 : min(3600, max(60, age / 60))) * 1_000_000_000
    }

    /// True when the row is expired. Expired rows are misses and are left to trimming, so a temporarily wrong clock loses
    /// nothing.
    /// `now`: nanoseconds since 1970.
    func isExpired(_ row: CacheRow, at now: UInt64) -> Bool {
        // A date of the entry itself takes precedence over the rule, also over "no limit".
        if row.expires != 0 { return row.expires <= now }
        let limits = current
        guard limits.maxAge >= 0 else { return false }
        // Dates in the future count as the current time.
        let date = min(limits.rule == .access ? row.accessed : row.created, now)
        return (now - date) / 1_000_000_000 >= UInt64(limits.maxAge)
    }
}
