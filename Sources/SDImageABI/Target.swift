import CSDImage
import SDImage

/// A target as seen from C: releasing it closes the target.
final class TargetObject: Sendable {
    let target: ImageTarget

    init(_ target: ImageTarget) { self.target = target }

    deinit { if !Engine.isForked { target.close() } }
}

extension Input {
    /// The key of a slot; the standard one for NULL.
    static func targetKey(_ pointer: Text) -> TargetKey { unsafe pointer == nil ? .standard : TargetKey(name(pointer)) }
}

/// The key of a slot; NULL selects the slot of the latest load.
private func latestOr(_ pointer: Text) -> TargetKey? { unsafe pointer == nil ? nil : Input.targetKey(pointer) }

@_cdecl("sdimage_target_new") @implementation
public func sdimage_target_new(
    _ manager: Object, _ dispatcher: Object, _ vtable: UnsafePointer<sdimage_target_vtable>?, _ userData: UserData,
    _ destroy: sdimage_destroy_fn?, _ target: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    return unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(target)
        let manager = unsafe try Handle.borrow(manager, as: ManagerObject.self)
        let dispatcher = unsafe dispatcher == nil ? nil : try Handle.borrow(dispatcher, as: DispatcherObject.self).dispatcher
        let host = unsafe try ForeignTarget(vtable, foreign)
        let lease = try Engine.acquire()
        let made = ImageTarget(
            manager: ManagerHold(manager.manager, owner: manager), dispatcher: dispatcher ?? LibraryDispatcher(lease: lease),
            host: host, lease: lease)
        unsafe try give(TargetObject(made), target)
    }
}

@_cdecl("sdimage_target_ref") @implementation
public func sdimage_target_ref(_ target: Object) -> Object { unsafe Handle.ref(target, as: TargetObject.self) }

@_cdecl("sdimage_target_unref") @implementation
public func sdimage_target_unref(_ target: Object) { unsafe Handle.unref(target, as: TargetObject.self) }

@_cdecl("sdimage_target_close") @implementation
public func sdimage_target_close(_ target: Object) {
    unsafe Handle.find(target, as: TargetObject.self)?.target.close()
}

@_cdecl("sdimage_target_set_view") @implementation
public func sdimage_target_set_view(_ target: Object, _ key: Text, _ view: Object) {
    let key = unsafe Input.targetKey(key)
    let view = unsafe Handle.find(view, as: AnimatedView.self)
    unsafe Handle.find(target, as: TargetObject.self)?.target.setView(view, key)
}

@_cdecl("sdimage_target_load") @implementation
public func sdimage_target_load(
    _ target: Object, _ request: Object, _ options: Object, _ handler: UnsafePointer<sdimage_load_handler>?,
    _ userData: UserData, _ destroy: sdimage_destroy_fn?, _ task: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    return unsafe attempt(error) { () throws(ImageError) in
        let target = unsafe try Handle.borrow(target, as: TargetObject.self).target
        let request =
            unsafe request == nil ? ImageRequest(url: []) : try Handle.borrow(request, as: RequestObject.self).submitted()
        let options =
            unsafe options == nil ? TargetOptions() : try Handle.borrow(options, as: TargetOptionsObject.self).value
        let handler = unsafe handler == nil ? nil : try ForeignHandler(handler, foreign)
        let started = try target.load(
            request, options, handler: handler, token: UInt(bitPattern: userData), owner: foreign)
        unsafe task?.pointee = unsafe started.map { unsafe Handle.own($0) } ?? nil
    }
}

@_cdecl("sdimage_target_cancel") @implementation
public func sdimage_target_cancel(_ target: Object, _ key: Text) {
    let key = unsafe Input.targetKey(key)
    unsafe Handle.find(target, as: TargetObject.self)?.target.cancel(key)
}

@_cdecl("sdimage_target_cancel_latest") @implementation
public func sdimage_target_cancel_latest(_ target: Object) {
    unsafe Handle.find(target, as: TargetObject.self)?.target.cancel(nil)
}

@_cdecl("sdimage_target_copy_task") @implementation
public func sdimage_target_copy_task(_ target: Object, _ key: Text, _ task: ObjectOut) {
    let key = unsafe Input.targetKey(key)
    let found = unsafe Handle.find(target, as: TargetObject.self)?.target.task(key)
    unsafe task?.pointee = unsafe found.map { unsafe Handle.own($0) } ?? nil
}

@_cdecl("sdimage_target_set_task") @implementation
public func sdimage_target_set_task(_ target: Object, _ key: Text, _ task: Object) {
    let key = unsafe Input.targetKey(key)
    guard let task = unsafe Handle.find(task, as: LoadTask.self) else { return }
    unsafe Handle.find(target, as: TargetObject.self)?.target.setTask(task, key)
}

@_cdecl("sdimage_target_remove_task") @implementation
public func sdimage_target_remove_task(_ target: Object, _ key: Text) {
    let key = unsafe Input.targetKey(key)
    unsafe Handle.find(target, as: TargetObject.self)?.target.removeTask(key)
}

@_cdecl("sdimage_target_copy_latest_key") @implementation
public func sdimage_target_copy_latest_key(_ target: Object, _ key: ObjectOut) {
    guard let key = unsafe key, let target = unsafe Handle.find(target, as: TargetObject.self)?.target else { return }
    let name = target.latestKey?.name ?? []
    unsafe key.pointee = unsafe (try? Bytes.copying(name)).map { unsafe Handle.own($0) } ?? nil
}

@_cdecl("sdimage_target_copy_url") @implementation
public func sdimage_target_copy_url(_ target: Object, _ key: Text, _ url: ObjectOut) {
    let key = unsafe latestOr(key)
    guard let url = unsafe url, let target = unsafe Handle.find(target, as: TargetObject.self)?.target else { return }
    unsafe url.pointee = unsafe (try? Bytes.copying(target.url(key))).map { unsafe Handle.own($0) } ?? nil
}

@_cdecl("sdimage_target_copy_progress") @implementation
public func sdimage_target_copy_progress(_ target: Object, _ key: Text, _ progress: ObjectOut) {
    let key = unsafe latestOr(key)
    guard let progress = unsafe progress else { return }
    let counter = unsafe Handle.find(target, as: TargetObject.self)?.target.progress(key)
    unsafe progress.pointee = unsafe counter.map { unsafe Handle.own($0) } ?? nil
}

@_cdecl("sdimage_target_set_progress") @implementation
public func sdimage_target_set_progress(_ target: Object, _ key: Text, _ progress: Object) {
    let key = unsafe latestOr(key)
    guard let counter = unsafe Handle.find(progress, as: ProgressCounter.self) else { return }
    unsafe Handle.find(target, as: TargetObject.self)?.target.setProgress(counter, key)
}
