/// Paths handed out to callers. Each file survives eviction until it is unpinned as often as it was pinned (docs/decisions.md,
/// "Paths of entries are pins").
/// Part of `DiskCache`. Pins end with the process; `CacheSweep` removes those of a dead one.
final class Pins: Sendable {
    /// Number of times each path was handed out.
    private let counts = Lock<[String: Int]>([:])

    /// Path of a file with the bytes of an entry. Blocks.
    func pin(_ name: CacheFileName, _ bytes: Bytes, in site: CacheSite) throws(ImageError) -> String {
        // Count first: a concurrent unpin of the same path must not remove the file that is about to be returned.
        let path = site.folder.pinPath(name, for: site.instance.id)
        counts.withLock { $0[path, default: 0] += 1 }
        do throws(ImageError) {
            try site.folder.pin(name, bytes, for: site.instance.id)
            return path
        } catch {
            unpin(path, in: site)
            throw error
        }
    }

    /// Releases a path; the last release removes its file, unless the folder is unavailable. False for a path that is not
    /// pinned. Blocks.
    @discardableResult func unpin(_ path: String, in site: CacheSite?) -> Bool {
        counts.withLock { counts in
            // Unknown paths may belong to another cache, or were unpinned too often.
            guard let count = counts[path] else { return false }
            counts[path] = count > 1 ? count - 1 : nil
            // Must run under the lock: afterwards the same path may be handed out again.
            if count == 1, let site { site.folder.removePin(path, of: site.instance.id) }
            return true
        }
    }
}
