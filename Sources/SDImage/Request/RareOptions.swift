/// Options that few requests have.
/// Boxed, and copied as a whole by each change.
private struct RareOptions: Sendable {
    /// The values of a request without a box.
    static let standard = RareOptions()

    /// Each is documented at its accessor below.
    var encodeOptions: EncodeOptions?
    var encodeFormat = ImageFormat.unknown
    var omittedHeaders: [String] = []
    var method = ImageRequest.get
    var body: Bytes?
    var maxBodyBytes = 0
    var maxRetries: UInt32?
    var conditionTarget = ConditionTarget.unknown
    var originalCache: Setting<any ImageCaching> = .inherited
    var hooks: DownloadHooks?
    var loadHooks: LoadHooks?
    var options = OptionsBag()
}

/// Immutable options that few requests have. An object, because thousands of requests may wait.
final class BoxedRareOptions: Sendable {
    fileprivate let all: RareOptions

    fileprivate init(_ all: RareOptions) { self.all = all }
}

// Members of the request, because a member of the parameters would be called by other modules with a copy of all of them. A getter
// copies only its own option.
extension ImageRequest {
    /// Replaces the box by one with the change; other copies of the request keep theirs.
    private mutating func change(_ body: (inout RareOptions) -> Void) {
        var all = self.rare?.all ?? .standard
        body(&all)
        self.rare = BoxedRareOptions(all)
    }

    /// Options for images encoded for the disk cache; nil for the standard ones.
    package var encodeOptions: EncodeOptions? {
        get { self.rare?.all.encodeOptions }
        set { change { $0.encodeOptions = newValue } }
    }

    /// Format of thumbnails and transformed images on disk; unknown: chosen by the image.
    package var encodeFormat: ImageFormat {
        get { self.rare?.all.encodeFormat ?? .unknown }
        set { change { $0.encodeFormat = newValue } }
    }

    /// True for the options with which a cache may encode once for several requests.
    var hasStandardEncodeOptions: Bool { self.rare?.all.encodeOptions == nil }

    /// Names of header fields that are not sent, although the loader has a default for them.
    package var omittedHeaders: [String] {
        get { self.rare?.all.omittedHeaders ?? [] }
        set { change { $0.omittedHeaders = newValue } }
    }

    /// Method of the request, such as "POST"; case-sensitive (RFC 9110, section 9.1).
    package var method: String {
        get { self.rare?.all.method ?? ImageRequest.get }
        set { change { $0.method = newValue } }
    }

    /// Body of the request; requires a method other than GET.
    package var body: Bytes? {
        get { self.rare?.all.body }
        set { change { $0.body = newValue } }
    }

    /// Largest accepted body in decoded bytes; 0 = the limit of the loader.
    package var maxBodyBytes: Int {
        get { self.rare?.all.maxBodyBytes ?? 0 }
        set { change { $0.maxBodyBytes = newValue } }
    }

    /// Maximum number of retries after a transient failure; nil = the limit of the loader.
    package var maxRetries: UInt32? {
        get { self.rare?.all.maxRetries }
        set { change { $0.maxRetries = newValue } }
    }

    /// The URL to which the conditions among the header fields are sent.
    package var conditionTarget: ConditionTarget {
        get { self.rare?.all.conditionTarget ?? .unknown }
        set { change { $0.conditionTarget = newValue } }
    }

    /// Cache of originals from which the image is derived; inherited: the same cache.
    package var originalCache: Setting<any ImageCaching> {
        get { self.rare?.all.originalCache ?? .inherited }
        set { change { $0.originalCache = newValue } }
    }

    /// Hooks that override those of the downloader.
    package var hooks: DownloadHooks? {
        get { self.rare?.all.hooks }
        set { change { $0.hooks = newValue } }
    }

    /// Hooks that override those of the manager.
    package var loadHooks: LoadHooks? {
        get { self.rare?.all.loadHooks }
        set { change { $0.loadHooks = newValue } }
    }

    /// String-keyed values for hooks and plug-ins.
    package var options: OptionsBag {
        get { self.rare?.all.options ?? OptionsBag() }
        set { change { $0.options = newValue } }
    }

    /// False for a request whose rare options are all standard, without a look at each of them.
    var hasRareOptions: Bool { self.rare != nil }

    /// True if no option changes how a loader sends the request.
    /// Such requests share one array of details in `SharingKey`.
    package var hasPlainTransfer: Bool {
        self.rare == nil && self.headers.isEmpty && self.timeoutMilliseconds == 0 && !self.handlesCookies
            && !self.acceptsInvalidCertificates
    }
}
