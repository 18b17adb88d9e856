import CSDImage
import SDImage

typealias TargetOptionsObject = Box<TargetOptions>

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

@_cdecl("sdimage_target_options_set_transition_sets_image") @implementation
public func sdimage_target_options_set_transition_sets_image(_ options: Object, _ setsImage: Bool) {
    unsafe change(options, TargetOptionsObject.self) { $0.transitionSetsImage = setsImage }
}

@_cdecl("sdimage_target_options_set_wait_for_transition") @implementation
public func sdimage_target_options_set_wait_for_transition(_ options: Object, _ wait: Bool) {
    unsafe change(options, TargetOptionsObject.self) { $0.waitsForTransition = wait }
}
