// The functions of include/sdimage/cache.h that report to a handler. `CacheObject` starts the work (CacheCalls.swift in
// SDImageHost).

import CSDImage
import SDImage
import SDImageHost

@_cdecl("sdimage_cache_load") @implementation
public func sdimage_cache_load(
    _ cache: Object, _ request: Object, _ handler: UnsafePointer<sdimage_load_handler>?, _ userData: UserData,
    _ destroy: sdimage_destroy_fn?, _ task: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    return unsafe attempt(error) { () throws(ImageError) in
        let cache = unsafe try Input.openCache(cache)
        let request = unsafe try Input.request(request).limited(to: cache.cache)
        let handler = unsafe try Input.handler(handler, foreign)
        // A manager without a loader: the load ends where the cache has no image.
        let manager = try cache.lookupManager(Defaults.makeLookupManager)
        let started = try manager.load(request, handler: handler, token: UInt(bitPattern: userData), owner: foreign)
        unsafe task?.pointee = unsafe Handle.own(started)
    }
}

@_cdecl("sdimage_cache_get_data_async") @implementation
public func sdimage_cache_get_data_async(
    _ cache: Object, _ key: UnsafeRawPointer?, _ length: Int, _ handler: UnsafePointer<sdimage_cache_handler>?,
    _ userData: UserData,
    _ destroy: sdimage_destroy_fn?, _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    return unsafe attempt(error) { () throws(ImageError) in
        unsafe try Input.openCache(cache).findData(for: try Input.key(key, length), Input.cacheHandler(handler).data, foreign)
    }
}

@_cdecl("sdimage_cache_contains_async") @implementation
public func sdimage_cache_contains_async(
    _ cache: Object, _ key: UnsafeRawPointer?, _ length: Int, _ handler: UnsafePointer<sdimage_cache_handler>?,
    _ userData: UserData,
    _ destroy: sdimage_destroy_fn?, _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    return unsafe attempt(error) { () throws(ImageError) in
        unsafe try Input.openCache(cache).findLayers(of: try Input.key(key, length), Input.cacheHandler(handler).layers, foreign)
    }
}

@_cdecl("sdimage_cache_store_async") @implementation
public func sdimage_cache_store_async(
    _ cache: Object, _ key: UnsafeRawPointer?, _ length: Int, _ image: Object, _ data: Object,
    _ layers: sdimage_cache_layers, _ options: Object, _ handler: UnsafePointer<sdimage_cache_handler>?, _ userData: UserData,
    _ destroy: sdimage_destroy_fn?, _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    return unsafe attempt(error) { () throws(ImageError) in
        let callback = unsafe CacheCallback(try Input.cacheHandler(handler), foreign)
        let cache = unsafe try Input.openCache(cache)
        let key = unsafe try Input.key(key, length)
        let ((image, bytes), options) = unsafe (try Input.storable(image, data), try Input.encodeOptions(options))
        let store = ImageStore(cache: cache.cache, registry: Defaults.coders, layers: CacheLayers(layers))
        try cache.store(image, bytes, for: key, options: options, with: store, callback)
    }
}

@_cdecl("sdimage_cache_store_data_async") @implementation
public func sdimage_cache_store_data_async(
    _ cache: Object, _ key: UnsafeRawPointer?, _ length: Int, _ data: Object, _ handler: UnsafePointer<sdimage_cache_handler>?,
    _ userData: UserData, _ destroy: sdimage_destroy_fn?, _ error: ObjectOut
) -> sdimage_status {
    unsafe sdimage_cache_store_async(
        cache, key, length, nil, data, .SDIMAGE_CACHE_LAYERS_DISK, nil, handler, userData, destroy, error)
}

@_cdecl("sdimage_cache_remove_async") @implementation
public func sdimage_cache_remove_async(
    _ cache: Object, _ key: UnsafeRawPointer?, _ length: Int, _ layers: sdimage_cache_layers,
    _ handler: UnsafePointer<sdimage_cache_handler>?, _ userData: UserData, _ destroy: sdimage_destroy_fn?, _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    return unsafe attempt(error) { () throws(ImageError) in
        let callback = unsafe CacheCallback(try Input.cacheHandler(handler), foreign)
        let (cache, key) = unsafe (try Input.openCache(cache), try Input.key(key, length))
        try cache.remove(key, from: CacheLayers(layers), callback)
    }
}

@_cdecl("sdimage_cache_clear_async") @implementation
public func sdimage_cache_clear_async(
    _ cache: Object, _ layers: sdimage_cache_layers, _ handler: UnsafePointer<sdimage_cache_handler>?, _ userData: UserData,
    _ destroy: sdimage_destroy_fn?, _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    return unsafe attempt(error) { () throws(ImageError) in
        let callback = unsafe CacheCallback(try Input.cacheHandler(handler), foreign)
        unsafe try Input.openCache(cache).clear(CacheLayers(layers), callback)
    }
}

@_cdecl("sdimage_cache_remove_expired_async") @implementation
public func sdimage_cache_remove_expired_async(
    _ cache: Object, _ handler: UnsafePointer<sdimage_cache_handler>?, _ userData: UserData, _ destroy: sdimage_destroy_fn?,
    _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    return unsafe attempt(error) { () throws(ImageError) in
        let callback = unsafe CacheCallback(try Input.cacheHandler(handler), foreign)
        unsafe try Input.cacheWithDisk(cache).removeExpired(callback)
    }
}

@_cdecl("sdimage_cache_get_disk_totals_async") @implementation
public func sdimage_cache_get_disk_totals_async(
    _ cache: Object, _ handler: UnsafePointer<sdimage_cache_handler>?, _ userData: UserData, _ destroy: sdimage_destroy_fn?,
    _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    return unsafe attempt(error) { () throws(ImageError) in
        unsafe try Input.cacheWithDisk(cache).countEntries(Input.cacheHandler(handler).disk_totals, foreign)
    }
}
