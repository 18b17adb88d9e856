// The getters of include/sdimage/manager.h.

import CSDImage
import SDImage
import SDImageHost

@_cdecl("sdimage_manager_config_get_cache") @implementation
public func sdimage_manager_config_get_cache(_ config: Object, _ cache: ObjectOut) -> Bool {
    unsafe hand(read(config, ManagerConfigObject.self, nil) { $0.value.cache }, cache) { CacheObject($0) }
}

@_cdecl("sdimage_manager_config_get_transformer") @implementation
public func sdimage_manager_config_get_transformer(_ config: Object, _ transformer: ObjectOut) {
    unsafe hand(read(config, ManagerConfigObject.self, nil) { $0.value.transformer }, transformer) { TransformerObject($0) }
}

@_cdecl("sdimage_manager_config_get_loader") @implementation
public func sdimage_manager_config_get_loader(_ config: Object, _ loader: ObjectOut) {
    unsafe hand(read(config, ManagerConfigObject.self, nil) { $0.value.loader }, loader) { LoaderObject($0) }
}

@_cdecl("sdimage_manager_config_get_dispatcher") @implementation
public func sdimage_manager_config_get_dispatcher(_ config: Object, _ dispatcher: ObjectOut) {
    unsafe hand(read(config, ManagerConfigObject.self, nil) { $0.value.dispatcher }, dispatcher) { DispatcherObject($0) }
}

@_cdecl("sdimage_manager_config_freshness") @implementation
public func sdimage_manager_config_freshness(_ config: Object) -> sdimage_freshness {
    unsafe read(config, ManagerConfigObject.self, .SDIMAGE_FRESHNESS_IGNORE) { $0.value.freshness.code }
}

@_cdecl("sdimage_manager_config_should_ignore_signatures") @implementation
public func sdimage_manager_config_should_ignore_signatures(_ config: Object) -> Bool {
    unsafe read(config, ManagerConfigObject.self, false) { $0.value.ignoresSignatures }
}

@_cdecl("sdimage_manager_config_failed_url_retry_after") @implementation
public func sdimage_manager_config_failed_url_retry_after(_ config: Object) -> Int64 {
    unsafe read(config, ManagerConfigObject.self, 0) { $0.value.failedURLRetryAfter }
}

@_cdecl("sdimage_get_default_cache") @implementation
public func sdimage_get_default_cache(_ cache: ObjectOut) {
    unsafe hand(Defaults.cacheSet, cache) { CacheObject($0) }
}

@_cdecl("sdimage_get_default_loader") @implementation
public func sdimage_get_default_loader(_ loader: ObjectOut) {
    unsafe hand(Defaults.loaderSet, loader) { LoaderObject($0) }
}
