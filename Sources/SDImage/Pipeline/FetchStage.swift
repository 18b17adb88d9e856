/// Joins the transfer of a request, or starts it. `Load.transferFinished` continues with the response.
struct FetchStage {
    let context: LoadContext

    /// The request to send, as changed by the host's hook. Throws when the network is switched off, or the request failed
    /// recently.
    func prepared(_ request: ImageRequest, for loader: any ImageLoader) async throws(ImageError) -> ImageRequest {
        try context.admit(request)
        let sent = loader.prepares(request) ? try await loader.prepared(request) : request
        try context.refuseFailed(loader, sent)
        return sent
    }

    /// The same for a request without hooks, on the calling thread.
    func checked(_ request: ImageRequest, for loader: any ImageLoader) throws(ImageError) {
        try context.validate()
        try context.admit(request)
        try context.refuseFailed(loader, request)
    }

    /// Adds the load to the transfer of the request under way, or to a new one.
    func join(_ load: Load, _ request: ImageRequest, _ loader: any ImageLoader, _ lease: LeaseRequest?) {
        context.noteSent(request)
        let transfers = context.manager.transfers
        let key = FetchKey(request, loader, lease, context)
        let (transfer, isNew) = transfers.join(load, key) { SharedTransfer(key, loader, in: transfers) }
        guard load.attach(transfer) else { return transfer.leave(load) }
        guard isNew else {
            transfer.updatePriority()
            return transfer.update(load)
        }
        // Another load may have stored the image since memory was asked.
        let memory = MemoryStage(manager: context.manager, request: context.request, keys: context.keys)
        if let image = memory.storedMeanwhile() { return load.finish(inMemory: image) }
        var request = request
        // A change copies all options of the request.
        if request.priority != context.priority { request.priority = context.priority }
        transfer.start { [engine = context.engine, request] progress, done in
            guard let lease else {
                return loader.begin(request, sharedAs: key.sharingKey, progress: progress, on: engine.executor) { outcome in
                    done(outcome.map { FetchResult($0.noted(request, loader), engine.backlog) })
                }
            }
            let task = Task(executorPreference: engine.executor) {
                do throws(ImageError) {
                    done(.success(try await lease.fetch(request, loader, engine, progress: progress)))
                } catch { done(.failure(error)) }
            }
            return CancellationToken { task.cancel() }
        }
    }
}
