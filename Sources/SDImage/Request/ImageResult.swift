/// Content of one delivery of a load.
package final class ImageResult: Sendable {
    package let kind: DeliveryKind
    package let image: Image?
    /// The encoded bytes of an image that is neither a thumbnail nor transformed, or was found on disk. nil for newly created
    /// variants, and for memory hits unless the request asks for the bytes.
    package let data: Bytes?
    package let error: ImageError?
    package let source: ImageSource
    /// After a refresh: true when the image differs from the one delivered as `cached`.
    package let isChanged: Bool
    /// The image is stale and could not be revalidated.
    package let isStale: Bool
    /// The rule by which the cached image was used or the origin was asked.
    package let freshness: FreshnessRule
    package let url: CString
    package let cacheKey: PrintedKey
    package let timings: StageTimings
    package let transactions: [LoadTransaction]
    /// The response head, if a server was asked.
    package let response: ReceivedHead?

    package init(
        kind: DeliveryKind, image: Image? = nil, data: Bytes? = nil, error: ImageError? = nil, source: ImageSource = .none,
        isChanged: Bool = false, isStale: Bool = false, freshness: FreshnessRule = .none, url: CString = .empty,
        cacheKey: PrintedKey = .empty, timings: StageTimings = StageTimings(), transactions: [LoadTransaction] = [],
        response: ReceivedHead? = nil
    ) {
        self.kind = kind
        self.image = image
        self.data = data
        self.error = error
        self.source = source
        self.isChanged = isChanged
        self.isStale = isStale
        self.freshness = freshness
        self.url = url
        self.cacheKey = cacheKey
        self.timings = timings
        self.transactions = transactions
        self.response = response
    }
}

/// Kind of a delivery (docs/decisions.md, "One final delivery"): exactly one `final` ends each accepted load.
package enum DeliveryKind: Int32, Sendable {
    case partial = 1
    case cached = 2
    case final = 3
}

/// Source of an image.
package enum ImageSource: Int32, Sendable {
    case none = 0
    case memory = 1
    case disk = 2
    case remote = 3
    case network = 4
    case loader = 5
}

/// Nanoseconds spent in each stage of a load; 0 where the stage did not run.
package struct StageTimings: Sendable {
    package var queued: UInt64 = 0
    package var diskQuery: UInt64 = 0
    package var load: UInt64 = 0
    package var decode: UInt64 = 0
    package var store: UInt64 = 0
    package var total: UInt64 = 0

    package init() {}
}
