/// Weak references by key to images that other code holds.
/// Part of `MemoryCache`, used if the program wants evicted images to be found.
final class WeakImages: Sendable {
    private struct Reference {
        weak var image: Image?
    }

    private struct State {
        var references: [CacheKey: Reference] = [:]
        /// Number of references that triggers the removal of empty ones.
        /// Twice the number that was left by the last removal.
        var cleanUpAt = 64
    }

    private let state = Lock(State())

    /// nil when no other code holds the image.
    func image(for key: CacheKey) -> Image? { state.withLock { $0.references[key]?.image } }

    /// Replaces the reference of the key.
    func set(_ image: Image, for key: CacheKey) {
        let seen = state.withLock { state -> [Image] in
            state.references[key] = Reference(image: image)
            guard state.references.count >= state.cleanUpAt else { return [] }
            var seen: [Image] = []
            state.references = state.references.filter { _, reference in
                guard let image = reference.image else { return false }
                seen.append(image)
                return true
            }
            state.cleanUpAt = max(64, state.references.count * 2)
            return seen
        }
        // This may hold the last reference to an image; released after the lock.
        withExtendedLifetime(seen) {}
    }

    func remove(_ key: CacheKey) { state.withLock { $0.references[key] = nil } }

    func removeAll() { state.withLock { $0.references = [:] } }
}
