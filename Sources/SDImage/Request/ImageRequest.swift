/// A request for an image: its URL, its form, and the layers to use. A value; copied when submitted.
///
/// Copies share their parameters until one of them is changed, because a load passes its request on at every step and thousands
/// may wait: a copy of all parameters takes 500 instructions (callgrind, submission of a load).
/// Members of `RequestParameters` appear as members of the request (`dynamicMember`).
@dynamicMemberLookup
public struct ImageRequest: Sendable {
    /// Read by other modules through the subscript only.
    public private(set) var parameters: SharedParameters

    /// Milliseconds between partial images if the request sets none.
    package static let standardProgressiveInterval: UInt32 = 100

    package static let get = "GET"

    package init(url: [UInt8]) { parameters = SharedParameters(RequestParameters(urlText: URLText(url))) }

    public subscript<T>(dynamicMember choice: WritableKeyPath<RequestParameters, T>) -> T {
        // Inlined in other modules, for which this must be public: otherwise each access there evaluates a key path. Submitting a
        // load takes 50,700 instructions, and 76,100 without (callgrind, release build).
        @inlinable get { parameters.all[keyPath: choice] }
        // A copy that is shared gets parameters of its own before the first change.
        _modify {
            if !isKnownUniquelyReferenced(&parameters) { parameters = SharedParameters(parameters.all) }
            yield &parameters.all[keyPath: choice]
        }
    }
}

/// The choices shared by copies of a request; immutable while there is more than one copy.
public final class SharedParameters: @unchecked Sendable {
    // Unchecked: `ImageRequest` writes only while it holds the only reference. For the same reason no access can overlap a write;
    // checking each at run time took 2,000 of 21,000 instructions of the submission of a load.
    @safe @exclusivity(unchecked) public fileprivate(set) var all: RequestParameters

    fileprivate init(_ all: RequestParameters) { self.all = all }
}

/// All options of a request.
/// The C interface documents each option (`include/sdimage/request.h` and others).
public struct RequestParameters: Sendable {
    /// The URL as given, validated UTF-8 without NUL; split once for all loads of the request.
    package var urlText: URLText
    /// Replaces the URL as the base of the cache key.
    /// nil: the URL.
    package var cacheKey: [UInt8]?
    package var priority: LoadPriority = .normal
    package var sourcePolicy: SourcePolicy = .any
    package var cachePolicy: CachePolicy = []
    /// Completes the load only after its stores are committed.
    package var waitForStore = false
    /// Includes the encoded bytes in the result of a memory hit.
    package var includesData = false
    /// Reads that the starting call waits for.
    package var blockingReads: BlockingReads = []
    /// nil for a request without rare options; an object of all requests would have a contended reference count.
    /// Its members are those of the extension in `RareOptions.swift`.
    var rare: BoxedRareOptions?
    /// Treats the URL only as a key, for cache look-ups.
    package var isKeyOnly = false
    /// Sends the request although it failed recently.
    package var retryFailed = false
    /// nil = the policy of the manager.
    package var freshness: FreshnessPolicy?
    package var decodeOptions = DecodeOptions()
    /// Delivers partial images while the rest is loading.
    package var isProgressive = false
    /// Minimum interval between partial images.
    package var progressiveIntervalMilliseconds: UInt32 = ImageRequest.standardProgressiveInterval
    /// Header fields of the request, in order; names compare case-insensitively.
    package var headers: [HeaderField] = []
    /// 0 = the timeout of the loader.
    package var timeoutMilliseconds: UInt32 = 0
    /// Sends and stores cookies with the jar of the loader.
    package var handlesCookies = false
    /// Accepts responses from servers with an invalid certificate.
    package var acceptsInvalidCertificates = false
    /// Inherited from the manager by default, like the next two.
    package var loader: Setting<any ImageLoader> = .inherited
    package var cache: Setting<any ImageCaching> = .inherited
    package var dispatcher: Setting<any Dispatcher> = .inherited
    /// Coder used in place of the registered ones.
    package var coder: (any ImageCoder)?
    package var transformer: Setting<any ImageTransformer> = .inherited
    /// Also transforms frames of animations and vector images, which are otherwise left unchanged.
    package var transformsAnimated = false
    package var transformsVector = false
    /// Fails when the image is not animated.
    package var requiresAnimation = false
    /// Decodes all frames of an animation before delivering it.
    package var preloadsFrames = false
}

extension ImageRequest {
    /// The bytes of the URL.
    package var url: [UInt8] {
        get { self.urlText.bytes }
        set { self.urlText = URLText(newValue) }
    }

    /// True for http and https.
    package var isHTTP: Bool { self.urlText.isHTTP }

    /// True for a GET request, which changes nothing at the URL.
    package var isGet: Bool { self.method == ImageRequest.get }

    /// A copy for a running load, without a pollable dispatcher, which the host could not close while the load held it. The task of
    /// the load holds its queue.
    var withoutPollableDispatcher: ImageRequest {
        guard case .value(let dispatcher) = self.dispatcher, dispatcher.target !== dispatcher else { return self }
        var request = self
        request.dispatcher = .none
        return request
    }

    /// True when a transformer is applied to the image.
    /// The options decide for animations and vector images.
    package func transforms(_ image: Image) -> Bool {
        (self.transformsAnimated || image.frames == nil) && (self.transformsVector || image.vector == nil)
    }
}

/// An option of a request that can also be inherited from the manager.
/// `none` differs from `inherited`: it switches the option off.
package enum Setting<Value> {
    case inherited
    case none
    case value(Value)

    /// The value to use; `inherited` selects the value of the level above.
    package func resolved(_ above: Value?) -> Value? {
        switch self {
        case .inherited: above
        case .none: nil
        case .value(let value): value
        }
    }
}

extension Setting: Sendable where Value: Sendable {}

/// Reads that a starting call waits for; the raw values are those of `sdimage_blocking_reads`.
package struct BlockingReads: OptionSet, Sendable {
    /// Values combine; the default is none, and a call returns before any read.
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }

    /// The encoded bytes of an image in memory.
    package static let memoryData = BlockingReads(rawValue: 1)
    /// The disk look-up of an image that is not in memory.
    package static let disk = BlockingReads(rawValue: 2)
}

/// Sources that a load may use.
package enum SourcePolicy: Int32, Sendable {
    /// Caches first, then the loader.
    case any = 0
    /// Never calls a loader; a load without a cached image ends without one.
    case cacheOnly = 1
    /// Never looks in caches; the result is stored.
    case loaderOnly = 2
}

/// Exceptions from the look-up and the store in all layers; the raw values are those of `sdimage_cache_policy`.
/// Reads and writes of originals concern requests for derived images only.
package struct CachePolicy: OptionSet, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let skipMemoryRead = CachePolicy(rawValue: 1)
    package static let skipMemoryWrite = CachePolicy(rawValue: 2)
    package static let skipDiskRead = CachePolicy(rawValue: 4)
    package static let skipDiskWrite = CachePolicy(rawValue: 8)
    package static let skipOriginalRead = CachePolicy(rawValue: 16)
    package static let skipOriginalWrite = CachePolicy(rawValue: 32)
    /// Unlike the others, these two enable something.
    package static let readOriginalFromMemory = CachePolicy(rawValue: 64)
    package static let storeOriginalInMemory = CachePolicy(rawValue: 128)

    /// The layers in which the requested image is looked up.
    package var queryLayers: CacheLayers { layers(memory: !contains(.skipMemoryRead), disk: !contains(.skipDiskRead)) }
    /// The layers in which the requested image is stored.
    package var storeLayers: CacheLayers { layers(memory: !contains(.skipMemoryWrite), disk: !contains(.skipDiskWrite)) }
    /// The layers in which the original of a derived image is looked up.
    package var originalQueryLayers: CacheLayers {
        layers(memory: contains(.readOriginalFromMemory), disk: !contains(.skipOriginalRead))
    }
    /// The layers in which the original of a derived image is stored.
    package var originalStoreLayers: CacheLayers {
        layers(memory: contains(.storeOriginalInMemory), disk: !contains(.skipOriginalWrite))
    }

    private func layers(memory: Bool, disk: Bool) -> CacheLayers {
        var layers: CacheLayers = []
        if memory { layers.insert(.memory) }
        if disk { layers.insert(.disk) }
        return layers
    }
}

/// Layers of a cache.
/// Raw values are those of the C interface.
package struct CacheLayers: OptionSet, Sendable {
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let disk = CacheLayers(rawValue: 1)
    package static let memory = CacheLayers(rawValue: 2)
    package static let all: CacheLayers = [.disk, .memory]
}

extension ImageRequest {
    /// A copy of the request with these conditions in place of its own. Unchanged without conditions, and for methods other
    /// than GET.
    /// Used by `RevalidationStage`, with the conditions of a cached record and its `location`.
    package func asking(_ conditions: [HeaderField], of location: MD5?) -> ImageRequest {
        guard !conditions.isEmpty, isGet else { return self }
        var request = self
        // Conditions of the host may refer to another representation than the cached one.
        request.headers.removeAll { ["if-none-match", "if-modified-since"].contains($0.name.lowercased()) }
        request.headers += conditions
        request.conditionTarget = location.map(ConditionTarget.redirected) ?? .requested
        return request
    }
}

/// Used for look-ups alone.
extension ImageRequest {
    /// The request for the image of the same key in one cache, without a loader, hooks or a transformer.
    package func limited(to cache: any ImageCaching) -> ImageRequest {
        var request = self
        request.isKeyOnly = true
        request.sourcePolicy = .cacheOnly
        request.cache = .value(cache)
        request.originalCache = .inherited
        request.loadHooks = nil
        request.transformer = .none
        return request.storingInMemoryOnly
    }

    /// The same request for a query: what it derives from cached images is not written to disk.
    var storingInMemoryOnly: ImageRequest {
        var request = self
        request.cachePolicy.formUnion([.skipDiskWrite, .skipOriginalWrite])
        return request
    }
}
