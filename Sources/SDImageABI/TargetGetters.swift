// The getters of include/sdimage/target.h.

import CSDImage
import SDImage
import SDImageHost

@_cdecl("sdimage_target_get_view") @implementation
public func sdimage_target_get_view(_ target: Object, _ key: Text, _ view: ObjectOut) {
    let key = unsafe Input.targetKey(key)
    unsafe hand(Handle.find(target, as: TargetObject.self)?.target.view(key), view)
}

@_cdecl("sdimage_target_options_key") @implementation
public func sdimage_target_options_key(_ options: Object) -> Text {
    unsafe read(options, TargetOptionsObject.self, CString.empty.pointer) {
        unsafe $0.lent.text("key", $0.value.key.name)?.pointer
    }
}

@_cdecl("sdimage_target_options_get_manager") @implementation
public func sdimage_target_options_get_manager(_ options: Object, _ manager: ObjectOut) {
    unsafe hand(read(options, TargetOptionsObject.self, nil) { $0.value.manager?.owner as? ManagerObject }, manager)
}

@_cdecl("sdimage_target_options_get_placeholder") @implementation
public func sdimage_target_options_get_placeholder(_ options: Object, _ image: ObjectOut) {
    unsafe hand(read(options, TargetOptionsObject.self, nil) { $0.value.placeholder.shownImage }, image)
}

@_cdecl("sdimage_target_options_blurhash") @implementation
public func sdimage_target_options_blurhash(_ options: Object, _ length: UnsafeMutablePointer<Int>?) -> Text {
    let hash = unsafe read(options, TargetOptionsObject.self, nil) {
        $0.lent.text("blurhash", $0.value.placeholder.blurHash?.text)
    }
    unsafe length?.pointee = hash?.count ?? 0
    return unsafe hash.map { unsafe $0.pointer }
}

@_cdecl("sdimage_target_options_thumbhash") @implementation
public func sdimage_target_options_thumbhash(_ options: Object, _ length: UnsafeMutablePointer<Int>?) -> UnsafeRawPointer? {
    let hash = unsafe read(options, TargetOptionsObject.self, nil) { $0.lent.text("thumbhash", $0.value.placeholder.thumbHash) }
    unsafe length?.pointee = hash?.count ?? 0
    return unsafe hash.map { unsafe UnsafeRawPointer($0.pointer) }
}

@_cdecl("sdimage_target_options_blurhash_size") @implementation
public func sdimage_target_options_blurhash_size(_ options: Object) -> sdimage_size {
    unsafe read(options, TargetOptionsObject.self, sdimage_size()) {
        ($0.value.placeholder.blurHash?.size ?? PixelSize(width: 0, height: 0)).code
    }
}

@_cdecl("sdimage_target_options_placeholder_time") @implementation
public func sdimage_target_options_placeholder_time(_ options: Object) -> sdimage_placeholder_time {
    unsafe read(options, TargetOptionsObject.self, .SDIMAGE_PLACEHOLDER_TIME_NOW) {
        $0.value.showsPlaceholderOnFailure ? .SDIMAGE_PLACEHOLDER_TIME_ON_FAILURE : .SDIMAGE_PLACEHOLDER_TIME_NOW
    }
}

@_cdecl("sdimage_target_options_cached_placeholder") @implementation
public func sdimage_target_options_cached_placeholder(_ options: Object) -> sdimage_cached_placeholder {
    unsafe read(options, TargetOptionsObject.self, .SDIMAGE_CACHED_PLACEHOLDER_NONE) {
        sdimage_cached_placeholder(rawValue: $0.value.cachedPlaceholder.rawValue) ?? .SDIMAGE_CACHED_PLACEHOLDER_NONE
    }
}

@_cdecl("sdimage_target_options_previous_load") @implementation
public func sdimage_target_options_previous_load(_ options: Object) -> sdimage_previous_load {
    unsafe read(options, TargetOptionsObject.self, .SDIMAGE_PREVIOUS_LOAD_CANCEL) {
        $0.value.keepsPreviousLoad ? .SDIMAGE_PREVIOUS_LOAD_KEEP : .SDIMAGE_PREVIOUS_LOAD_CANCEL
    }
}

@_cdecl("sdimage_target_options_image_setting") @implementation
public func sdimage_target_options_image_setting(_ options: Object) -> sdimage_image_setting {
    unsafe read(options, TargetOptionsObject.self, .SDIMAGE_IMAGE_SETTING_AUTOMATIC) {
        $0.value.isManual ? .SDIMAGE_IMAGE_SETTING_MANUAL : .SDIMAGE_IMAGE_SETTING_AUTOMATIC
    }
}

@_cdecl("sdimage_target_options_transition") @implementation
public func sdimage_target_options_transition(_ options: Object) -> sdimage_transition {
    unsafe read(options, TargetOptionsObject.self, .SDIMAGE_TRANSITION_NONE) { $0.value.transition.code }
}

@_cdecl("sdimage_target_options_transition_duration_ms") @implementation
public func sdimage_target_options_transition_duration_ms(_ options: Object) -> UInt32 {
    unsafe read(options, TargetOptionsObject.self, 0) { $0.value.transition.durationMilliseconds }
}

@_cdecl("sdimage_target_options_transition_rule") @implementation
public func sdimage_target_options_transition_rule(_ options: Object) -> sdimage_transition_rule {
    unsafe read(options, TargetOptionsObject.self, .SDIMAGE_TRANSITION_RULE_WAITED) {
        $0.value.alwaysAnimates ? .SDIMAGE_TRANSITION_RULE_ALWAYS : .SDIMAGE_TRANSITION_RULE_WAITED
    }
}

@_cdecl("sdimage_target_options_should_show_image_in_transition") @implementation
public func sdimage_target_options_should_show_image_in_transition(_ options: Object) -> Bool {
    unsafe read(options, TargetOptionsObject.self, false) { $0.value.transitionSetsImage }
}

@_cdecl("sdimage_target_options_should_wait_for_transition") @implementation
public func sdimage_target_options_should_wait_for_transition(_ options: Object) -> Bool {
    unsafe read(options, TargetOptionsObject.self, false) { $0.value.waitsForTransition }
}
