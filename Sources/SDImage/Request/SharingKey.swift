/// A loader's key of the requests that can share one transfer: the URL, and everything else that changes the bytes
/// (docs/decisions.md, "Keys of shared transfers").
package struct SharingKey: Hashable, Sendable {
    /// The array of the request where possible, and one array of details for all plain requests: thousands of loads may wait.
    package let url: [UInt8]
    /// The other properties in one text; empty for loaders that depend on the URL alone.
    package let details: [UInt8]

    package init(url: [UInt8], details: [UInt8] = []) {
        self.url = url
        self.details = details
    }

    /// Keyed by the process, because the URL and the details may come from strangers.
    /// Stable within a process only.
    var hash: UInt64 {
        let ofURL = unsafe url.withUnsafeBytes { unsafe CacheKey.hash(of: $0) }
        // A factor, so that equal parts do not cancel each other out.
        return unsafe ofURL &* 31 ^ details.withUnsafeBytes { unsafe CacheKey.hash(of: $0) }
    }

    /// Both as one text; different keys have different texts.
    /// Part of `failureKey`. The length separates the two, so that no URL can imitate details.
    package var bytes: [UInt8] { Array("\(url.count) ".utf8) + url + details }
}
