// The functions of include/sdimage/hooks.h. The objects are `LoadHooks` and `DownloadHooks`; `ForeignLoadHooks` and
// `ForeignHooks` call the host.

import CSDImage
import SDImage
import SDImageHost

@_cdecl("sdimage_load_hooks_new_custom") @implementation
public func sdimage_load_hooks_new_custom(
    _ vtable: UnsafePointer<sdimage_load_hooks_vtable>?, _ userData: UserData, _ destroy: sdimage_destroy_fn?,
    _ hooks: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    return unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(hooks)
        unsafe try give(try ForeignLoadHooks(vtable, foreign).hooks, hooks)
    }
}

@_cdecl("sdimage_load_hooks_ref") @implementation
public func sdimage_load_hooks_ref(_ hooks: Object) -> Object {
    unsafe Handle.ref(hooks, as: LoadHooks.self)
}

@_cdecl("sdimage_load_hooks_unref") @implementation
public func sdimage_load_hooks_unref(_ hooks: Object) {
    unsafe Handle.unref(hooks, as: LoadHooks.self)
}

@_cdecl("sdimage_manager_config_set_load_hooks") @implementation
public func sdimage_manager_config_set_load_hooks(_ config: Object, _ hooks: Object) {
    unsafe change(config, ManagerConfigObject.self) { $0.hooks = unsafe Handle.find(hooks, as: LoadHooks.self) }
}

@_cdecl("sdimage_manager_config_get_load_hooks") @implementation
public func sdimage_manager_config_get_load_hooks(_ config: Object, _ hooks: ObjectOut) {
    unsafe hand(read(config, ManagerConfigObject.self, nil) { $0.value.hooks }, hooks)
}

@_cdecl("sdimage_request_set_load_hooks") @implementation
public func sdimage_request_set_load_hooks(_ request: Object, _ hooks: Object) {
    let hooks = unsafe Handle.find(hooks, as: LoadHooks.self)
    unsafe Handle.find(request, as: RequestObject.self)?.change { $0.loadHooks = hooks }
}

@_cdecl("sdimage_request_get_load_hooks") @implementation
public func sdimage_request_get_load_hooks(_ request: Object, _ hooks: ObjectOut) {
    unsafe hand(read(request, RequestObject.self, nil) { $0.value.loadHooks }, hooks)
}

@_cdecl("sdimage_download_hooks_new_custom") @implementation
public func sdimage_download_hooks_new_custom(
    _ vtable: UnsafePointer<sdimage_download_hooks_vtable>?, _ userData: UserData, _ destroy: sdimage_destroy_fn?,
    _ hooks: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    return unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(hooks)
        unsafe try give(try ForeignHooks(vtable, foreign).hooks, hooks)
    }
}

@_cdecl("sdimage_download_hooks_new_base64") @implementation
public func sdimage_download_hooks_new_base64(_ hooks: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in unsafe try give(DownloadHooks.base64, hooks) }
}

@_cdecl("sdimage_download_hooks_new_fixed") @implementation
public func sdimage_download_hooks_new_fixed(
    _ request: Object, _ response: Object, _ hooks: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let asked = unsafe request == nil ? nil : try Handle.borrow(request, as: RequestObject.self).value
        let given = unsafe response == nil ? nil : try Handle.borrow(response, as: ResponseObject.self).value
        unsafe try give(DownloadHooks.fixed(request: asked, response: given), hooks)
    }
}

@_cdecl("sdimage_download_hooks_ref") @implementation
public func sdimage_download_hooks_ref(_ hooks: Object) -> Object {
    unsafe Handle.ref(hooks, as: DownloadHooks.self)
}

@_cdecl("sdimage_download_hooks_unref") @implementation
public func sdimage_download_hooks_unref(_ hooks: Object) {
    unsafe Handle.unref(hooks, as: DownloadHooks.self)
}

@_cdecl("sdimage_downloader_config_set_hooks") @implementation
public func sdimage_downloader_config_set_hooks(_ config: Object, _ hooks: Object) {
    unsafe change(config, DownloaderConfigObject.self) {
        $0.hooks = unsafe Handle.find(hooks, as: DownloadHooks.self)
    }
}

@_cdecl("sdimage_downloader_config_get_hooks") @implementation
public func sdimage_downloader_config_get_hooks(_ config: Object, _ hooks: ObjectOut) {
    unsafe hand(read(config, DownloaderConfigObject.self, nil) { $0.value.hooks }, hooks)
}

@_cdecl("sdimage_request_set_hooks") @implementation
public func sdimage_request_set_hooks(_ request: Object, _ hooks: Object) {
    let hooks = unsafe Handle.find(hooks, as: DownloadHooks.self)
    unsafe Handle.find(request, as: RequestObject.self)?.change { $0.hooks = hooks }
}

@_cdecl("sdimage_request_get_hooks") @implementation
public func sdimage_request_get_hooks(_ request: Object, _ hooks: ObjectOut) {
    unsafe hand(read(request, RequestObject.self, nil) { $0.value.hooks }, hooks)
}

@_cdecl("sdimage_download_event_stage") @implementation
public func sdimage_download_event_stage(_ event: Object) -> sdimage_transfer_stage {
    unsafe read(event, DownloadEvent.self, .SDIMAGE_TRANSFER_STAGE_NONE) { event in
        sdimage_transfer_stage(rawValue: UInt32(event.kind.rawValue)) ?? .SDIMAGE_TRANSFER_STAGE_STOPPED
    }
}

@_cdecl("sdimage_download_event_url") @implementation
public func sdimage_download_event_url(_ event: Object) -> Text {
    unsafe read(event, DownloadEvent.self, CString.empty.pointer) { unsafe $0.url.pointer }
}

@_cdecl("sdimage_download_event_http_status") @implementation
public func sdimage_download_event_http_status(_ event: Object) -> Int32 {
    unsafe read(event, DownloadEvent.self, 0) { $0.httpStatus }
}

@_cdecl("sdimage_download_event_received") @implementation
public func sdimage_download_event_received(_ event: Object) -> Int64 {
    unsafe read(event, DownloadEvent.self, 0) { $0.received }
}

@_cdecl("sdimage_download_event_expected") @implementation
public func sdimage_download_event_expected(_ event: Object) -> Int64 {
    unsafe read(event, DownloadEvent.self, -1) { $0.expected }
}

@_cdecl("sdimage_download_event_time_ns") @implementation
public func sdimage_download_event_time_ns(_ event: Object) -> UInt64 {
    unsafe read(event, DownloadEvent.self, 0) { $0.nanoseconds }
}

@_cdecl("sdimage_download_event_error") @implementation
public func sdimage_download_event_error(_ event: Object) -> Object {
    unsafe read(event, DownloadEvent.self, nil) { unsafe Handle.lend($0.error) }
}
