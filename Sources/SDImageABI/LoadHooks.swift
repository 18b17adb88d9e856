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

@_cdecl("sdimage_request_set_load_hooks") @implementation
public func sdimage_request_set_load_hooks(_ request: Object, _ hooks: Object) {
    let hooks = unsafe Handle.find(hooks, as: LoadHooks.self)
    unsafe Handle.find(request, as: RequestObject.self)?.change { $0.loadHooks = hooks }
}
