import Synchronization

/// The only place that decides whether data of a load may enter a cache or be remembered for other loads.
/// Checked by stages before every store; new kinds of shared state must do the same.
extension LoadContext {
    /// False for a load that accepts invalid certificates, by its own request or by that of a hook: its data, complete, partial
    /// or revalidated, is used by that load alone. Cached data is used as it is.
    var mayFillCaches: Bool { !request.acceptsInvalidCertificates && !isUntrusted.load(ordering: .acquiring) }

    /// Records the request as sent, before any part of its response arrives.
    func noteSent(_ request: ImageRequest) {
        if request.acceptsInvalidCertificates { isUntrusted.store(true, ordering: .releasing) }
        sent = request
    }

    // MARK: failures

    /// Throws for a URL that cannot be loaded, and for an impossible cache key.
    /// Called before the caches are queried: an invalid URL must not find an entry by chance.
    func validate() throws(ImageError) {
        if !request.isKeyOnly { try request.urlText.validate() }
        if let key = request.cacheKey { try CacheKey.validate(key) }
    }

    /// Throws if the network is switched off.
    /// Called before hooks run.
    func admit(_ request: ImageRequest) throws(ImageError) {
        if manager.offline.forbids(request) { throw ImageError(.offline, "request: network access is switched off") }
    }

    /// Throws if the same request, as it is sent, failed recently.
    /// `sent`: the request after the hook of the host, which is the one that failed.
    func refuseFailed(_ loader: any ImageLoader, _ sent: ImageRequest) throws(ImageError) {
        guard !request.retryFailed, request.isGet, manager.failedURLs.knows(CacheKey(request.url)),
            let scope = FailureScope(request.url, sent, loader), let refusal = manager.failedURLs.refusal(of: scope)
        else { return }
        throw refusal
    }

    /// Remembers a failure for equal requests; the host's decision precedes that of the loader. A response to another method
    /// applies to that method only.
    /// Does nothing for errors that concern this load alone, such as cancellation.
    func remember(_ error: ImageError, of loader: any ImageLoader) {
        // An error under an invalid certificate may come from an attacker, and must not refuse later loads.
        guard request.isGet, mayFillCaches, error.concernsURL,
            request.loadHooks?.remembersFailure?(request, error) ?? loader.remembersFailure(error, of: request),
            let sent, let scope = FailureScope(request.url, sent, loader)
        else { return }
        manager.failedURLs.insert(scope, error)
    }

    /// Forgets the failures of the URL after a success of a load that ignored them.
    /// Without `retryFailed` the remembered request is refused, so its success cannot be the reason to forget it.
    func forgetFailures() {
        if request.retryFailed, mayFillCaches { manager.failedURLs.remove(CacheKey(request.url)) }
    }
}
