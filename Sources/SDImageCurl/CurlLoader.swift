import SDImage

/// Loads `http:` and `https:` URLs.
package final class CurlLoader: ImageLoader {
    package let name = "http"
    private let settings: LoaderSettings
    private let service: CurlService
    /// Keeps the service running.
    private let lease: EngineLease?

    /// The configuration is copied.
    package convenience init(
        _ configuration: DownloaderConfiguration = DownloaderConfiguration(), lease: EngineLease
    ) throws(ImageError) {
        let engine = lease.engine
        let service = try engine.service { () throws(ImageError) in try CurlService(backlog: engine.backlog) }
        try self.init(configuration, service: service, lease: lease)
    }

    /// For a service that runs as long as the loader is used.
    package init(_ configuration: DownloaderConfiguration, service: CurlService, lease: EngineLease? = nil) throws(ImageError) {
        self.lease = lease
        try RequestHead.validate(configuration.headers + [HeaderField(name: "User-Agent", value: configuration.userAgent)])
        settings = LoaderSettings(configuration)
        self.service = service
    }

    deinit { service.post(.forget(loader: settings.id)) }

    package func canLoad(_ request: ImageRequest) -> Bool { ["http", "https"].contains(URLText(request.url).scheme) }

    package func load(_ request: ImageRequest, progress: @escaping LoadProgress) async throws(ImageError) -> LoadedData {
        let url = URLText(request.url)
        try url.validateForHTTP()
        guard canLoad(request) else { throw ImageError(.unsupported, "scheme is not http or https", url: url.redacted) }
        do throws(ImageError) { try RequestHead.validate(request.headers) } catch { throw error.about(url: url.redacted) }
        let ticket = Ticket(
            request, url: url, sharingKey: sharingKey(request) ?? [], settings: settings, progress: progress)
        let outcome = await withTaskCancellationHandler {
            unsafe await withUnsafeContinuation { continuation in
                unsafe ticket.wait(with: continuation)
                service.post(.start(ticket))
            }
        } onCancel: {
            ticket.markCancelled()
            service.post(.cancel(ticket))
        }
        return try outcome.get()
    }

    package func sentFields(_ request: ImageRequest) -> [HeaderField] {
        let own = [HeaderField(name: "User-Agent", value: settings.configuration.userAgent)]
        return RequestHead.merge(RequestHead.merge(own, settings.configuration.headers), request.headers)
    }

    package func sharingKey(_ request: ImageRequest) -> [UInt8]? {
        var key: [UInt8] = []
        func append(_ part: some Collection<UInt8>) {
            // With its length, so that no two lists of parts give the same bytes.
            key += Array(String(part.count).utf8) + [Byte.colon] + part
        }
        append(Array("http \(settings.id) \(request.maxBodyBytes) \(request.timeoutMilliseconds)".utf8))
        append(URLText(request.url).withoutFragment)
        for field in request.headers {
            append(field.name.utf8.map(Byte.lowercased))
            append(Array(field.value.utf8))
        }
        return key
    }

    package func raisePriority(_ sharingKey: [UInt8], to priority: LoadPriority) {
        service.post(.raise(loader: settings.id, sharingKey: sharingKey, priority))
    }
}
