// The functions of include/sdimage/target.h: the loads of one widget. `sdimage_target` is a `TargetObject`.

import CSDImage
import SDImage
import SDImageHost

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
        let dispatcher = unsafe try Input.optional(dispatcher, as: DispatcherObject.self)?.dispatcher
        unsafe try give(TargetObject(manager, dispatcher, try ForeignTarget(vtable, foreign)), target)
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

@_cdecl("sdimage_target_options_new") @implementation
public func sdimage_target_options_new() -> Object { unsafe Handle.own(TargetOptionsObject(TargetOptions())) }

@_cdecl("sdimage_target_options_ref") @implementation
public func sdimage_target_options_ref(_ options: Object) -> Object {
    unsafe Handle.ref(options, as: TargetOptionsObject.self)
}

@_cdecl("sdimage_target_options_unref") @implementation
public func sdimage_target_options_unref(_ options: Object) {
    unsafe Handle.unref(options, as: TargetOptionsObject.self)
}

@_cdecl("sdimage_target_options_set_key") @implementation
public func sdimage_target_options_set_key(_ options: Object, _ key: Text) {
    let key = unsafe Input.targetKey(key)
    unsafe change(options, TargetOptionsObject.self) { $0.key = key }
}

@_cdecl("sdimage_target_options_set_manager") @implementation
public func sdimage_target_options_set_manager(_ options: Object, _ manager: Object) {
    unsafe change(options, TargetOptionsObject.self) {
        $0.manager = unsafe Handle.find(manager, as: ManagerObject.self).map { ManagerHold($0.manager, owner: $0) }
    }
}

@_cdecl("sdimage_target_options_set_placeholder") @implementation
public func sdimage_target_options_set_placeholder(_ options: Object, _ image: Object) {
    unsafe change(options, TargetOptionsObject.self) {
        $0.placeholder = unsafe Handle.find(image, as: Image.self).map { .image($0) } ?? .none
    }
}

@_cdecl("sdimage_target_options_set_blurhash") @implementation
public func sdimage_target_options_set_blurhash(
    _ options: Object, _ text: Text, _ length: Int, _ width: UInt32, _ height: UInt32
) {
    let bytes = unsafe (try? Input.bytes(text, length)) ?? []
    unsafe change(options, TargetOptionsObject.self) {
        $0.placeholder = bytes.isEmpty ? .none : .blurHash(bytes, size: PixelSize(width: Int(width), height: Int(height)))
    }
}

@_cdecl("sdimage_target_options_set_thumbhash") @implementation
public func sdimage_target_options_set_thumbhash(_ options: Object, _ hash: UnsafeRawPointer?, _ length: Int) {
    let bytes = unsafe (try? Array(Input.content(hash, length))) ?? []
    unsafe change(options, TargetOptionsObject.self) { $0.placeholder = bytes.isEmpty ? .none : .thumbHash(bytes) }
}

@_cdecl("sdimage_target_options_set_placeholder_time") @implementation
public func sdimage_target_options_set_placeholder_time(_ options: Object, _ time: sdimage_placeholder_time) {
    unsafe change(options, TargetOptionsObject.self) {
        $0.showsPlaceholderOnFailure = time == .SDIMAGE_PLACEHOLDER_TIME_ON_FAILURE
    }
}

@_cdecl("sdimage_target_options_set_cached_placeholder") @implementation
public func sdimage_target_options_set_cached_placeholder(_ options: Object, _ cached: sdimage_cached_placeholder) {
    unsafe change(options, TargetOptionsObject.self) {
        $0.cachedPlaceholder = CachedPlaceholder(rawValue: cached.rawValue) ?? .none
    }
}

@_cdecl("sdimage_target_options_set_previous_load") @implementation
public func sdimage_target_options_set_previous_load(_ options: Object, _ previous: sdimage_previous_load) {
    unsafe change(options, TargetOptionsObject.self) { $0.keepsPreviousLoad = previous == .SDIMAGE_PREVIOUS_LOAD_KEEP }
}

@_cdecl("sdimage_target_options_set_image_setting") @implementation
public func sdimage_target_options_set_image_setting(_ options: Object, _ setting: sdimage_image_setting) {
    unsafe change(options, TargetOptionsObject.self) { $0.isManual = setting == .SDIMAGE_IMAGE_SETTING_MANUAL }
}

@_cdecl("sdimage_target_options_set_transition") @implementation
public func sdimage_target_options_set_transition(_ options: Object, _ transition: sdimage_transition, _ durationMs: UInt32) {
    unsafe change(options, TargetOptionsObject.self) {
        $0.transition = TargetTransition(number: transition.rawValue, durationMilliseconds: durationMs)
    }
}

@_cdecl("sdimage_target_options_set_transition_rule") @implementation
public func sdimage_target_options_set_transition_rule(_ options: Object, _ rule: sdimage_transition_rule) {
    unsafe change(options, TargetOptionsObject.self) { $0.alwaysAnimates = rule == .SDIMAGE_TRANSITION_RULE_ALWAYS }
}

@_cdecl("sdimage_target_options_set_show_image_in_transition") @implementation
public func sdimage_target_options_set_show_image_in_transition(_ options: Object, _ setsImage: Bool) {
    unsafe change(options, TargetOptionsObject.self) { $0.transitionSetsImage = setsImage }
}

@_cdecl("sdimage_target_options_set_wait_for_transition") @implementation
public func sdimage_target_options_set_wait_for_transition(_ options: Object, _ wait: Bool) {
    unsafe change(options, TargetOptionsObject.self) { $0.waitsForTransition = wait }
}

@_cdecl("sdimage_target_load") @implementation
public func sdimage_target_load(
    _ target: Object, _ request: Object, _ options: Object, _ handler: UnsafePointer<sdimage_load_handler>?,
    _ userData: UserData, _ destroy: sdimage_destroy_fn?, _ task: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    return unsafe attempt(error) { () throws(ImageError) in
        let target = unsafe try Handle.borrow(target, as: TargetObject.self).target
        let request = unsafe request == nil ? ImageRequest(url: []) : try Input.request(request)
        let options = unsafe try Input.targetOptions(options)
        let handler = unsafe try Input.handler(handler, foreign)
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

@_cdecl("sdimage_target_get_task") @implementation
public func sdimage_target_get_task(_ target: Object, _ key: Text, _ task: ObjectOut) {
    let key = unsafe Input.targetKey(key)
    let found = unsafe Handle.find(target, as: TargetObject.self)?.target.task(key)
    unsafe task?.pointee = unsafe found.map { unsafe Handle.own($0) } ?? nil
}

@_cdecl("sdimage_target_set_priority") @implementation
public func sdimage_target_set_priority(_ target: Object, _ key: Text, _ priority: sdimage_priority) {
    guard let priority = LoadPriority(rawValue: priority.rawValue) else { return }
    let key = unsafe Input.targetKey(key)
    unsafe Handle.find(target, as: TargetObject.self)?.target.setPriority(priority, key)
}

@_cdecl("sdimage_target_priority") @implementation
public func sdimage_target_priority(_ target: Object, _ key: Text) -> sdimage_priority {
    let key = unsafe Input.targetKey(key)
    let priority = unsafe Handle.find(target, as: TargetObject.self)?.target.task(key)?.priority
    return priority.flatMap { sdimage_priority(rawValue: $0.rawValue) } ?? .SDIMAGE_PRIORITY_NORMAL
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

@_cdecl("sdimage_target_get_latest_key") @implementation
public func sdimage_target_get_latest_key(_ target: Object, _ key: ObjectOut) {
    let target = unsafe Handle.find(target, as: TargetObject.self)?.target
    unsafe hand(target.flatMap { try? Bytes.copying($0.latestKey?.name ?? []) }, key)
}

@_cdecl("sdimage_target_get_url") @implementation
public func sdimage_target_get_url(_ target: Object, _ key: Text, _ url: ObjectOut) {
    let key = unsafe latestOr(key)
    let target = unsafe Handle.find(target, as: TargetObject.self)?.target
    unsafe hand(target.flatMap { try? Bytes.copying($0.url(key)) }, url)
}
