// The functions of include/sdimage/manager.h. `sdimage_manager` is a `ManagerObject`. The path of a load begins here
// (ARCHITECTURE.md).

import CSDImage
import SDImage
import SDImageHost

/// Delivers an image in memory without the setup of other loads, on the calling thread. Reports a miss, so that the load does not
/// look there again. Leaves everything else, errors included, to the usual path.
private func deliver(
    _ manager: Object, _ request: Object, _ handler: UnsafePointer<sdimage_load_handler>?, _ userData: UserData,
    _ destroy: sdimage_destroy_fn?, _ task: ObjectOut
) -> (isDelivered: Bool, hasMissed: Bool) {
    let required = unsafe MemoryLayout<sdimage_load_handler>.offset(of: \.progress) ?? 0
    guard unsafe handler.map({ unsafe $0.pointee.size >= required }) ?? true else { return (false, false) }
    let finding = unsafe Handle.using(manager, as: ManagerObject.self) { manager -> ImageManager.Finding? in
        unsafe Handle.using(request, as: RequestObject.self) { request -> ImageManager.Finding? in
            guard let prepared = try? request.preparation() else { return nil }
            return manager.manager.found(prepared, isHandled: unsafe handler != nil, token: UInt(bitPattern: userData))
        }
    }
    guard case .found(let found, let result) = finding else {
        if case .missed = finding { return (false, true) }
        return (false, false)
    }
    // The caller's table has not been copied: the handler is called through it.
    if let handler = unsafe handler {
        unsafe handler.pointee.result?(userData, Handle.lend(found), Handle.lend(result))
        found.foundDelivered()
    }
    // Released at once, which posts `destroy` to the callback thread.
    if unsafe destroy != nil { unsafe _ = Foreign(userData, destroy) }
    unsafe task?.pointee = unsafe Handle.own(found)
    return (true, false)
}

@_cdecl("sdimage_manager_config_new") @implementation
public func sdimage_manager_config_new() -> Object {
    unsafe Handle.own(ManagerConfigObject(ManagerConfiguration()))
}

@_cdecl("sdimage_manager_config_ref") @implementation
public func sdimage_manager_config_ref(_ config: Object) -> Object {
    unsafe Handle.ref(config, as: ManagerConfigObject.self)
}

@_cdecl("sdimage_manager_config_unref") @implementation
public func sdimage_manager_config_unref(_ config: Object) {
    unsafe Handle.unref(config, as: ManagerConfigObject.self)
}

@_cdecl("sdimage_manager_config_set_cache") @implementation
public func sdimage_manager_config_set_cache(_ config: Object, _ cache: Object) {
    unsafe change(config, ManagerConfigObject.self) { configuration in
        guard unsafe cache != nil else { return configuration.cache = .none }
        if let object = unsafe Handle.find(cache, as: CacheObject.self) { configuration.cache = .value(object.cache) }
    }
}

@_cdecl("sdimage_manager_config_set_transformer") @implementation
public func sdimage_manager_config_set_transformer(_ config: Object, _ transformer: Object) {
    unsafe change(config, ManagerConfigObject.self) {
        $0.transformer = unsafe Handle.find(transformer, as: TransformerObject.self)?.transformer
    }
}

@_cdecl("sdimage_manager_config_set_loader") @implementation
public func sdimage_manager_config_set_loader(_ config: Object, _ loader: Object) {
    unsafe change(config, ManagerConfigObject.self) { $0.loader = unsafe Handle.find(loader, as: LoaderObject.self)?.loader }
}

@_cdecl("sdimage_manager_config_set_dispatcher") @implementation
public func sdimage_manager_config_set_dispatcher(_ config: Object, _ dispatcher: Object) {
    unsafe change(config, ManagerConfigObject.self) {
        $0.dispatcher = unsafe Handle.find(dispatcher, as: DispatcherObject.self)?.dispatcher
    }
}

@_cdecl("sdimage_manager_config_set_freshness") @implementation
public func sdimage_manager_config_set_freshness(_ config: Object, _ freshness: sdimage_freshness) {
    unsafe change(config, ManagerConfigObject.self) { $0.freshness = FreshnessPolicy(freshness) }
}

@_cdecl("sdimage_manager_config_set_ignore_signatures") @implementation
public func sdimage_manager_config_set_ignore_signatures(_ config: Object, _ ignore: Bool) {
    unsafe change(config, ManagerConfigObject.self) { $0.ignoresSignatures = ignore }
}

@_cdecl("sdimage_manager_config_set_failed_url_retry_after") @implementation
public func sdimage_manager_config_set_failed_url_retry_after(_ config: Object, _ seconds: Int64) {
    unsafe change(config, ManagerConfigObject.self) { $0.failedURLRetryAfter = seconds }
}

@_cdecl("sdimage_manager_new") @implementation
public func sdimage_manager_new(_ config: Object, _ manager: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(manager)
        let configuration =
            unsafe config == nil ? ManagerConfiguration() : try Handle.borrow(config, as: ManagerConfigObject.self).value
        unsafe try give(try Defaults.makeManagerObject(configuration), manager)
    }
}

@_cdecl("sdimage_manager_new_in") @implementation
public func sdimage_manager_new_in(_ directory: Text, _ dispatcher: Object, _ manager: ObjectOut, _ error: ObjectOut)
    -> sdimage_status
{
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(manager)
        var (cache, configuration) = (CacheConfiguration(), ManagerConfiguration())
        cache.directory = unsafe try Input.text(directory, named: "folder")
        configuration.cache = .value(try Defaults.makeCache(cache))
        if unsafe dispatcher != nil {
            configuration.dispatcher = unsafe try Handle.borrow(dispatcher, as: DispatcherObject.self).dispatcher
        }
        unsafe try give(try Defaults.makeManagerObject(configuration), manager)
    }
}

@_cdecl("sdimage_manager_get_shared") @implementation
public func sdimage_manager_get_shared(_ manager: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(manager)
        unsafe try give(try Defaults.sharedManager(), manager)
    }
}

@_cdecl("sdimage_set_default_cache") @implementation
public func sdimage_set_default_cache(_ cache: Object) {
    let object = unsafe Handle.find(cache, as: CacheObject.self)
    if unsafe cache == nil || object != nil { Defaults.setCache(object?.cache) }
}

@_cdecl("sdimage_set_default_loader") @implementation
public func sdimage_set_default_loader(_ loader: Object) {
    let object = unsafe Handle.find(loader, as: LoaderObject.self)
    if unsafe loader == nil || object != nil { Defaults.setLoader(object?.loader) }
}

@_cdecl("sdimage_manager_ref") @implementation
public func sdimage_manager_ref(_ manager: Object) -> Object {
    unsafe Handle.ref(manager, as: ManagerObject.self)
}

@_cdecl("sdimage_manager_unref") @implementation
public func sdimage_manager_unref(_ manager: Object) {
    unsafe Handle.unref(manager, as: ManagerObject.self)
}

@_cdecl("sdimage_manager_get_cache") @implementation
public func sdimage_manager_get_cache(_ manager: Object, _ cache: ObjectOut) {
    unsafe cache?.pointee =
        unsafe Handle.find(manager, as: ManagerObject.self)?.manager.cache.map { unsafe Handle.own(CacheObject($0)) } ?? nil
}

@_cdecl("sdimage_manager_get_loader") @implementation
public func sdimage_manager_get_loader(_ manager: Object, _ loader: ObjectOut) {
    unsafe loader?.pointee =
        unsafe Handle.find(manager, as: ManagerObject.self)?.manager.loader.map { unsafe Handle.own(LoaderObject($0)) } ?? nil
}

@_cdecl("sdimage_manager_load") @implementation
public func sdimage_manager_load(
    _ manager: Object, _ request: Object, _ handler: UnsafePointer<sdimage_load_handler>?, _ userData: UserData,
    _ destroy: sdimage_destroy_fn?, _ task: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    let (isDelivered, hasMissed) = unsafe deliver(manager, request, handler, userData, destroy, task)
    if isDelivered { return .SDIMAGE_STATUS_OK }
    let foreign = unsafe Foreign(userData, destroy)
    return unsafe attempt(error) { () throws(ImageError) in
        let (manager, request) = unsafe (try Input.manager(manager), try Input.preparedRequest(request))
        let handler = unsafe try Input.handler(handler, foreign)
        let started = try manager.load(
            request, handler: handler, token: UInt(bitPattern: userData), owner: foreign, hasMissed: hasMissed)
        unsafe task?.pointee = unsafe Handle.own(started)
    }
}

@_cdecl("sdimage_manager_load_sync") @implementation
public func sdimage_manager_load_sync(_ manager: Object, _ request: Object, _ result: ObjectOut, _ error: ObjectOut)
    -> sdimage_status
{
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(result)
        let loaded = unsafe try Input.manager(manager).loadNow(try Input.preparedRequest(request))
        unsafe result?.pointee = unsafe Handle.own(loaded)
        if let error = loaded.error { throw error }
    }
}

@_cdecl("sdimage_manager_find") @implementation
public func sdimage_manager_find(_ manager: Object, _ request: Object, _ result: ObjectOut, _ error: ObjectOut)
    -> sdimage_status
{
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(result)
        let manager = unsafe try Input.manager(manager)
        let request = unsafe try Handle.borrow(request, as: RequestObject.self).preparation()
        let found = try manager.find(request)
        unsafe result?.pointee = unsafe found.map { unsafe Handle.own($0) } ?? nil
    }
}

@_cdecl("sdimage_manager_get_cache_key") @implementation
public func sdimage_manager_get_cache_key(_ manager: Object, _ request: Object, _ key: ObjectOut, _ error: ObjectOut)
    -> sdimage_status
{
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(key)
        let manager = unsafe try Input.manager(manager)
        let request = unsafe try Handle.borrow(request, as: RequestObject.self).value
        unsafe try give(try Bytes.copying(try manager.cacheKey(for: request).printed), key)
    }
}

@_cdecl("sdimage_manager_get_entry_key") @implementation
public func sdimage_manager_get_entry_key(_ manager: Object, _ request: Object, _ key: ObjectOut, _ error: ObjectOut)
    -> sdimage_status
{
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(key)
        let manager = unsafe try Input.manager(manager)
        let request = unsafe try Handle.borrow(request, as: RequestObject.self).value
        unsafe try give(try Bytes.copying(try manager.cacheKey(for: request).bytes), key)
    }
}

@_cdecl("sdimage_manager_cancel_all") @implementation
public func sdimage_manager_cancel_all(_ manager: Object) {
    if !Engine.isForked { unsafe Handle.find(manager, as: ManagerObject.self)?.manager.cancelAll() }
}

@_cdecl("sdimage_manager_wait_all") @implementation
public func sdimage_manager_wait_all(_ manager: Object, _ timeoutMs: UInt32, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        try unsafe Input.manager(manager).waitForAll(deadline: Input.deadline(timeoutMs))
    }
}

@_cdecl("sdimage_manager_running_count") @implementation
public func sdimage_manager_running_count(_ manager: Object) -> Int {
    unsafe Engine.isForked ? 0 : read(manager, ManagerObject.self, 0) { $0.manager.runningCount }
}

@_cdecl("sdimage_manager_set_offline") @implementation
public func sdimage_manager_set_offline(_ manager: Object, _ offline: Bool) {
    unsafe Handle.find(manager, as: ManagerObject.self)?.manager.offline.set(offline)
}

@_cdecl("sdimage_manager_is_offline") @implementation
public func sdimage_manager_is_offline(_ manager: Object) -> Bool {
    unsafe read(manager, ManagerObject.self, false) { $0.manager.offline.isOn }
}

@_cdecl("sdimage_manager_forget_failed") @implementation
public func sdimage_manager_forget_failed(_ manager: Object, _ url: Text, _ length: Int) {
    guard !Engine.isForked, let manager = unsafe Handle.find(manager, as: ManagerObject.self)?.manager else { return }
    guard unsafe url != nil else { return manager.forgetFailed(nil) }
    if let bytes = unsafe try? Input.bytes(url, length) { manager.forgetFailed(bytes) }
}

@_cdecl("sdimage_manager_flush") @implementation
public func sdimage_manager_flush(_ manager: Object, _ timeoutMs: UInt32, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        try unsafe Input.manager(manager).flush(deadline: Input.deadline(timeoutMs))
    }
}

@_cdecl("sdimage_manager_close") @implementation
public func sdimage_manager_close(_ manager: Object, _ timeoutMs: UInt32, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let manager = unsafe try Input.manager(manager)
        let tasks = manager.close()
        Defaults.release(of: manager)
        try manager.finish(tasks, deadline: Input.deadline(timeoutMs))
    }
}
