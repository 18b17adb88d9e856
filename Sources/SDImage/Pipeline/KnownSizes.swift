/// The keys under which thumbnails of each image are stored, so that one can be shown in place of another. Bounded: the oldest
/// is removed.
final class KnownSizes: Sendable {
    private struct State {
        /// Keys of thumbnails by the key of the full-size image.
        var thumbnails: [CacheKey: [CacheKey]] = [:]
        var order = FIFO<CacheKey>()
    }

    private static let capacity = 4096
    private static let most = 4

    private let state = Lock(State())

    func note(_ thumbnail: CacheKey, of whole: CacheKey) {
        state.withLock { state in
            guard state.thumbnails[whole]?.contains(thumbnail) != true else { return }
            if state.thumbnails[whole] == nil {
                state.order.append(whole)
                if state.order.count > KnownSizes.capacity, let oldest = state.order.popFirst() { state.thumbnails[oldest] = nil }
            }
            let others = state.thumbnails[whole, default: []].suffix(KnownSizes.most - 1)
            state.thumbnails[whole] = others + [thumbnail]
        }
    }

    func thumbnails(of whole: CacheKey) -> [CacheKey] { state.withLock { $0.thumbnails[whole] ?? [] } }
}
