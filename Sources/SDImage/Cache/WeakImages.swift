/// Pictures by key that somebody else still holds, not kept alive by this table.
final class WeakImages: Sendable {
    private struct Reference {
        weak var image: Image?
    }

    private struct State {
        var references: [CacheKey: Reference] = [:]
        /// Size at which entries without a picture are looked for.
        var cleanUpAt = 64
    }

    private let state = Lock(State())

    func image(for key: CacheKey) -> Image? { state.withLock { $0.references[key]?.image } }

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
        // Looking may have made us the last to hold one: let go of it after the lock.
        withExtendedLifetime(seen) {}
    }

    func remove(_ key: CacheKey) { state.withLock { $0.references[key] = nil } }

    func removeAll() { state.withLock { $0.references = [:] } }
}
