import CSDImage
import SDImage

/// The types of the function of `sdimage_cache_handler`, and of calls with one function. All are called on the callback thread.
package enum CacheFunctions {
    package typealias Completed = @convention(c) (UserData, Object) -> Void
    package typealias Data = @convention(c) (UserData, Object, Object) -> Void
    package typealias Layers = @convention(c) (UserData, sdimage_cache_layers, Object) -> Void
    package typealias DiskTotals = @convention(c) (UserData, UInt64, UInt64, Object) -> Void
}

extension Input {
    /// The callbacks of an operation on a cache; without functions for NULL.
    package static func cacheHandler(_ pointer: UnsafePointer<sdimage_cache_handler>?) throws(ImageError) -> sdimage_cache_handler
    {
        guard unsafe pointer != nil else { return sdimage_cache_handler() }
        let required = unsafe MemoryLayout<sdimage_cache_handler>.offset(of: \.completed) ?? 0
        let size = unsafe pointer?.pointee.size ?? 0
        return unsafe try table(pointer, size: size, required: required, empty: sdimage_cache_handler())
    }
}

/// The host's callback for a change to a cache: called once, on the callback thread.
@safe package struct CacheCallback: Sendable {
    private let foreign: Foreign
    private let function: CacheFunctions.Completed?

    /// `handler` is a checked copy; `foreign` owns its pointer.
    package init(_ handler: sdimage_cache_handler, _ foreign: Foreign) {
        unsafe function = handler.completed
        self.foreign = foreign
    }

    /// Passes on the outcome of a change that is completed on any thread; nil without a callback, so that no thread wakes
    /// needlessly.
    fileprivate var completion: DiskCache.Completion? {
        guard let function = unsafe function else { return nil }
        return { [foreign] outcome in
            Engine.callLater { unsafe function(foreign.userData, Handle.lend(outcome.failure)) }
        }
    }

    /// Starts work and passes on its outcome.
    /// `isPending`: flushing waits for the end of the work.
    fileprivate func start(
        isPending: Bool = false, _ work: @escaping @Sendable (Engine) async throws(ImageError) -> Void
    ) throws(ImageError) {
        unsafe try foreign.start(isPending: isPending, work) { userData, outcome in
            unsafe function?(userData, Handle.lend(outcome.failure))
        }
    }
}

extension Foreign {
    /// Starts asynchronous work on a cache and passes its outcome to `completed` on the callback thread.
    fileprivate func start<R: Sendable>(
        isPending: Bool = false, _ work: @escaping @Sendable (Engine) async throws(ImageError) -> R,
        completed: @escaping @Sendable (UserData, Result<R, ImageError>) -> Void
    ) throws(ImageError) {
        // The lease in the closure keeps the engine until the callback was submitted.
        let lease = try Engine.acquire()
        try lease.engine.executor.ensureStarted()
        let number = isPending ? lease.engine.pendingEncodes.begin() : nil
        Task(executorPreference: lease.engine.executor) {
            let outcome: Result<R, ImageError>
            do throws(ImageError) { outcome = .success(try await work(lease.engine)) } catch { outcome = .failure(error) }
            if let number { lease.engine.pendingEncodes.finish(number) }
            lease.engine.callbacks.submit { unsafe completed(unsafe self.userData, outcome) }
        }
    }
}

extension Result where Failure == ImageError {
    /// The error; nil for a success.
    fileprivate var failure: ImageError? { if case .failure(let error) = self { error } else { nil } }
}

/// The asynchronous calls on a cache. Changes to the disk part of the built-in cache are queued, in order, before a call returns
/// (docs/decisions.md, "Order is settled before a call returns").
extension CacheObject {
    /// Finds the encoded bytes under the key or another key of the same entry.
    package func findData(for key: CacheKey, _ found: CacheFunctions.Data?, _ foreign: Foreign) throws(ImageError) {
        let function = unsafe found
        unsafe try foreign.start { [cache] _ async throws(ImageError) in
            try await key.first { key async throws(ImageError) in try await cache.diskPart.data(for: key)?.bytes }
        } completed: { userData, outcome in
            let data = (try? outcome.get()) ?? nil
            unsafe function?(userData, Handle.lend(data), Handle.lend(outcome.failure))
        }
    }

    /// Finds the parts of the cache that have an entry, for the first of its keys that any part knows.
    package func findLayers(of key: CacheKey, _ found: CacheFunctions.Layers?, _ foreign: Foreign) throws(ImageError) {
        let function = unsafe found
        unsafe try foreign.start { [cache] _ async throws(ImageError) -> CacheLayers in
            let found = try await key.first { key async throws(ImageError) -> CacheLayers? in
                let layers = try await cache.contains(key, in: .all)
                return layers.isEmpty ? nil : layers
            }
            return found ?? []
        } completed: { userData, outcome in
            unsafe function?(userData, ((try? outcome.get()) ?? []).code, Handle.lend(outcome.failure))
        }
    }

    /// Stores in memory at once, and on disk after the call. `options` apply if the image must be encoded.
    package func store(
        _ image: Image?, _ bytes: Bytes?, for key: CacheKey, options: EncodeOptions, with store: ImageStore,
        _ callback: CacheCallback
    ) throws(ImageError) {
        if Engine.isForked { throw .forked }
        // Memory first: a load that begins now finds the image, whenever the disk has it.
        store.storeInMemory(image, for: key)
        // Bytes need no encoding, so their place in the queue is settled here.
        if let disk = builtIn?.disk, bytes != nil, let entry = try store.entry(image, bytes, options) {
            return disk.enqueueStore(entry, for: key, completion: callback.completion)
        }
        // Only for a built-in cache: a cache of the host may flush one in order to store.
        try callback.start(isPending: builtIn != nil) { engine async throws(ImageError) in
            try await store.storeOnDisk(image, bytes, for: key, options: options, engine: engine)
        }
    }

    /// Removes an entry under all of its keys.
    package func remove(_ key: CacheKey, from layers: CacheLayers, _ callback: CacheCallback) throws(ImageError) {
        let namesakes = key.namesakes
        for key in [key] + namesakes { cache.dropEncodes(for: key, in: layers) }
        if let builtIn, let disk = builtIn.disk, layers.contains(.disk) {
            if layers.contains(.memory) { for key in [key] + namesakes { builtIn.memory.remove(key) } }
            // The last change reports the outcome: changes complete in order.
            for key in namesakes { disk.enqueueRemove(key, completion: nil) }
            return disk.enqueueRemove(key, completion: callback.completion)
        }
        try callback.start { [cache] _ async throws(ImageError) in
            for key in [key] + namesakes { try await cache.remove(key, from: layers) }
        }
    }

    /// Removes all entries of the layers.
    package func clear(_ layers: CacheLayers, _ callback: CacheCallback) throws(ImageError) {
        cache.dropEncodes(for: nil, in: layers)
        if let builtIn, let disk = builtIn.disk, layers.contains(.disk) {
            if layers.contains(.memory) { builtIn.memory.removeAll() }
            return disk.enqueueRemoveAll(completion: callback.completion)
        }
        try callback.start { [cache] _ async throws(ImageError) in try await cache.clear(layers) }
    }
}

extension ImageCache {
    /// Removes expired entries; beyond the limit of bytes also the oldest, down to half of it.
    package func removeExpired(_ callback: CacheCallback) throws(ImageError) {
        try callback.start { [self] _ async throws(ImageError) in try await trim() }
    }

    /// Counts the entries on disk and their bytes; zeros together with an error.
    package func countEntries(_ counted: CacheFunctions.DiskTotals?, _ foreign: Foreign) throws(ImageError) {
        let function = unsafe counted
        unsafe try foreign.start { [self] _ async throws(ImageError) in
            try await diskTotals()
        } completed: { userData, outcome in
            let totals = (try? outcome.get()) ?? CacheTotals()
            unsafe function?(
                userData, UInt64(clamping: totals.bytes), UInt64(clamping: totals.count), Handle.lend(outcome.failure))
        }
    }
}
