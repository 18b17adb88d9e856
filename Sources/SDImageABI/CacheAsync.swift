import CSDImage
import SDImage

/// Starts asynchronous work on a cache. Passes its outcome to `told` on the callback thread, then releases `foreign`.
private func start<R: Sendable>(
    _ foreign: Foreign, told: @escaping @Sendable (UserData, Result<R, ImageError>) -> Void,
    _ work: @escaping @Sendable (Engine) async throws(ImageError) -> R
) throws(ImageError) {
    let lease = try Engine.acquire()
    try lease.engine.executor.ensureStarted()
    Task(executorPreference: lease.engine.executor) {
        let outcome: Result<R, ImageError>
        do throws(ImageError) { outcome = .success(try await work(lease.engine)) } catch { outcome = .failure(error) }
        lease.engine.callbacks.submit { unsafe told(unsafe foreign.userData, outcome) }
    }
}

/// The same for work without a result value.
private func start(
    _ foreign: Foreign, done: sdimage_cache_done_fn?, _ work: @escaping @Sendable (Engine) async throws(ImageError) -> Void
) throws(ImageError) {
    unsafe try start(
        foreign, told: { userData, outcome in unsafe done?(userData, Handle.lend(outcome.failure)) }, work)
}

/// Passes the outcome of a change, completed on any thread, to the callback thread; nil without a callback, so that no thread
/// wakes needlessly.
private func completion(_ foreign: Foreign, _ done: sdimage_cache_done_fn?) -> DiskCache.Completion? {
    guard let function = unsafe done else { return nil }
    return { outcome in
        Engine.callLater { unsafe function(foreign.userData, Handle.lend(outcome.failure)) }
    }
}

/// The cache behind a pointer; throws if it is closed.
private func open(_ pointer: Object) throws(ImageError) -> CacheObject {
    let cache = unsafe try Handle.borrow(pointer, as: CacheObject.self)
    try cache.builtIn?.check()
    return cache
}

extension Result where Failure == ImageError {
    fileprivate var failure: ImageError? { if case .failure(let error) = self { error } else { nil } }
}

@_cdecl("sdimage_cache_load") @implementation
public func sdimage_cache_load(
    _ cache: Object, _ request: Object, _ handler: UnsafePointer<sdimage_load_handler>?, _ userData: UserData,
    _ destroy: sdimage_destroy_fn?, _ task: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    return unsafe attempt(error) { () throws(ImageError) in
        let cache = unsafe try open(cache)
        var request = unsafe try Handle.borrow(request, as: RequestObject.self).submitted()
        request.isKeyOnly = true
        request.sourcePolicy = .cacheOnly
        request.cache = .value(cache.cache)
        request.originalCache = .inherited
        request.loadHooks = nil
        request.transformer = .none
        let handler = unsafe handler == nil ? nil : try ForeignHandler(handler, foreign)
        let started = try cache.lookupManager().load(
            request, handler: handler, token: UInt(bitPattern: userData), owner: foreign)
        unsafe task?.pointee = unsafe Handle.own(started)
    }
}

@_cdecl("sdimage_cache_data_async") @implementation
public func sdimage_cache_data_async(
    _ cache: Object, _ key: UnsafeRawPointer?, _ length: Int, _ found: sdimage_cache_data_fn?, _ userData: UserData,
    _ destroy: sdimage_destroy_fn?, _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    let function = unsafe found
    return unsafe attempt(error) { () throws(ImageError) in
        let (cache, key) = unsafe (try open(cache).cache, try Input.key(key, length))
        unsafe try start(foreign) { (userData, outcome: Result<Bytes?, ImageError>) in
            let data = (try? outcome.get()) ?? nil
            unsafe function?(userData, Handle.lend(data), Handle.lend(outcome.failure))
        } _: { _ async throws(ImageError) in
            try await key.first { key async throws(ImageError) in try await cache.diskData(for: key)?.bytes }
        }
    }
}

@_cdecl("sdimage_cache_contains_async") @implementation
public func sdimage_cache_contains_async(
    _ cache: Object, _ key: UnsafeRawPointer?, _ length: Int, _ found: sdimage_cache_contains_fn?, _ userData: UserData,
    _ destroy: sdimage_destroy_fn?, _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    let function = unsafe found
    return unsafe attempt(error) { () throws(ImageError) in
        let (cache, key) = unsafe (try open(cache).cache, try Input.key(key, length))
        unsafe try start(foreign) { (userData, outcome: Result<CacheLayers, ImageError>) in
            unsafe function?(userData, ((try? outcome.get()) ?? []).code, Handle.lend(outcome.failure))
        } _: { _ async throws(ImageError) in
            let found = try await key.first { key async throws(ImageError) -> CacheLayers? in
                let layers = try await cache.contains(key, in: .all)
                return layers.isEmpty ? nil : layers
            }
            return found ?? []
        }
    }
}

@_cdecl("sdimage_cache_store_async") @implementation
public func sdimage_cache_store_async(
    _ cache: Object, _ key: UnsafeRawPointer?, _ length: Int, _ image: Object, _ data: Object,
    _ layers: sdimage_cache_layers, _ options: Object, _ stored: sdimage_cache_done_fn?, _ userData: UserData,
    _ destroy: sdimage_destroy_fn?, _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    let function = unsafe stored
    return unsafe attempt(error) { () throws(ImageError) in
        let cache = unsafe try open(cache)
        let key = unsafe try Input.key(key, length)
        let ((image, bytes), options) = unsafe (try storable(image, data), try encodeOptions(options))
        let layers = CacheLayers(layers)
        let store = PictureStore(cache: cache.cache, registry: Defaults.coders, layers: layers)
        if Engine.isForked { throw .forked }
        store.storeInMemory(image, for: key)
        // The bytes are queued, in order, before this returns (docs/decisions.md, "Order is settled before a call returns").
        if let disk = cache.builtIn?.disk, bytes != nil, let entry = try store.entry(image, bytes, options) {
            return disk.enqueueStore(entry, for: key, completion: unsafe completion(foreign, function))
        }
        unsafe try start(foreign, done: function) { engine async throws(ImageError) in
            try await store.storeOnDisk(image, bytes, for: key, options: options, engine: engine)
        }
    }
}

@_cdecl("sdimage_cache_store_data_async") @implementation
public func sdimage_cache_store_data_async(
    _ cache: Object, _ key: UnsafeRawPointer?, _ length: Int, _ data: Object, _ stored: sdimage_cache_done_fn?,
    _ userData: UserData, _ destroy: sdimage_destroy_fn?, _ error: ObjectOut
) -> sdimage_status {
    unsafe sdimage_cache_store_async(
        cache, key, length, nil, data, .SDIMAGE_CACHE_LAYERS_DISK, nil, stored, userData, destroy, error)
}

@_cdecl("sdimage_cache_remove_async") @implementation
public func sdimage_cache_remove_async(
    _ cache: Object, _ key: UnsafeRawPointer?, _ length: Int, _ layers: sdimage_cache_layers,
    _ removed: sdimage_cache_done_fn?, _ userData: UserData, _ destroy: sdimage_destroy_fn?, _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    let function = unsafe removed
    return unsafe attempt(error) { () throws(ImageError) in
        let (cache, key) = unsafe (try open(cache), try Input.key(key, length))
        let layers = CacheLayers(layers)
        if let builtIn = cache.builtIn, let disk = builtIn.disk, layers.contains(.disk) {
            let namesakes = key.namesakes
            if layers.contains(.memory) { for key in [key] + namesakes { builtIn.memory.remove(key) } }
            for key in namesakes { disk.enqueueRemove(key, completion: nil) }
            return disk.enqueueRemove(key, completion: unsafe completion(foreign, function))
        }
        unsafe try start(foreign, done: function) { _ async throws(ImageError) in
            for key in [key] + key.namesakes { try await cache.cache.remove(key, from: layers) }
        }
    }
}

@_cdecl("sdimage_cache_clear_async") @implementation
public func sdimage_cache_clear_async(
    _ cache: Object, _ layers: sdimage_cache_layers, _ cleared: sdimage_cache_done_fn?, _ userData: UserData,
    _ destroy: sdimage_destroy_fn?, _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    let function = unsafe cleared
    return unsafe attempt(error) { () throws(ImageError) in
        let cache = unsafe try open(cache)
        let layers = CacheLayers(layers)
        if let builtIn = cache.builtIn, let disk = builtIn.disk, layers.contains(.disk) {
            if layers.contains(.memory) { builtIn.memory.removeAll() }
            return disk.enqueueRemoveAll(completion: unsafe completion(foreign, function))
        }
        unsafe try start(foreign, done: function) { _ async throws(ImageError) in
            try await cache.cache.clear(layers)
        }
    }
}

@_cdecl("sdimage_cache_remove_expired_async") @implementation
public func sdimage_cache_remove_expired_async(
    _ cache: Object, _ removed: sdimage_cache_done_fn?, _ userData: UserData, _ destroy: sdimage_destroy_fn?, _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    let function = unsafe removed
    return unsafe attempt(error) { () throws(ImageError) in
        let cache = unsafe try withDisk(cache)
        unsafe try start(foreign, done: function) { _ async throws(ImageError) in
            try await cache.trim()
        }
    }
}

@_cdecl("sdimage_cache_disk_totals_async") @implementation
public func sdimage_cache_disk_totals_async(
    _ cache: Object, _ counted: sdimage_cache_totals_fn?, _ userData: UserData, _ destroy: sdimage_destroy_fn?,
    _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    let function = unsafe counted
    return unsafe attempt(error) { () throws(ImageError) in
        let cache = unsafe try withDisk(cache)
        unsafe try start(foreign) { (userData, outcome: Result<CacheTotals, ImageError>) in
            let totals = (try? outcome.get()) ?? CacheTotals()
            unsafe function?(
                userData, UInt64(clamping: totals.bytes), UInt64(clamping: totals.count), Handle.lend(outcome.failure))
        } _: { _ async throws(ImageError) in
            try await cache.diskTotals()
        }
    }
}

/// The built-in cache behind a pointer; throws if it has no disk part.
private func withDisk(_ pointer: Object) throws(ImageError) -> ImageCache {
    guard let cache = unsafe try open(pointer).builtIn, cache.disk != nil else {
        throw ImageError(.unsupported, "cache: not a built-in cache with a disk part")
    }
    return cache
}
