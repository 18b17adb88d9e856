/// One wish for a picture: where from, in which form, through which layers. A value; copied when submitted.
///
/// Copies share their choices until one of them is changed: a load passes its request on at every step, and thousands may wait.
/// In other modules a choice costs a key path: where every load passes, they look at `choices.all`.
@dynamicMemberLookup
package struct ImageRequest: Sendable {
    package private(set) var choices: SharedChoices

    package static let standardProgressiveInterval: UInt32 = 100

    package static let get = "GET"

    package init(url: [UInt8]) { choices = SharedChoices(RequestChoices(url: url)) }

    package subscript<T>(dynamicMember choice: WritableKeyPath<RequestChoices, T>) -> T {
        get { choices.all[keyPath: choice] }
        _modify {
            if !isKnownUniquelyReferenced(&choices) { choices = SharedChoices(choices.all) }
            yield &choices.all[keyPath: choice]
        }
    }
}

/// What copies of a request have in common; never changed while there is more than one.
package final class SharedChoices: @unchecked Sendable {
    // Unchecked: `ImageRequest` writes only where it holds the one reference.
    package fileprivate(set) var all: RequestChoices

    fileprivate init(_ all: RequestChoices) { self.all = all }
}

/// Everything that can be chosen of a request.
package struct RequestChoices: Sendable {
    /// URL bytes as given; validated UTF-8 without NUL.
    package var url: [UInt8]
    /// Replaces the URL as base of the cache key.
    package var cacheKey: [UInt8]?
    package var priority: LoadPriority = .normal
    package var sourcePolicy: SourcePolicy = .any
    package var queryCacheType: CacheLayers = .all
    package var storeCacheType: CacheLayers = .all
    /// For the original, where the picture itself is made from it. Memory has a part in it where the request says so.
    package var originalQueryCacheType: CacheLayers = .disk
    package var originalStoreCacheType: CacheLayers = .disk
    package var waitForStore = false
    /// A memory hit brings the encoded bytes too.
    package var wantsData = false
    /// What the starting call waits for.
    package var blockingReads: BlockingReads = []
    /// For what is encoded to be kept on disk.
    package var encodeOptions = EncodeOptions()
    /// The URL is nothing but a key, for a look into caches.
    package var isKeyOnly = false
    package var retryFailed = false
    /// nil = the manager's.
    package var freshness: FreshnessPolicy?
    package var decodeOptions = DecodeOptions()
    /// Pictures of what has come are delivered while the rest is loaded.
    package var isProgressive = false
    /// At least so long from one of them to the next.
    package var progressiveIntervalMilliseconds: UInt32 = ImageRequest.standardProgressiveInterval
    /// Header fields of the request, in order; names compare case-insensitively.
    package var headers: [HeaderField] = []
    package var method = ImageRequest.get
    /// Sent with a method other than GET.
    package var body: Bytes?
    /// 0 = the loader's own.
    package var timeoutMilliseconds: UInt32 = 0
    /// Largest accepted body in decoded bytes; 0 = the loader's own.
    package var maxBodyBytes = 0
    /// Further tries after a transient failure; nil = the loader's own.
    package var maxRetries: UInt32?
    /// Sends and keeps cookies in the jar of the loader.
    package var handlesCookies = false
    /// Takes what a server sends whose certificate is not valid.
    package var acceptsInvalidCertificates = false
    package var loader: Setting<any ImageLoader> = .inherited
    package var cache: Setting<any ImageCaching> = .inherited
    /// For originals, where the picture itself is made from them; inherited: the same.
    package var originalCache: Setting<any ImageCaching> = .inherited
    package var dispatcher: Setting<any Dispatcher> = .inherited
    /// Decodes in place of the registered coders.
    package var coder: (any ImageCoder)?
    package var transformer: Setting<any ImageTransformer> = .inherited
    /// Also frames of animations, and pictures drawn from shapes, which are left as they are otherwise.
    package var transformsAnimated = false
    package var transformsVector = false
    /// A picture that does not move is an error.
    package var requiresAnimation = false
    /// All frames of an animation are decoded before it is delivered.
    package var preloadsFrames = false
    /// In place of those of the downloader that they have.
    package var hooks: DownloadHooks?
    /// In place of those of the manager that they have.
    package var loadHooks: LoadHooks?
    /// String-keyed values for hooks and plug-ins.
    package var options = OptionsBag()
}

extension ImageRequest {
    /// It asks for what is at the URL, and changes nothing there.
    package var isGet: Bool { self.method == ImageRequest.get }

    /// Whether a transformer is applied to the picture.
    package func transforms(_ image: Image) -> Bool {
        (self.transformsAnimated || image.frames == nil) && (self.transformsVector || image.vector == nil)
    }
}

/// A choice of a request that may also be left to the manager.
package enum Setting<Value> {
    case inherited
    case none
    case value(Value)

    /// The value to use: `inherited` stands for what the level above has.
    package func resolved(_ above: Value?) -> Value? {
        switch self {
        case .inherited: above
        case .none: nil
        case .value(let value): value
        }
    }
}

extension Setting: Sendable where Value: Sendable {}

/// Reads that a starting call waits for; the numbers are those of `sdimage_blocking_reads`.
package struct BlockingReads: OptionSet, Sendable {
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }

    /// The bytes of a picture in memory.
    package static let memoryData = BlockingReads(rawValue: 1)
    /// The look-up on disk of a picture that is not in memory.
    package static let disk = BlockingReads(rawValue: 2)
}

/// Which sources a load may use.
package enum SourcePolicy: Int32, Sendable {
    case any = 0
    case cacheOnly = 1
    case loaderOnly = 2
}

/// Which layers of a cache take part.
package struct CacheLayers: OptionSet, Sendable {
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let disk = CacheLayers(rawValue: 1)
    package static let memory = CacheLayers(rawValue: 2)
    package static let all: CacheLayers = [.disk, .memory]
}

extension ImageRequest {
    /// The same request under conditions, in place of its own ones.
    package func asking(_ conditions: [HeaderField]) -> ImageRequest {
        guard !conditions.isEmpty, isGet else { return self }
        var request = self
        request.headers.removeAll { ["if-none-match", "if-modified-since"].contains($0.name.lowercased()) }
        request.headers += conditions
        return request
    }
}
