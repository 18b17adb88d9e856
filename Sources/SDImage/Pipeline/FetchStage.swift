/// Joins the transfer of a request, or starts it. `Load.transferFinished` continues with the response.
/// Used by `Load.fetch` and `Load.startHere`, before and while the load is in the transfer order.
struct FetchStage {
    let context: LoadContext

    /// The request to send, as changed by the host's hook. Throws when the network is switched off, or the request failed
    /// recently.
    /// Runs the hook of the host, which may suspend the load. The request that the hook returns decides about
    /// remembered failures.
    func prepared(_ request: ImageRequest, for loader: any ImageLoader) async throws(ImageError) -> ImageRequest {
        try context.admit(request)
        let sent = loader.prepares(request) ? try await loader.prepared(request) : request
        try context.refuseFailed(loader, sent)
        return sent
    }

    /// The same for a request without hooks, on the calling thread.
    func checked(_ request: ImageRequest, for loader: any ImageLoader) throws(ImageError) {
        try context.admit(request)
        try context.refuseFailed(loader, request)
    }

    /// Adds the load to the transfer of the request under way, or to a new one.
    /// Runs on the thread that `TransferOrder` uses for the start. `lease`: a lease that may replace the transfer.
    func join(_ load: Load, _ request: ImageRequest, _ loader: any ImageLoader, _ lease: LeaseRequest?) {
        context.noteSent(request)
        let manager = context.manager
        var sent = request
        // A change copies all options of the request.
        // The priority may have been raised since the request was prepared.
        if sent.priority != context.priority { sent.priority = context.priority }
        let key = FetchKey(request, loader, lease, context)
        let (transfer, isNew) = manager.transfers.join(load, key) { [sent] in SharedTransfer(key, sent, loader, of: manager) }
        var isWaiting = load.attach(transfer)
        // The load was cancelled before it had the transfer, so its cancellation did not leave it.
        if !isWaiting { transfer.leave(load) }
        guard isNew else {
            guard isWaiting else { return }
            // A late load raises the priority, and receives the head, the body and the progress so far.
            transfer.updatePriority()
            return transfer.update(load)
        }
        // Another load may have stored the image since memory was asked.
        let memory = MemoryStage(manager: manager, request: context.request, keys: context.keys)
        if isWaiting, let image = memory.storedMeanwhile() {
            load.finish(inMemory: image)
            isWaiting = false
        }
        // Another load may have joined the transfer before this one left it.
        guard isWaiting || transfer.hasLoads else { return }
        transfer.attach(start(transfer, key, sent, loader, lease))
        // The priority may have changed before the load had the transfer.
        if context.priority != sent.priority { transfer.updatePriority() }
    }

    /// Starts a transfer by its loader, or by the lease that may replace it.
    private func start(
        _ transfer: SharedTransfer, _ key: FetchKey, _ request: ImageRequest, _ loader: any ImageLoader, _ lease: LeaseRequest?
    ) -> any Cancellable {
        let (engine, progress) = (context.engine, LoadProgress(transfer))
        guard let lease else {
            // Captures the transfer alone, which needs no memory.
            return loader.begin(request, sharedAs: key.sharingKey, progress: progress, on: engine.executor) {
                [transfer] outcome in
                transfer.loaderFinished(outcome)
            }
        }
        let task = Task(executorPreference: engine.executor) {
            do throws(ImageError) {
                transfer.finish(.success(try await lease.fetch(request, loader, engine, progress: progress)))
            } catch { transfer.finish(.failure(error)) }
        }
        return CancellationToken { task.cancel() }
    }
}
