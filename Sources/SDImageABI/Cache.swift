// The functions of include/sdimage/cache.h that return when they are done; CacheAsync.swift has the others. `sdimage_cache` is a
// `CacheObject`. `Input.blockingCache` marks calls that may wait for the disk.

import CSDImage
import SDImage
import SDImageHost

@_cdecl("sdimage_cache_config_new") @implementation
public func sdimage_cache_config_new() -> Object {
    unsafe Handle.own(CacheConfigObject(CacheConfiguration()))
}

@_cdecl("sdimage_cache_config_ref") @implementation
public func sdimage_cache_config_ref(_ config: Object) -> Object {
    unsafe Handle.ref(config, as: CacheConfigObject.self)
}

@_cdecl("sdimage_cache_config_unref") @implementation
public func sdimage_cache_config_unref(_ config: Object) {
    unsafe Handle.unref(config, as: CacheConfigObject.self)
}

@_cdecl("sdimage_cache_config_set_directory") @implementation
public func sdimage_cache_config_set_directory(_ config: Object, _ path: Text) {
    unsafe change(config, CacheConfigObject.self) {
        $0.directory = unsafe Input.text(path) ?? DefaultDirectory().path
    }
}

@_cdecl("sdimage_cache_config_set_namespace") @implementation
public func sdimage_cache_config_set_namespace(_ config: Object, _ name: Text) {
    unsafe change(config, CacheConfigObject.self) { $0.namespace = unsafe Input.text(name) ?? CacheConfiguration().namespace }
}

@_cdecl("sdimage_cache_config_set_memory_only") @implementation
public func sdimage_cache_config_set_memory_only(_ config: Object, _ memoryOnly: Bool) {
    unsafe change(config, CacheConfigObject.self) { $0.isMemoryOnly = memoryOnly }
}

@_cdecl("sdimage_cache_config_set_max_memory_cost") @implementation
public func sdimage_cache_config_set_max_memory_cost(_ config: Object, _ bytes: Int) {
    unsafe change(config, CacheConfigObject.self) { $0.maxMemoryCost = Input.size(bytes) }
}

@_cdecl("sdimage_cache_config_set_max_memory_count") @implementation
public func sdimage_cache_config_set_max_memory_count(_ config: Object, _ count: Int) {
    unsafe change(config, CacheConfigObject.self) { $0.maxMemoryCount = Input.size(count) }
}

@_cdecl("sdimage_cache_config_set_eviction") @implementation
public func sdimage_cache_config_set_eviction(_ config: Object, _ eviction: sdimage_eviction) {
    unsafe change(config, CacheConfigObject.self) { $0.eviction = EvictionPolicy(rawValue: eviction.rawValue) ?? .adaptive }
}

@_cdecl("sdimage_cache_config_set_keep_in_memory") @implementation
public func sdimage_cache_config_set_keep_in_memory(_ config: Object, _ keep: Bool) {
    unsafe change(config, CacheConfigObject.self) { $0.keepsImagesInMemory = keep }
}

@_cdecl("sdimage_cache_config_set_keep_weakly") @implementation
public func sdimage_cache_config_set_keep_weakly(_ config: Object, _ keep: Bool) {
    unsafe change(config, CacheConfigObject.self) { $0.keepsWeakImages = keep }
}

@_cdecl("sdimage_cache_config_set_max_disk_size") @implementation
public func sdimage_cache_config_set_max_disk_size(_ config: Object, _ bytes: UInt64) {
    unsafe change(config, CacheConfigObject.self) { $0.disk.maxSize = Int(clamping: bytes) }
}

@_cdecl("sdimage_cache_config_set_max_disk_age") @implementation
public func sdimage_cache_config_set_max_disk_age(_ config: Object, _ seconds: Int64) {
    unsafe change(config, CacheConfigObject.self) { $0.disk.maxAge = Int(clamping: seconds) }
}

@_cdecl("sdimage_cache_config_set_inline_entry_limit") @implementation
public func sdimage_cache_config_set_inline_entry_limit(_ config: Object, _ bytes: Int) {
    unsafe change(config, CacheConfigObject.self) { $0.inlineEntryLimit = Input.size(bytes) }
}

@_cdecl("sdimage_cache_config_set_durable") @implementation
public func sdimage_cache_config_set_durable(_ config: Object, _ durable: Bool) {
    unsafe change(config, CacheConfigObject.self) { $0.isDurable = durable }
}

@_cdecl("sdimage_cache_config_set_additional_path") @implementation
public func sdimage_cache_config_set_additional_path(
    _ config: Object, _ vtable: UnsafePointer<sdimage_cache_path_vtable>?, _ userData: UserData,
    _ destroy: sdimage_destroy_fn?, _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    return unsafe attempt(error) { () throws(ImageError) in
        let config = unsafe try Handle.borrow(config, as: CacheConfigObject.self)
        let limit = Defaults.downloader.maxBodyBytes
        let files = unsafe try vtable.map { table throws(ImageError) in
            unsafe try AdditionalFiles(table, foreign, limit: limit)
        }
        config.change { $0.additionalBytes = files.map { files in files.bytes(for:) } }
    }
}

@_cdecl("sdimage_cache_new") @implementation
public func sdimage_cache_new(_ config: Object, _ cache: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(cache)
        let configuration =
            unsafe config == nil ? CacheConfiguration() : try Handle.borrow(config, as: CacheConfigObject.self).value
        unsafe try give(CacheObject(try Defaults.makeCache(configuration)), cache)
    }
}

@_cdecl("sdimage_cache_ref") @implementation
public func sdimage_cache_ref(_ cache: Object) -> Object {
    unsafe Handle.ref(cache, as: CacheObject.self)
}

@_cdecl("sdimage_cache_unref") @implementation
public func sdimage_cache_unref(_ cache: Object) {
    unsafe Handle.unref(cache, as: CacheObject.self)
}

@_cdecl("sdimage_cache_close") @implementation
public func sdimage_cache_close(_ cache: Object, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in unsafe try Input.builtInCache(cache).close() }
}

@_cdecl("sdimage_cache_get_memory_image") @implementation
public func sdimage_cache_get_memory_image(
    _ cache: Object, _ key: UnsafeRawPointer?, _ length: Int, _ image: ObjectOut
) {
    guard let image = unsafe image else { return }
    let key = unsafe try? Input.view(key, length)
    unsafe image.pointee = unsafe Handle.using(cache, as: CacheObject.self) { cache in
        unsafe key.flatMap { unsafe cache.ownedMemoryImage(for: $0) }
    }
}

@_cdecl("sdimage_cache_set_memory_image") @implementation
public func sdimage_cache_set_memory_image(
    _ cache: Object, _ key: UnsafeRawPointer?, _ length: Int, _ image: Object, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let cache = unsafe try Handle.borrow(cache, as: CacheObject.self)
        try cache.builtIn?.check()
        let image = unsafe try Handle.borrow(image, as: Image.self)
        let key = unsafe try Input.key(key, length)
        // An explicit request of the caller, to which the cache's own storing rule does not apply.
        if let memory = cache.memory { memory.set(image, for: key) } else { cache.cache.memoryPart.store(image, for: key) }
    }
}

@_cdecl("sdimage_cache_set_memory_limits") @implementation
public func sdimage_cache_set_memory_limits(_ cache: Object, _ bytes: Int, _ count: Int) {
    let (bytes, count) = (Input.size(bytes), Input.size(count))
    unsafe Handle.find(cache, as: CacheObject.self)?.builtIn?.memory.setLimits(bytes: bytes, count: count)
}

@_cdecl("sdimage_cache_set_keep_in_memory") @implementation
public func sdimage_cache_set_keep_in_memory(_ cache: Object, _ keep: Bool) {
    unsafe Handle.find(cache, as: CacheObject.self)?.builtIn?.setKeepsImagesInMemory(keep)
}

@_cdecl("sdimage_cache_set_keep_weakly") @implementation
public func sdimage_cache_set_keep_weakly(_ cache: Object, _ keep: Bool) {
    unsafe Handle.find(cache, as: CacheObject.self)?.memory?.setKeepsWeakly(keep)
}

@_cdecl("sdimage_cache_get_data") @implementation
public func sdimage_cache_get_data(
    _ cache: Object, _ key: UnsafeRawPointer?, _ length: Int, _ data: ObjectOut, _ error: ObjectOut
)
    -> sdimage_status
{
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(data)
        let cache = unsafe try Input.blockingCache(cache)
        let found = unsafe try Input.key(key, length).first { key throws(ImageError) in try cache.data(for: key) }
        guard let found else { throw ImageError(.notFound, "cache: no such entry") }
        unsafe try give(found.bytes, data)
    }
}

@_cdecl("sdimage_cache_store_data") @implementation
public func sdimage_cache_store_data(_ cache: Object, _ key: UnsafeRawPointer?, _ length: Int, _ data: Object, _ error: ObjectOut)
    -> sdimage_status
{
    unsafe attempt(error) { () throws(ImageError) in
        let cache = unsafe try Input.blockingCache(cache)
        let key = unsafe try Input.key(key, length)
        let data = unsafe CachedData(bytes: try Handle.borrow(data, as: Bytes.self))
        try cache.store(data, for: key)
    }
}

@_cdecl("sdimage_cache_store") @implementation
public func sdimage_cache_store(
    _ cache: Object, _ key: UnsafeRawPointer?, _ length: Int, _ image: Object, _ data: Object,
    _ layers: sdimage_cache_layers, _ options: Object, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let cache = unsafe try Input.blockingCache(cache)
        let key = unsafe try Input.key(key, length)
        let (image, bytes) = unsafe try Input.storable(image, data)
        let store = ImageStore(cache: cache.cache, registry: Defaults.coders, layers: CacheLayers(layers))
        unsafe try store.storeNow(image, bytes, for: key, options: try Input.encodeOptions(options))
    }
}

@_cdecl("sdimage_cache_get_image") @implementation
public func sdimage_cache_get_image(
    _ cache: Object, _ key: UnsafeRawPointer?, _ length: Int, _ options: Object, _ image: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(image)
        let lookup = unsafe CacheLookup(cache: try Input.blockingCache(cache).cache, registry: Defaults.coders)
        unsafe try give(try lookup.image(for: try Input.key(key, length), options: try Input.decodeOptions(options)), image)
    }
}

@_cdecl("sdimage_cache_contains") @implementation
public func sdimage_cache_contains(_ cache: Object, _ key: UnsafeRawPointer?, _ length: Int) -> sdimage_cache_layers {
    guard let cache = unsafe Handle.find(cache, as: CacheObject.self)?.cache, let key = unsafe try? Input.key(key, length) else {
        return .SDIMAGE_CACHE_LAYERS_NONE
    }
    let found = try? key.first { key throws(ImageError) -> CacheLayers? in
        let layers = try BlockingCache(cache).contains(key, in: .all)
        return layers.isEmpty ? nil : layers
    }
    return (found ?? []).code
}

@_cdecl("sdimage_cache_remove") @implementation
public func sdimage_cache_remove(
    _ cache: Object, _ key: UnsafeRawPointer?, _ length: Int, _ layers: sdimage_cache_layers, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let cache = unsafe try Input.blockingCache(cache)
        let key = unsafe try Input.key(key, length)
        for key in [key] + key.namesakes { try cache.remove(key, from: CacheLayers(layers)) }
    }
}

@_cdecl("sdimage_cache_clear") @implementation
public func sdimage_cache_clear(_ cache: Object, _ layers: sdimage_cache_layers, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let cache = unsafe try Input.blockingCache(cache)
        try cache.clear(CacheLayers(layers))
    }
}

@_cdecl("sdimage_cache_flush") @implementation
public func sdimage_cache_flush(_ cache: Object, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let disk = unsafe try Input.disk(cache)
        _ = Engine.current?.pendingEncodes.wait(deadline: .max)
        try disk.flushNow()
    }
}

@_cdecl("sdimage_cache_remove_expired") @implementation
public func sdimage_cache_remove_expired(_ cache: Object, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let disk = unsafe try Input.disk(cache)
        try disk.trimNow()
    }
}

@_cdecl("sdimage_cache_check") @implementation
public func sdimage_cache_check(_ cache: Object, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        try unsafe Input.blockingCache(cache).cache.checkDiskNow()
    }
}

@_cdecl("sdimage_cache_get_path") @implementation
public func sdimage_cache_get_path(
    _ cache: Object, _ key: UnsafeRawPointer?, _ length: Int, _ path: ObjectOut, _ error: ObjectOut
)
    -> sdimage_status
{
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(path)
        let disk = unsafe try Input.disk(cache)
        let key = unsafe try Input.key(key, length)
        // The NUL terminates the text for C and is not counted.
        let text = CString(try disk.pathNow(for: try disk.named(key)))
        unsafe try give(Bytes(text), unsafe path)
    }
}

@_cdecl("sdimage_cache_get_disk_totals") @implementation
public func sdimage_cache_get_disk_totals(
    _ cache: Object, _ bytes: UnsafeMutablePointer<UInt64>?, _ count: UnsafeMutablePointer<UInt64>?, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let totals = unsafe try Input.disk(cache).totalsNow()
        unsafe bytes?.pointee = UInt64(clamping: totals.bytes)
        unsafe count?.pointee = UInt64(clamping: totals.count)
    }
}

@_cdecl("sdimage_cache_get_statistics") @implementation
public func sdimage_cache_get_statistics(
    _ cache: Object, _ statistics: UnsafeMutablePointer<sdimage_cache_statistics>?, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let counters = unsafe try Input.builtInCache(cache).counters()
        unsafe try fill(statistics, size: statistics?.pointee.size ?? 0, with: counters)
    }
}

@_cdecl("sdimage_cache_get_last_error") @implementation
public func sdimage_cache_get_last_error(_ cache: Object, _ lastError: ObjectOut) {
    guard let lastError = unsafe lastError else { return }
    let failure = unsafe Handle.find(cache, as: CacheObject.self)?.builtIn?.disk?.statistics.lastError
    unsafe lastError.pointee = unsafe failure.map { unsafe Handle.own($0) } ?? nil
}

@_cdecl("sdimage_cache_statistics_to_json") @implementation
public func sdimage_cache_statistics_to_json(_ cache: Object, _ json: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(json)
        unsafe try give(try Report.statistics(try Input.builtInCache(cache)).bytes(), json)
    }
}

@_cdecl("sdimage_cache_new_layered") @implementation
public func sdimage_cache_new_layered(_ memory: Object, _ disk: Object, _ cache: ObjectOut, _ error: ObjectOut)
    -> sdimage_status
{
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(cache)
        if Engine.isForked { throw .forked }
        let memory = unsafe try Handle.borrow(memory, as: CacheObject.self).cache
        let disk = unsafe try Handle.borrow(disk, as: CacheObject.self).cache
        unsafe try give(CacheObject(LayeredCache(memory: memory.memoryPart, disk: disk.diskPart)), cache)
    }
}

@_cdecl("sdimage_cache_new_chain") @implementation
public func sdimage_cache_new_chain(_ chain: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(chain)
        unsafe try give(CacheObject(try CacheChain()), chain)
    }
}

@_cdecl("sdimage_cache_new_tiered") @implementation
public func sdimage_cache_new_tiered(_ local: Object, _ shared: Object, _ cache: ObjectOut, _ error: ObjectOut)
    -> sdimage_status
{
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(cache)
        if Engine.isForked { throw .forked }
        let local = unsafe try Handle.borrow(local, as: CacheObject.self).cache
        let shared = unsafe try Handle.borrow(shared, as: CacheObject.self).cache
        unsafe try give(CacheObject(try CacheChain.tiered(local, shared)), cache)
    }
}

@_cdecl("sdimage_cache_chain_add") @implementation
public func sdimage_cache_chain_add(_ chain: Object, _ member: Object, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let chain = unsafe try Input.chain(chain)
        let member = unsafe try Handle.borrow(member, as: CacheObject.self).cache
        guard chain.add(member) else { throw ImageError(.invalidArgument, "cache: chain would contain itself") }
    }
}

@_cdecl("sdimage_cache_chain_remove") @implementation
public func sdimage_cache_chain_remove(_ chain: Object, _ member: Object, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let member = unsafe try Handle.borrow(member, as: CacheObject.self).cache
        if unsafe !(try Input.chain(chain).remove(member)) {
            throw ImageError(.notFound, "cache: not a member of the chain")
        }
    }
}

@_cdecl("sdimage_cache_chain_set_policy") @implementation
public func sdimage_cache_chain_set_policy(
    _ chain: Object, _ operation: sdimage_cache_chain_operation, _ policy: sdimage_cache_chain_policy, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let operations =
            operation == .SDIMAGE_CACHE_CHAIN_OPERATION_ALL
            ? CacheChain.Operation.allCases : [CacheChain.Operation(rawValue: operation.rawValue)].compactMap(\.self)
        guard !operations.isEmpty, let policy = CacheChain.Policy(rawValue: Int32(bitPattern: policy.rawValue)) else {
            throw ImageError(.invalidArgument, "cache: unknown operation or policy")
        }
        let chain = unsafe try Input.chain(chain)
        for operation in operations { chain.setPolicy(policy, for: operation) }
    }
}

@_cdecl("sdimage_cache_chain_set_promote") @implementation
public func sdimage_cache_chain_set_promote(_ chain: Object, _ promotes: Bool, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in unsafe try Input.chain(chain).setPromotes(promotes) }
}
