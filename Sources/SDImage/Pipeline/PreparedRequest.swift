/// A request with its redacted URL and its keys, which are computed once for all loads of it.
package final class PreparedRequest: Sendable {
    private struct Known {
        let manager: UInt64
        let keys: LoadKeys
    }

    package let request: ImageRequest
    /// Without user and password.
    let url: CString
    /// A picture in memory is all that it can bring, for a manager that does not care for freshness by itself.
    let isContentWithMemory: Bool
    private let known = Lock<Known?>(nil)

    package init(_ request: ImageRequest) {
        self.request = request
        url = URLText(request.url).redacted
        isContentWithMemory =
            request.loadHooks == nil && !request.wantsData && !request.requiresAnimation && request.sourcePolicy != .loaderOnly
            && request.queryCacheType.contains(.memory) && (request.freshness ?? .ignore) == .ignore
    }

    /// The keys that `make` makes for the manager of this number.
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
