import SDImage
import Synchronization

/// Loads `http:` and `https:` URLs.
/// Also the type of downloaders in the C interface. Any thread may call it; transfers run on the transfer thread of
/// `service`.
package final class CurlLoader: ImageLoader {
    package let name = "http"
    package var number: UInt64 { settings.id }
    /// Constant settings, and the header fields that may change.
    private let settings: LoaderSettings
    private let service: CurlService
    /// Keeps the service running.
    private let lease: EngineLease?

    /// True after `invalidate`.
    private let isInvalidated = Lock(false)

    /// The configuration is copied.
    /// Throws for invalid header fields and proxies, and for options that conflict with a transport.
    package convenience init(
        _ configuration: DownloaderConfiguration = DownloaderConfiguration(), lease: EngineLease
    ) throws(ImageError) {
        let engine = lease.engine
        let service = try engine.service { () throws(ImageError) in try CurlService(backlog: engine.backlog) }
        try self.init(configuration, service: service, lease: lease)
    }

    /// Uses a service that runs at least as long as the loader is used.
    package init(_ configuration: DownloaderConfiguration, service: CurlService, lease: EngineLease? = nil) throws(ImageError) {
        self.lease = lease
        // The token becomes part of a field, so it must not contain a line end.
        let token = HeaderField(name: "Authorization", value: configuration.bearerToken ?? "")
        try RequestHead.validate(configuration.fields.all + [token])
        try configuration.validateTransport()
        try configuration.validateProxy()
        settings = LoaderSettings(configuration)
        self.service = service
    }

    deinit { service.post(.forget(loader: settings.id)) }

    package var isQuick: Bool { true }

    package func canLoad(_ request: ImageRequest) -> Bool { request.isHTTP }

    /// Suspends the calling task until the transfer has ended; its cancellation ends the transfer.
    package func load(_ request: ImageRequest, progress: LoadProgress) async throws(ImageError) -> LoadedData {
        let download = try download(for: request, sharedAs: sharingKey(request), progress)
        let outcome = await suspended { resume in
            start(download) { resume($0) }
        } onCancel: {
            download.cancel()
        }
        return try await decrypted(try outcome.get(), download)
    }

    /// Errors found at the start are reported by `done` before this returns.
    package func begin(
        _ request: ImageRequest, sharedAs sharingKey: SharingKey?, progress: LoadProgress, on executor: WorkerThread,
        done: @escaping @Sendable (Result<LoadedData, ImageError>) -> Void
    ) -> any Cancellable {
        let download: Download
        do throws(ImageError) { download = try self.download(for: request, sharedAs: sharingKey, progress) } catch {
            done(.failure(error))
            return CancellationToken()
        }
        // Without a decryptor the outcome needs no task.
        if download.hooks?.decrypt == nil {
            start(download, done)
        } else {
            // Decrypting takes a worker, for which only a task can wait.
            start(download) { [self] outcome in
                Task(executorPreference: executor) {
                    do throws(ImageError) { done(.success(try await self.decrypted(try outcome.get(), download))) } catch {
                        done(.failure(error))
                    }
                }
            }
        }
        return download
    }

    /// Remembers `done`, then hands the download over.
    private func start(_ download: Download, _ done: @escaping @Sendable (Download.Outcome) -> Void) {
        download.wait(done)
        service.post(.start(download))
    }

    /// Makes the download of a request; throws if the request is invalid or unsupported, or the loader was invalidated.
    private func download(
        for request: ImageRequest, sharedAs sharingKey: SharingKey?, _ progress: LoadProgress
    ) throws(ImageError) -> Download {
        let url = request.urlText
        try url.validateForHTTP()
        guard request.isHTTP else {
            throw ImageError(.unsupported, "http: URL scheme is neither http nor https", url: url.redacted)
        }
        do throws(ImageError) { try RequestHead.validate(request) } catch { throw error.about(url: url.redacted) }
        if isInvalidated.withLock({ $0 }) {
            throw ImageError(.invalidRequest, "downloader: already invalidated", url: url.redacted)
        }
        // The transport has a cookie jar and a TLS configuration of its own.
        if settings.configuration.transport != nil, request.handlesCookies || request.acceptsInvalidCertificates {
            throw ImageError(
                .unsupported, "request: cookie and certificate options conflict with the custom transport", url: url.redacted)
        }
        return Download(request, sharingKey: sharingKey, settings: settings, service: service, progress: progress)
    }

    /// Returns the decrypted image data, which is also what caches store. Without a decryptor, returns the data unchanged.
    private func decrypted(_ data: LoadedData, _ download: Download) async throws(ImageError) -> LoadedData {
        // A response without bytes, such as 304, has nothing to decrypt.
        guard let decrypt = download.hooks?.decrypt, let response = data.response, !data.bytes.isEmpty else { return data }
        guard let pool = Engine.current?.work else { throw .shutdown }
        var plain = data
        do throws(ImageError) {
            // The decryptor computes, so it must not run on the thread that transfers.
            plain.bytes = try await pool.run(download.request.priority) { () throws(ImageError) in
                try decrypt(data.bytes, response)
            }
        } catch {
            let failure = error.meansUnreadable ? error : error.inHook(.badData, "http: decryption failed")
            throw failure.about(url: download.url.redacted)
        }
        guard !plain.bytes.isEmpty else {
            throw ImageError(.badData, "hook: decryption returned no data", url: download.url.redacted)
        }
        return plain
    }

    /// True if the request or the downloader has a request hook.
    package func prepares(_ request: ImageRequest) -> Bool {
        request.hooks?.request != nil || settings.configuration.hooks?.request != nil
    }

    /// Calls the hook of the request, or else that of the downloader. Throws its refusal as `invalidRequest`, but `cancelled`
    /// and `shutdown` unchanged.
    package func prepared(_ request: ImageRequest) async throws(ImageError) -> ImageRequest {
        guard let hook = request.hooks?.request ?? settings.configuration.hooks?.request else { return request }
        do throws(ImageError) { return try await hook(request) } catch {
            throw error.inHook(.invalidRequest, "http: request modifier refused")
        }
    }

    /// Includes fields that libcurl adds for a credential or a cookie, because a response may depend on them.
    package func sentFields(_ request: ImageRequest) -> [HeaderField] {
        let own = RequestHead.defaults(settings.sentFields.fields, settings.configuration.bearerToken, request.urlText)
        var fields = RequestHead.merge(own, request)
        // libcurl chooses cookies when it sends the request. No two requests are known to have the same, so each value is unique.
        if request.handlesCookies, settings.cookieChanges.load(ordering: .relaxed) > 0 {
            fields.append(HeaderField(name: "Cookie", value: String(UInt64.random(in: 0...UInt64.max))))
        }
        // libcurl itself sends the credential, at the latest in response to a challenge.
        guard let credential = settings.configuration.credential, !fields.contains(where: { $0.isNamed("Authorization") }),
            !request.omittedHeaders.contains(where: { $0.lowercased() == "authorization" })
        else { return fields }
        let proof = Base64.encode(Array("\(credential.user):\(credential.password)".utf8))
        return fields + [HeaderField(name: "Authorization", value: "Basic " + proof)]
    }

    /// nil for methods other than GET, whose responses belong to one caller.
    package func sharingKey(_ request: ImageRequest) -> SharingKey? {
        guard request.isGet else { return nil }
        let (url, sent) = (request.urlText, settings.sentFields)
        return SharingKey(
            // The fragment is not sent to the server.
            url: url.fragment == nil ? url.bytes : Array(url.withoutFragment),
            details: request.hasPlainTransfer
                ? sent.plainDetails : SharingDetails(of: request, sent.changes, loader: settings.id).bytes)
    }

    /// Includes the number of cookie changes if the request handles cookies: a remembered failure is not valid for other
    /// cookies.
    package func failureKey(_ request: ImageRequest) -> [UInt8]? {
        guard let key = sharingKey(request) else { return nil }
        let cookies = SharingDetails([request.handlesCookies ? settings.cookieChanges.load(ordering: .relaxed) : 0])
        return cookies.bytes + key.bytes
    }

    /// The header fields of every request.
    /// A snapshot.
    package var fields: LoaderFields { settings.sentFields.fields }

    /// Changes a header field for transfers that are started from now on; nil removes it.
    /// Throws for names that are no tokens and values with control characters.
    package func setField(_ name: String, _ value: String?) throws(ImageError) {
        try RequestHead.validate([HeaderField(name: name, value: value ?? "")])
        settings.setField(name, value)
    }

    /// Number of running and waiting transfers. Commands of the loader reach every transfer that has been counted.
    package var transferCount: Int { settings.transferCount.load(ordering: .relaxed) }

    package var limits: QueueLimits { settings.limits }

    /// Applies to waiting transfers immediately; running ones continue unchanged.
    package func changeLimits(_ change: (inout QueueLimits) -> Void) {
        settings.changeLimits(change) { service.post(.limit(loader: settings.id, $0)) }
    }

    /// Ends all transfers with `cancelled`.
    /// Returns before they have ended.
    package func cancelAll() { service.post(.cancelAll(loader: settings.id)) }

    /// Refuses new loads. Transfers under way complete, or are cancelled if `cancelling` is true.
    package func invalidate(cancelling: Bool) {
        isInvalidated.withLock { $0 = true }
        if cancelling { cancelAll() }
    }

    /// Has no effect on transfers that have ended.
    package func setPriority(_ sharingKey: SharingKey, to priority: LoadPriority) {
        service.post(.prioritize(loader: settings.id, sharingKey: sharingKey, priority))
    }
}
