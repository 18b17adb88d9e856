import Glibc
import SDImage

/// Cache of the most recently used color transforms, by the colors of the file and use. Also caches "no transform needed": most
/// profiles are sRGB, and detecting that costs as much as creating a transform. Any thread may use it; `ForkHandlers` holds its
/// lock across a fork.
final class TransformCache: Sendable {
    /// The colors of a file.
    enum Colors: Sendable {
        case profile(Bytes)
        case encoding(RGBEncoding)
    }

    /// The kind of transform.
    enum Use: Equatable, Sendable {
        /// `output` is the format of the result if it matters for the transform.
        case rows(PixelFormat, isGray: Bool, output: PixelFormat?)
        case cmyk(isInverted: Bool)
    }

    /// Cached values; the transform is nil when none is needed or possible.
    struct Rows: Sendable { let transform: (any RowTransform)? }
    struct CMYK: Sendable { let transform: CMYKTransform? }

    /// A cached value and its key.
    private struct Entry {
        let colors: Colors
        /// Hash of the profile, which avoids most comparisons of long profiles.
        let hash: UInt64
        let use: Use
        let value: any Sendable
    }

    /// Maximum number of entries.
    private let capacity: Int
    // Most recently used last. A monitor instead of a mutex, because it must be held across `fork`.
    private let entries = Monitor<[Entry]>([])

    init(capacity: Int) { self.capacity = capacity }

    /// Returns a cached value or creates it outside the lock. Two threads may create the same value; both are kept.
    func value(_ colors: Colors, use: Use, make: () -> any Sendable) -> any Sendable {
        let hash = TransformCache.hash(colors)
        if let known = lookUp(colors, hash, use) { return known }
        let value = make()
        // Without memory for the key, the value is used once.
        guard let copy = TransformCache.copy(colors) else { return value }
        let evicted = entries.withLock { entries -> [Entry] in
            entries.append(Entry(colors: copy, hash: hash, use: use, value: value))
            let surplus = max(0, entries.count - capacity)
            let oldest = Array(entries.prefix(surplus))
            entries.removeFirst(surplus)
            return oldest
        }
        // Released outside the lock.
        withExtendedLifetime(evicted) {}
        return value
    }

    /// Returns a value and makes it the most recent one.
    private func lookUp(_ colors: Colors, _ hash: UInt64, _ use: Use) -> (any Sendable)? {
        entries.withLock { entries in
            guard
                let index = entries.lastIndex(where: {
                    $0.hash == hash && $0.use == use && TransformCache.equal($0.colors, colors)
                })
            else { return nil }
            let entry = entries.remove(at: index)
            entries.append(entry)
            return entry.value
        }
    }

    private static func hash(_ colors: Colors) -> UInt64 {
        switch colors {
        case .profile(let profile): unsafe profile.withUnsafeBytes { unsafe CacheKey.hash(of: $0) }
        // Compared completely: there are few entries.
        case .encoding: 0
        }
    }

    /// Compares profiles byte by byte, so that equal hashes of an attacker do no harm.
    private static func equal(_ one: Colors, _ other: Colors) -> Bool {
        switch (one, other) {
        case (.profile(let one), .profile(let other)):
            guard one.count == other.count, let first = unsafe one.pointer, let second = unsafe other.pointer
            else { return false }
            return unsafe memcmp(first, second, one.count) == 0
        case (.encoding(let one), .encoding(let other)): return one == other
        default: return false
        }
    }

    /// Copies a profile, because it may be a slice that keeps a whole file in memory; nil when memory is missing.
    private static func copy(_ colors: Colors) -> Colors? {
        guard case .profile(let profile) = colors else { return colors }
        return unsafe try? profile.withUnsafeBytes { bytes throws(ImageError) in unsafe .profile(try Bytes.copying(bytes)) }
    }

    /// See `ColorConverter.lockForFork`.
    func lockForFork() { entries.lock() }
    func unlockAfterFork() { entries.unlock() }
}
