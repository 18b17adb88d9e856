/// The keys under which thumbnails of each image are stored, so that one can be shown in place of another. Bounded: the oldest
/// is removed.
/// Filled by finished loads and read by `MemoryStage.related`. An entry may name an image that memory has evicted.
final class KnownSizes: Sendable {
    private struct State {
        /// Keys of thumbnails by the key of the full-size image.
        var thumbnails: [CacheKey: [CacheKey]] = [:]
        /// The full-size keys in the order of their first thumbnail.
        var order = FIFO<CacheKey>()
    }

    /// Maximum number of full-size images.
    private static let capacity = 4096
    /// Maximum number of thumbnails of one image; the latest are kept.
    private static let most = 4
    /// Longest key in bytes: that of a `data:` URL is as large as its content.
    private static let longestKey = 4096

    private let state = Lock(State())

    /// Adds the key of a thumbnail, unless it is long. `whole`: the key of the same image in full size.
    func note(_ thumbnail: CacheKey, of whole: CacheKey) {
        guard max(thumbnail.bytes.count, whole.bytes.count) <= KnownSizes.longestKey else { return }
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
