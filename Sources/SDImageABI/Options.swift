// The functions of include/sdimage/options.h: named values for coders. `sdimage_options` is an `OptionsObject`.

import CSDImage
import SDImage
import SDImageHost

@_cdecl("sdimage_options_new") @implementation
public func sdimage_options_new() -> Object {
    unsafe Handle.own(OptionsObject(OptionsBag()))
}

@_cdecl("sdimage_options_ref") @implementation
public func sdimage_options_ref(_ options: Object) -> Object {
    unsafe Handle.ref(options, as: OptionsObject.self)
}

@_cdecl("sdimage_options_unref") @implementation
public func sdimage_options_unref(_ options: Object) {
    unsafe Handle.unref(options, as: OptionsObject.self)
}

@_cdecl("sdimage_options_count") @implementation
public func sdimage_options_count(_ options: Object) -> Int {
    unsafe read(options, OptionsObject.self, 0) { $0.value.count }
}

@_cdecl("sdimage_options_has") @implementation
public func sdimage_options_has(_ options: Object, _ name: Text) -> Bool {
    unsafe read(options, OptionsObject.self, false) { unsafe $0.value[Input.name(name)] != nil }
}

/// Sets a value; nil removes it.
private func set(_ options: Object, _ name: Text, _ value: OptionsBag.Value?) {
    unsafe change(options, OptionsObject.self) { unsafe $0[Input.name(name)] = value }
}

@_cdecl("sdimage_options_remove") @implementation
public func sdimage_options_remove(_ options: Object, _ name: Text) {
    unsafe set(options, name, nil)
}

@_cdecl("sdimage_options_set_string") @implementation
public func sdimage_options_set_string(_ options: Object, _ name: Text, _ value: Text) {
    unsafe set(options, name, Input.text(value).map { .string(CString($0)) })
}

@_cdecl("sdimage_options_set_int64") @implementation
public func sdimage_options_set_int64(_ options: Object, _ name: Text, _ value: Int64) {
    unsafe set(options, name, .int64(value))
}

@_cdecl("sdimage_options_set_double") @implementation
public func sdimage_options_set_double(_ options: Object, _ name: Text, _ value: Double) {
    unsafe set(options, name, .double(value))
}

@_cdecl("sdimage_options_set_bool") @implementation
public func sdimage_options_set_bool(_ options: Object, _ name: Text, _ value: Bool) {
    unsafe set(options, name, .bool(value))
}

@_cdecl("sdimage_options_set_data") @implementation
public func sdimage_options_set_data(_ options: Object, _ name: Text, _ value: Object) {
    unsafe set(options, name, Handle.find(value, as: Bytes.self).map { .data($0) })
}

@_cdecl("sdimage_options_set_pointer") @implementation
public func sdimage_options_set_pointer(_ options: Object, _ name: Text, _ value: UserData, _ destroy: sdimage_destroy_fn?) {
    let foreign = unsafe Foreign(value, destroy)
    let address = UInt(bitPattern: value)
    unsafe set(options, name, address == 0 ? nil : .pointer(OpaqueValue(address: address) { withExtendedLifetime(foreign) {} }))
}

@_cdecl("sdimage_options_string") @implementation
public func sdimage_options_string(_ options: Object, _ name: Text, _ fallback: Text) -> Text {
    unsafe read(options, OptionsObject.self, fallback) { box in
        if case .string(let text) = unsafe box.value[Input.name(name)] { unsafe text.pointer } else { unsafe fallback }
    }
}

@_cdecl("sdimage_options_int64") @implementation
public func sdimage_options_int64(_ options: Object, _ name: Text, _ fallback: Int64) -> Int64 {
    unsafe read(options, OptionsObject.self, fallback) { box in
        if case .int64(let value) = unsafe box.value[Input.name(name)] { value } else { fallback }
    }
}

@_cdecl("sdimage_options_double") @implementation
public func sdimage_options_double(_ options: Object, _ name: Text, _ fallback: Double) -> Double {
    unsafe read(options, OptionsObject.self, fallback) { box in
        if case .double(let value) = unsafe box.value[Input.name(name)] { value } else { fallback }
    }
}

@_cdecl("sdimage_options_is_true") @implementation
public func sdimage_options_is_true(_ options: Object, _ name: Text, _ fallback: Bool) -> Bool {
    unsafe read(options, OptionsObject.self, fallback) { box in
        if case .bool(let value) = unsafe box.value[Input.name(name)] { value } else { fallback }
    }
}

@_cdecl("sdimage_options_data") @implementation
public func sdimage_options_data(_ options: Object, _ name: Text) -> Object {
    unsafe read(options, OptionsObject.self, nil) { box in
        if case .data(let bytes) = unsafe box.value[Input.name(name)] { unsafe Handle.lend(bytes) } else { nil }
    }
}

@_cdecl("sdimage_options_pointer") @implementation
public func sdimage_options_pointer(_ options: Object, _ name: Text) -> UserData {
    unsafe read(options, OptionsObject.self, nil) { box in
        if case .pointer(let value) = unsafe box.value[Input.name(name)] {
            unsafe UnsafeMutableRawPointer(bitPattern: value.address)
        } else {
            nil
        }
    }
}
