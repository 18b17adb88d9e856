/// Fetches the bytes of one URL. Never caches; decodes nothing.
package protocol ImageLoader: AnyObject, Sendable {
    /// Name for messages and `doctor`.
    var name: String { get }
    /// Identifies the loader in keys (UniqueNumber).
    var number: UInt64 { get }
    /// True when this loader knows the scheme; the next one is asked otherwise.
    func canLoad(_ request: ImageRequest) -> Bool
    /// Who does the work for this request: itself, or one of a chain. Throws when nobody takes it.
    func chosen(for request: ImageRequest) throws(ImageError) -> any ImageLoader
    /// Fetches. Ends early with `cancelled` when the surrounding task is cancelled. `progress` may be called on any
    /// thread, any number of times, before this returns.
    func load(_ request: ImageRequest, progress: LoadProgress) async throws(ImageError) -> LoadedData
    /// The same for one who waits without a task: `done` is called once, on any thread, maybe before this returns.
    func begin(
        _ request: ImageRequest, progress: LoadProgress, on executor: WorkerThread,
        done: @escaping @Sendable (Result<LoadedData, ImageError>) -> Void
    ) -> any Cancellable
    /// Whether `prepared` changes anything.
    func prepares(_ request: ImageRequest) -> Bool
    /// Whether `canLoad`, `sharingKey` and `begin` are quick, so that any thread may call them: those of a host may wait.
    var isQuick: Bool { get }
    /// The request as it is sent, where a hook of the host changes it; what follows is about this one. May wait.
    func prepared(_ request: ImageRequest) async throws(ImageError) -> ImageRequest
    /// What must be equal for two requests to share one transfer: the URL and everything that changes the bytes
    /// (docs/decisions.md, "What a transfer is shared by"). nil: never share.
    func sharingKey(_ request: ImageRequest) -> [UInt8]?
    /// Whether a failure is remembered, so that the URL is not asked again for a while.
    func remembersFailure(_ error: ImageError) -> Bool
    /// What must be equal for the failure of one request to hold for another: what transfers are shared by, and the state of
    /// the loader that is sent along. nil: failures are not remembered.
    func failureKey(_ request: ImageRequest) -> [UInt8]?
    /// The header fields that are sent for a request, the loader's own included: an answer may depend on them.
    func sentFields(_ request: ImageRequest) -> [HeaderField]
    /// Raises the priority of a transfer already queued for `sharingKey`.
    func raisePriority(_ sharingKey: [UInt8], to priority: LoadPriority)
}

/// What a loader hands back.
package struct LoadedData: Sendable {
    package var bytes: Bytes
    /// A loader that owns pictures rather than bytes (a photo library) hands the picture itself.
    package var image: Image?
    /// The same, where the picture is still encoded: how to decode it in place of what the request says. Its bytes are not
    /// the result's.
    package var decodeOptions: DecodeOptions?
    /// 304, without bytes, where the request carried a condition and the picture has not changed.
    package var httpStatus: Int32 = 0
    /// Media type without parameters, lower case; empty when unknown.
    package var mediaType = ""
    /// After redirects; equal to the request's where there were none.
    package var finalURL: [UInt8] = []
    /// For the result: `network` or `loader`.
    package var source: ImageSource = .loader
    /// False for what is on the user's own disk already, or in the URL itself: memory keeps it, the disk cache does not.
    package var isWorthKeeping = true
    /// From a server whose certificate nobody vouched for: no cache keeps it, and no other load is given it.
    package var isUntrusted = false
    package var transactions: [LoadTransaction] = []
    /// Validators and freshness, kept with the picture; empty where the loader does not speak HTTP.
    package var answer = ResponseRecord()
    /// The answer itself, where hooks look at it.
    package var response: DownloadResponse?

    package init(bytes: Bytes) { self.bytes = bytes }

    /// Handed as a picture: there are no bytes to keep or to give.
    var isPicture: Bool { image != nil || decodeOptions != nil }

    /// "Not modified": no picture, but news of one.
    var isUnmodified: Bool { httpStatus == 304 && bytes.isEmpty }

    /// The same, with what its request decides: which later requests select it, and whether it may leave the process. "Not
    /// modified" is noted after it was merged with the stored response.
    func noted(_ request: ImageRequest, _ loader: any ImageLoader) -> LoadedData {
        guard !isUnmodified else { return selected(by: loader.sentFields(request)) }
        var data = self
        data.answer = answer.noted(request, loader)
        return data
    }

    private func selected(by fields: @autoclosure () -> [HeaderField]) -> LoadedData {
        guard !answer.vary.isEmpty else { return self }
        var data = self
        data.answer.select(by: fields())
        return data
    }
}

extension ResponseRecord {
    /// The same, selected by the fields of the request, and restricted to private caches where it must be.
    func noted(_ request: ImageRequest, _ loader: any ImageLoader) -> ResponseRecord {
        let fields = loader.sentFields(request)
        var record = self
        if !vary.isEmpty { record.select(by: fields) }
        record.restrict(
            hasAuthorization: request.carriesAuthorization(fields), hasCookies: request.carriesCookies(fields))
        return record
    }
}

extension ImageRequest {
    /// User and password in the URL count as the field.
    func carriesAuthorization(_ fields: [HeaderField]) -> Bool {
        fields.contains { $0.isNamed("Authorization") || $0.isNamed("Proxy-Authorization") } || URLText(self.url).userInfo != nil
    }

    func carriesCookies(_ fields: [HeaderField]) -> Bool {
        self.handlesCookies || fields.contains { $0.isNamed("Cookie") }
    }

    func carriesCredentials(_ fields: [HeaderField]) -> Bool { carriesAuthorization(fields) || carriesCookies(fields) }
}

extension ImageLoader {
    package func raisePriority(_ sharingKey: [UInt8], to priority: LoadPriority) {}

    package func begin(
        _ request: ImageRequest, progress: LoadProgress, on executor: WorkerThread,
        done: @escaping @Sendable (Result<LoadedData, ImageError>) -> Void
    ) -> any Cancellable {
        Task(executorPreference: executor) {
            do throws(ImageError) { done(.success(try await self.load(request, progress: progress))) } catch {
                done(.failure(error))
            }
        }
    }

    package func prepares(_ request: ImageRequest) -> Bool { false }

    package var isQuick: Bool { false }

    package func prepared(_ request: ImageRequest) async throws(ImageError) -> ImageRequest { request }

    package func sentFields(_ request: ImageRequest) -> [HeaderField] { request.headers }

    package func failureKey(_ request: ImageRequest) -> [UInt8]? {
        if let key = sharingKey(request) { return key }
        // What cannot be compared, such as values of the host, does not count: credentials are in URL and fields.
        return request.headers.reduce(into: request.url) { key, field in
            key += [Byte.newline] + Array("\(field.name.lowercased()): \(field.value)".utf8)
        }
    }

    package func chosen(for request: ImageRequest) throws(ImageError) -> any ImageLoader {
        if canLoad(request) { return self }
        throw ImageError.noLoader(for: URLText(request.url))
    }

    /// Definite failures only: what is gone, and what can never be loaded.
    package func remembersFailure(_ error: ImageError) -> Bool {
        switch error.status {
        case .invalidURL, .schemeForbidden, .badData, .notAnImage, .emptyData, .photosNotAnImage: true
        case .httpStatus: [404, 410, 451].contains(error.httpStatus)
        default: false
        }
    }
}

extension ImageError {
    /// The error of a URL that no loader accepts.
    package static func noLoader(for url: URLText) -> ImageError {
        let scheme = url.scheme
        switch scheme {
        case "": return ImageError(.invalidURL, "URL has no scheme", url: url.redacted)
        case "http", "https", "file", "data", "ftp":
            return ImageError(.unsupported, "no loader for scheme \(scheme)", url: url.redacted)
        default: return ImageError(.schemeForbidden, "scheme is not one that pictures are loaded from", url: url.redacted)
        }
    }
}
