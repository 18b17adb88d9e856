import Glibc
import SDImage

/// Cache of the most recently used colour transforms, by profile and use. Also caches "no transform needed": most profiles are
/// sRGB, and detecting that costs as much as creating a transform.
final class TransformCache: Sendable {
    enum Use: Hashable, Sendable {
        case rows(PixelFormat, isGray: Bool, isFloat: Bool)
        case cmyk(isInverted: Bool)
    }

    /// Cached values; the transform is nil when none is needed or possible.
    struct Rows: Sendable { let transform: (any RowTransform)? }
    struct CMYK: Sendable { let transform: CMYKTransform? }

    private struct Entry {
        let profile: Bytes
        let hash: UInt64
        let use: Use
        let value: any Sendable
    }

    private let capacity: Int
    // Most recently used last. A monitor instead of a mutex, because it must be held across `fork`.
    private let entries = Monitor<[Entry]>([])

    init(capacity: Int) { self.capacity = capacity }

    /// Returns a cached value or creates it outside the lock. Two threads may create the same value; both are kept.
    func value(profile: Bytes, use: Use, make: () -> any Sendable) -> any Sendable {
        let hash = unsafe profile.withUnsafeBytes { unsafe CacheKey.hash(of: $0) }
        if let known = lookUp(profile, hash, use) { return known }
        let value = make()
        // A copy, because the profile may be a slice that keeps a whole file in memory.
        let copy: Bytes
        do throws(ImageError) {
            copy = unsafe try profile.withUnsafeBytes { bytes throws(ImageError) in unsafe try Bytes.copying(bytes) }
        } catch { return value }
        let evicted = entries.withLock { entries -> [Entry] in
            entries.append(Entry(profile: copy, hash: hash, use: use, value: value))
            let surplus = max(0, entries.count - capacity)
            let oldest = Array(entries.prefix(surplus))
            entries.removeFirst(surplus)
            return oldest
        }
        // Released outside the lock.
        withExtendedLifetime(evicted) {}
        return value
    }

    private func lookUp(_ profile: Bytes, _ hash: UInt64, _ use: Use) -> (any Sendable)? {
        entries.withLock { entries in
            guard
                let index = entries.lastIndex(where: {
                    $0.hash == hash && $0.use == use && TransformCache.equal($0.profile, profile)
                })
            else { return nil }
            let entry = entries.remove(at: index)
            entries.append(entry)
            return entry.value
        }
    }

    private static func equal(_ one: Bytes, _ other: Bytes) -> Bool {
        guard one.count == other.count, let first = unsafe one.pointer, let second = unsafe other.pointer else { return false }
        return unsafe memcmp(first, second, one.count) == 0
    }

    func lockForFork() { entries.lock() }
    func unlockAfterFork() { entries.unlock() }
}
