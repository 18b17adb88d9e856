/// A request with its redacted URL and its keys, which are computed once for all loads of it.
/// Made by the C interface from a request that the program keeps, or for a single load.
package final class PreparedRequest: Sendable {
    /// Keys depend on the transformer of the manager, so they are kept for the latest one.
    private struct Known {
        let manager: UInt64
        let keys: LoadKeys
    }

    package let request: ImageRequest
    /// The URL without user and password.
    let url: CString
    /// True if an image in memory is the complete result, with a manager whose own policy ignores freshness.
    let isContentWithMemory: Bool
    /// nil before the first load.
    private let known = Lock<Known?>(nil)

    /// `url`: a copy of the URL, which is shared if it has no user and password.
    package init(_ request: ImageRequest, url: CString? = nil) {
        self.request = request
        let text = request.urlText
        self.url = text.isShownAsGiven ? url ?? text.redacted : text.redacted
        isContentWithMemory =
            request.loadHooks == nil && !request.includesData && !request.requiresAnimation && request.sourcePolicy != .loaderOnly
            && request.cachePolicy.queryLayers.contains(.memory) && (request.freshness ?? .ignore) == .ignore
    }

    /// The keys that `make` returns for the manager with this number.
    /// `make` runs outside the lock: two threads may compute equal keys, which is harmless.
    func keys(for manager: UInt64, _ make: (ImageRequest) -> LoadKeys) -> LoadKeys {
        if let keys = known.withLock({ $0?.manager == manager ? $0?.keys : nil }) { return keys }
        let keys = make(request)
        let old = known.withLock { known in
            defer { known = Known(manager: manager, keys: keys) }
            return known
        }
        withExtendedLifetime(old) {}
        return keys
    }
}
