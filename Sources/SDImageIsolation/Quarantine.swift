import SDImage

/// Images that crashed workers. One that did so twice is refused for a while, like a URL that failed; `CrashRecords` remembers it
/// for other processes. `IsolatedCoder` checks each image before a call. Any thread may use it.
final class Quarantine: Sendable {
    /// An image, by its bytes.
    private struct Key: Hashable {
        let length: Int
        /// SHA-256, with which an attacker cannot make two images that have one key.
        let digest: String
    }

    /// The crashes of an image.
    private struct Entry {
        var crashes = 0
        /// Monotonic nanoseconds of the last crash.
        var since: UInt64 = 0
    }

    /// Number of crashes from which an image is refused.
    private static let crashes = 2
    /// Nanoseconds after which the crashes of an image are forgotten.
    private static let duration = UInt64(CrashRecords.duration) * 1_000_000_000
    /// The oldest entry is dropped first.
    private static let capacity = 1000

    // A monitor instead of a mutex, because it must be held across `fork`.
    private let entries = Monitor<[Key: Entry]>([:])

    init() { ForkHandlers.hold(lock: { [entries] in entries.lock() }, unlock: { [entries] in entries.unlock() }) }

    /// Throws `decoderCrashed` for an image that is refused now. The bytes are read only if one of the same length has crashed a
    /// worker.
    func check(_ image: EncodedImage) throws(ImageError) {
        guard isRefused(image) || CrashRecords.count(length: image.bytes.count, digest: { image.digest }) >= Quarantine.crashes
        else { return }
        DecoderPool.shared.count { $0.refused += 1 }
        throw ImageError(.decoderCrashed, "decoder process: not tried again, the image crashed it twice")
    }

    /// True if the image crashed workers of this process too often. Drops entries that are too old.
    private func isRefused(_ image: EncodedImage) -> Bool {
        let length = image.bytes.count
        let hasLength = entries.withLock { entries in
            guard !entries.isEmpty else { return false }
            let now = MonotonicClock.now
            entries = entries.filter { now &- $0.value.since < Quarantine.duration }
            return entries.contains { $0.key.length == length }
        }
        // The digest is computed outside the lock, because it reads all bytes.
        guard hasLength else { return false }
        let key = Key(length: length, digest: image.digest)
        return entries.withLock { ($0[key]?.crashes ?? 0) >= Quarantine.crashes }
    }

    /// Records a crash, here and for other processes.
    func noteCrash(_ image: EncodedImage) {
        let key = Key(length: image.bytes.count, digest: image.digest)
        CrashRecords.note(length: key.length, digest: key.digest)
        entries.withLock { entries in
            if entries.count >= Quarantine.capacity, let oldest = entries.min(by: { $0.value.since < $1.value.since }) {
                entries[oldest.key] = nil
            }
            entries[key, default: Entry()].crashes += 1
            entries[key]?.since = MonotonicClock.now
        }
    }
}
