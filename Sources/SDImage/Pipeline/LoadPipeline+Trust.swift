import Synchronization

/// The one place that decides whether something of a load may enter a cache or be remembered for other loads.
extension LoadPipeline {
    /// False for a load that accepts invalid certificates, by its own request or by that of a hook: whatever it brings,
    /// complete, partial or revalidated, stays with it. What it finds in caches is used as it is.
    var mayFillCaches: Bool { !request.acceptsInvalidCertificates && !isUntrusted.load(ordering: .acquiring) }

    /// Notes the request that is sent, before anything of its response arrives.
    func noteSent(_ request: ImageRequest) {
        if request.acceptsInvalidCertificates { isUntrusted.store(true, ordering: .releasing) }
        sent.withLock { $0 = request }
    }

    // MARK: failures

    /// Throws where the network is switched off.
    func admit(_ request: ImageRequest) throws(ImageError) {
        if manager.offline.forbids(request) { throw ImageError(.offline, "loading over the network is switched off") }
    }

    /// Throws where the same request, as it is sent, failed a moment ago.
    func refuseFailed(_ loader: any ImageLoader, _ sent: ImageRequest) throws(ImageError) {
        guard !request.retryFailed, request.isGet, manager.failedURLs.knows(CacheKey(request.url)),
            let scope = FailureScope(request.url, sent, loader), let failure = manager.failedURLs.failure(of: scope)
        else { return }
        throw ImageError(
            .failedURL, "failed for good a moment ago; not asked again yet", httpStatus: failure.httpStatus, cause: failure)
    }

    /// Remembers a failure for equal requests; the host's word counts before the loader's. A response to another
    /// method holds for that method only.
    func remember(_ error: ImageError, of loader: any ImageLoader) {
        guard request.isGet, mayFillCaches, ![.cancelled, .shutdown, .noMemory, .failedURL, .offline].contains(error.status),
            request.loadHooks?.remembersFailure?(request, error) ?? loader.remembersFailure(error),
            let sent = sent.withLock({ $0 }), let scope = FailureScope(request.url, sent, loader)
        else { return }
        manager.failedURLs.insert(scope, error)
    }

    /// Forgets the failures of the URL after a success of a load that ignored them.
    func forgetFailures() {
        if request.retryFailed, mayFillCaches { manager.failedURLs.remove(CacheKey(request.url)) }
    }
}
