/// Fetches the bytes of one URL. Never caches and never decodes.
/// Called by `FetchStage` and `LoaderFetch`. Implementations: `CurlLoader`, `FileLoader`, `DataURLLoader`,
/// `LoaderChain`, and loaders of the host.
package protocol ImageLoader: AnyObject, Sendable {
    /// Name for messages and `doctor`.
    var name: String { get }
    /// Identifies the loader in keys (`UniqueNumber`).
    /// Constant for the lifetime of the loader.
    var number: UInt64 { get }
    /// True when this loader supports the scheme; otherwise the next one is asked.
    /// Depends on the request alone, not on the state of the network.
    func canLoad(_ request: ImageRequest) -> Bool
    /// The loader that performs this request: itself, or a member of a chain. Throws when no loader accepts the request.
    func chosen(for request: ImageRequest) throws(ImageError) -> any ImageLoader
    /// Fetches the bytes. Fails with `cancelled` when the surrounding task is cancelled. `progress` may be called on any
    /// thread, any number of times, before this returns.
    /// The request is one that `prepared` returned.
    func load(_ request: ImageRequest, progress: LoadProgress) async throws(ImageError) -> LoadedData
    /// Starts a fetch for a caller without a task, which cancels it with the returned object. `sharingKey`: that of the request;
    /// nil if its transfer is not shared. `done` is called once, on any thread, possibly before this returns.
    /// The executor is the thread on which a loader without one of its own runs its task.
    func begin(
        _ request: ImageRequest, sharedAs sharingKey: SharingKey?, progress: LoadProgress, on executor: WorkerThread,
        done: @escaping @Sendable (Result<LoadedData, ImageError>) -> Void
    ) -> any Cancellable
    /// True when `prepared` may change the request.
    func prepares(_ request: ImageRequest) -> Bool
    /// True when `canLoad`, `sharingKey` and `begin` return quickly, so that any thread may call them. Those of a host may
    /// wait.
    var isQuick: Bool { get }
    /// The request to send, as changed by a hook of the host; the functions below take this request. May wait.
    func prepared(_ request: ImageRequest) async throws(ImageError) -> ImageRequest
    /// Key of requests that can share one transfer. nil: the transfer is never shared.
    /// Equal keys promise equal bytes; see `SharingKey`.
    func sharingKey(_ request: ImageRequest) -> SharingKey?
    /// True when a failure is remembered, so that the URL is not requested again for a while.
    /// Asked after each failed transfer, unless a hook of the host decides.
    func remembersFailure(_ error: ImageError, of request: ImageRequest) -> Bool
    /// Key of requests that share a failure: the sharing key of transfers and the state of the loader that is sent along. nil:
    /// failures are not remembered.
    func failureKey(_ request: ImageRequest) -> [UInt8]?
    /// The header fields sent for a request, including the loader's own; a response may depend on them.
    func sentFields(_ request: ImageRequest) -> [HeaderField]
    /// True when equal requests may be one load. Unlike `sharingKey`, returns quickly for every loader.
    var sharesEqualLoads: Bool { get }
    /// Changes the priority of the transfer of `sharingKey`, if it is still queued.
    /// Has no effect on a transfer that the loader does not know.
    func setPriority(_ sharingKey: SharingKey, to priority: LoadPriority)
}

/// Result of a loader.
/// Made by a loader; `noted` completes it with the properties of the request.
package struct LoadedData: Sendable {
    /// The body after content decoding.
    package var bytes: Bytes
    /// The image itself, from a loader that owns images rather than bytes, such as a photo library.
    package var image: Image?
    /// Options for an image that a loader hands over encoded; they replace the options of the request. The encoded bytes are
    /// not part of the load's result.
    package var decodeOptions: DecodeOptions?
    /// HTTP status. 304, without bytes, when the request was conditional and the image has not changed.
    package var httpStatus: Int32 = 0
    /// Media type without parameters, lower case; empty when unknown.
    package var mediaType = ""
    /// The URL after redirects; equal to that of the request when there were none.
    package var finalURL: [UInt8] = []
    /// Source reported in the result: `network` or `loader`.
    package var source: ImageSource = .loader
    /// False for data on the user's own disk or in the URL itself: stored in memory, but not on disk.
    package var isWorthKeeping = true
    /// True for data from a server with an untrusted certificate: no cache stores it and no other load shares it.
    package var isUntrusted = false
    /// The exchanges with the origin, in order.
    package var transactions: [LoadTransaction] = []
    /// Validators and freshness, stored with the image; empty for loaders without HTTP.
    package var record = ResponseRecord()
    /// Records of the redirects that led to the response, in order.
    package var redirects: [ResponseRecord] = []
    /// The response itself, if hooks need it.
    package var response: DownloadResponse?

    package init(bytes: Bytes) { self.bytes = bytes }

    /// True when the loader supplied an image: there are no bytes to store or return.
    var isImage: Bool { image != nil || decodeOptions != nil }

    /// True for "Not modified": no image, only updated metadata of a stored one.
    var isUnmodified: Bool { httpStatus == 304 && bytes.isEmpty }

    /// Adds the metadata that depends on the request: the fields that select the response for later requests, and the
    /// restriction to private caches. For "Not modified", the restriction follows after the merge with the stored response.
    /// Called once, when the transfer has ended.
    func noted(_ request: ImageRequest, _ loader: any ImageLoader) -> LoadedData {
        // The record of 304 is merged with the stored one first, which may have another restriction.
        guard !isUnmodified else { return selected(by: loader.sentFields(request)) }
        var data = self
        data.record = record.noted(request, loader, after: redirects)
        return data
    }

    /// A response without Vary needs no digest of fields.
    private func selected(by fields: @autoclosure () -> [HeaderField]) -> LoadedData {
        guard !record.vary.isEmpty else { return self }
        var data = self
        data.record.select(by: fields())
        return data
    }
}

/// Called by `noted` above, and by `RevalidationStage` after the merge.
extension ResponseRecord {
    /// Adds the request fields that select the response, and the restrictions to private caches and to memory where required.
    /// `redirects`: those that led to the response, which restrict it, too.
    func noted(_ request: ImageRequest, _ loader: any ImageLoader, after redirects: [ResponseRecord]) -> ResponseRecord {
        let fields = loader.sentFields(request)
        let (hasAuthorization, hasCookies) = (request.carriesAuthorization(fields), request.carriesCookies(fields))
        var record = self
        for var redirect in redirects {
            redirect.restrict(hasAuthorization: hasAuthorization, hasCookies: hasCookies)
            record.restrict(by: redirect)
        }
        if !record.vary.isEmpty { record.select(by: fields) }
        record.restrict(hasAuthorization: hasAuthorization, hasCookies: hasCookies)
        record.isForMemoryOnly = !record.mayBeStored(fields)
        return record
    }
}

/// RFC 9111, section 3.5, restricts responses to requests with credentials.
extension ImageRequest {
    /// True when the request sends credentials in a field or in the URL.
    /// `fields`: the fields as sent, with those of the loader.
    func carriesAuthorization(_ fields: [HeaderField]) -> Bool {
        fields.contains { $0.isNamed("Authorization") || $0.isNamed("Proxy-Authorization") }
            || self.urlText.userInfo != nil
    }

    /// A jar may send cookies that are not among the fields.
    func carriesCookies(_ fields: [HeaderField]) -> Bool {
        self.handlesCookies || fields.contains { $0.isNamed("Cookie") }
    }

    /// Such responses are rarely useful to other processes.
    func carriesCredentials(_ fields: [HeaderField]) -> Bool { carriesAuthorization(fields) || carriesCookies(fields) }
}

/// Defaults for loaders that only load, without hooks, priorities or state of their own.
extension ImageLoader {
    package var sharesEqualLoads: Bool { true }

    package func setPriority(_ sharingKey: SharingKey, to priority: LoadPriority) {}

    package func begin(
        _ request: ImageRequest, sharedAs sharingKey: SharingKey?, progress: LoadProgress, on executor: WorkerThread,
        done: @escaping @Sendable (Result<LoadedData, ImageError>) -> Void
    ) -> any Cancellable {
        // The task runs on the asynchronous thread; a loader that blocks changes to another one itself.
        let task = Task(executorPreference: executor) {
            do throws(ImageError) { done(.success(try await self.load(request, progress: progress))) } catch {
                done(.failure(error))
            }
        }
        return CancellationToken { task.cancel() }
    }

    package func prepares(_ request: ImageRequest) -> Bool { false }

    package var isQuick: Bool { false }

    package func prepared(_ request: ImageRequest) async throws(ImageError) -> ImageRequest { request }

    package func sentFields(_ request: ImageRequest) -> [HeaderField] { request.headers }

    package func failureKey(_ request: ImageRequest) -> [UInt8]? {
        if let key = sharingKey(request) { return key.bytes }
        // Parts that cannot be compared, such as values of the host, are ignored: credentials are in the URL and the fields. Without
        // fields it is the key of a request that is shared.
        return request.headers.reduce(into: SharingKey(url: request.url).bytes) { key, field in
            key += [Byte.newline] + Array("\(field.name.lowercased()): \(field.value)".utf8)
        }
    }

    package func chosen(for request: ImageRequest) throws(ImageError) -> any ImageLoader {
        if canLoad(request) { return self }
        throw ImageError.noLoader(for: request.urlText)
    }

    package func remembersFailure(_ error: ImageError, of request: ImageRequest) -> Bool { error.isDefinite }
}

/// Errors that several loaders and stages report alike.
extension ImageError {
    /// The error for a response without an image to a condition that the caller itself set.
    static func unmodified(after transactions: [LoadTransaction] = []) -> ImageError {
        ImageError(.notModified, "http: response 304 to a condition of the request", httpStatus: 304).after(transactions)
    }

    /// The error for a URL that no loader accepts.
    /// Schemes without any loader are refused by policy; a known scheme lacks its loader in this chain.
    package static func noLoader(for url: URLText) -> ImageError {
        let scheme = url.scheme
        switch scheme {
        case "": return ImageError(.invalidURL, "url: no scheme, such as https or file", url: url.redacted)
        case "http", "https", "file", "data":
            return ImageError(.unsupported, "loader: none for scheme \(scheme)", url: url.redacted)
        default: return ImageError(.schemeForbidden, "url: scheme not allowed for images", url: url.redacted)
        }
    }
}
