/// Content of one delivery of a load.
/// Made for each delivery of each task, and passed to handlers and observers. Immutable.
package final class ImageResult: Sendable {
    package let kind: DeliveryKind
    /// nil after an error without a cached image, and if neither a cache nor a loader gave one.
    package let image: Image?
    /// The encoded bytes of an image that is neither a thumbnail nor transformed, or was found on disk. nil for newly created
    /// variants, and for memory hits unless the request asks for the bytes.
    package let data: Bytes?
    /// nil on success. Beside an image: the failed revalidation.
    package let error: ImageError?
    /// Origin of the image; `none` without one.
    package let source: ImageSource
    /// After a refresh: true when the image differs from the one delivered as `cached`.
    package let isChanged: Bool
    /// The image is stale and could not be revalidated.
    package let isStale: Bool
    /// The rule by which the cached image was used or the origin was asked.
    package let freshness: FreshnessRule
    /// The requested URL, without user and password.
    package let url: CString
    /// The key of the requested image, in the form for readers when it is printed.
    package let cacheKey: PrintedKey
    /// Complete for the final delivery only.
    package let timings: StageTimings
    /// The exchanges with the origin, in order; empty if there were none.
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
    /// A part of the image; a better one follows.
    case partial = 1
    /// The cached image, which is being revalidated.
    case cached = 2
    /// The last delivery.
    case final = 3
}

/// Source of an image.
/// Raw values are those of the C interface.
package enum ImageSource: Int32, Sendable {
    /// No image.
    case none = 0
    case memory = 1
    case disk = 2
    /// A cache that several machines share.
    case remote = 3
    /// The HTTP engine.
    case network = 4
    /// Any other loader.
    case loader = 5

    package var name: StaticString {
        switch self {
        case .none: "none"
        case .memory: "memory"
        case .disk: "disk"
        case .remote: "remote"
        case .network: "network"
        case .loader: "loader"
        }
    }
}

/// Nanoseconds spent in each stage of a load; 0 where the stage did not run.
package struct StageTimings: Sendable {
    /// Waiting for a thread to start the load.
    package var queued: UInt64 = 0
    /// Look-ups in disk caches.
    package var diskQuery: UInt64 = 0
    /// Waiting for the response.
    package var load: UInt64 = 0
    /// Decoding and transforming, including the wait for a worker.
    package var decode: UInt64 = 0
    /// Waiting for commits, if the request does.
    package var store: UInt64 = 0
    /// From the call that started the load to this result; for a task that joined late, from its own call.
    package var total: UInt64 = 0

    package init() {}
}
