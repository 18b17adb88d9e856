import SDImage

/// The header fields that a loader sends with every request, unless the request sets or omits them.
/// A value; `SentFields` shares it between downloads.
package struct LoaderFields: Hashable, Sendable {
    /// Empty: none is sent.
    package var userAgent = DownloaderConfiguration.defaultUserAgent { didSet { makeLists() } }
    /// Fields other than `User-Agent`, in the order in which they were set.
    private var others = [HeaderField(name: "Accept", value: "image/*,*/*;q=0.8")]

    // Made once for all requests.
    /// All fields, `User-Agent` first.
    package private(set) var all: [HeaderField] = []
    /// Fields that do not identify the client and may be sent to the origin that a redirect names.
    private(set) var impersonal: [HeaderField] = []

    package init() { makeLists() }

    /// Replaces the field of that name (case-insensitive); nil removes it.
    package mutating func set(_ name: String, _ value: String?) {
        if name.lowercased() == "user-agent" { return userAgent = value ?? "" }
        others.removeAll { $0.isNamed(name) }
        if let value { others.append(HeaderField(name: name, value: value)) }
        makeLists()
    }

    /// Both lists are read for each request and change rarely.
    private mutating func makeLists() {
        all = (userAgent.isEmpty ? [] : [HeaderField(name: "User-Agent", value: userAgent)]) + others
        impersonal = all.filter { ["user-agent", "accept", "accept-language"].contains($0.name.lowercased()) }
    }
}

/// The header fields of a loader from one change to the next. An object, because thousands of downloads may wait with them.
/// Immutable: each change of a field makes a new object.
final class SentFields: Sendable {
    let fields: LoaderFields
    /// Number of earlier changes.
    let changes: UInt64
    /// The details in the sharing key of requests that need nothing else.
    let plainDetails: [UInt8]

    init(_ fields: LoaderFields, changes: UInt64, loader: UInt64) {
        self.fields = fields
        self.changes = changes
        plainDetails = SharingDetails(of: ImageRequest(url: []), changes, loader: loader).bytes
    }
}
