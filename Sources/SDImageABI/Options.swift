import CSDImage
import SDImage

typealias OptionsObject = Box<OptionsBag>

@_cdecl("sdimage_options_new") @implementation
public func sdimage_options_new() -> Object {
    Handle.own(OptionsObject(OptionsBag()))
}

@_cdecl("sdimage_options_ref") @implementation
public func sdimage_options_ref(_ options: Object) -> Object {
    Handle.ref(options, as: OptionsObject.self)
}

@_cdecl("sdimage_options_unref") @implementation
public func sdimage_options_unref(_ options: Object) {
    Handle.unref(options, as: OptionsObject.self)
}

@_cdecl("sdimage_options_count") @implementation
public func sdimage_options_count(_ options: Object) -> Int {
    read(options, OptionsObject.self, 0) { $0.value.count }
}

@_cdecl("sdimage_options_has") @implementation
public func sdimage_options_has(_ options: Object, _ name: Text) -> Bool {
    read(options, OptionsObject.self, false) { $0.value[Input.name(name)] != nil }
}

@_cdecl("sdimage_options_remove") @implementation
public func sdimage_options_remove(_ options: Object, _ name: Text) {
    change(options, OptionsObject.self) { $0[Input.name(name)] = nil }
}

@_cdecl("sdimage_options_set_string") @implementation
public func sdimage_options_set_string(_ options: Object, _ name: Text, _ value: Text) {
    change(options, OptionsObject.self) { $0[Input.name(name)] = Input.text(value).map { .string(CString($0)) } }
}

@_cdecl("sdimage_options_set_int64") @implementation
public func sdimage_options_set_int64(_ options: Object, _ name: Text, _ value: Int64) {
    change(options, OptionsObject.self) { $0[Input.name(name)] = .int64(value) }
}

@_cdecl("sdimage_options_set_double") @implementation
public func sdimage_options_set_double(_ options: Object, _ name: Text, _ value: Double) {
    change(options, OptionsObject.self) { $0[Input.name(name)] = .double(value) }
}

@_cdecl("sdimage_options_set_bool") @implementation
public func sdimage_options_set_bool(_ options: Object, _ name: Text, _ value: Bool) {
    change(options, OptionsObject.self) { $0[Input.name(name)] = .bool(value) }
}

@_cdecl("sdimage_options_set_data") @implementation
public func sdimage_options_set_data(_ options: Object, _ name: Text, _ value: Object) {
    change(options, OptionsObject.self) { $0[Input.name(name)] = Handle.find(value, as: Bytes.self).map { .data($0) } }
}

@_cdecl("sdimage_options_set_pointer") @implementation
public func sdimage_options_set_pointer(_ options: Object, _ name: Text, _ value: UserData, _ destroy: sdimage_destroy_fn?) {
    let foreign = Foreign(value, destroy)
    let address = UInt(bitPattern: value)
    change(options, OptionsObject.self) { bag in
        bag[Input.name(name)] = address == 0 ? nil : .pointer(OpaqueValue(address: address) { withExtendedLifetime(foreign) {} })
    }
}

@_cdecl("sdimage_options_get_string") @implementation
public func sdimage_options_get_string(_ options: Object, _ name: Text, _ fallback: Text) -> Text {
    read(options, OptionsObject.self, fallback) { box in
        if case .string(let text) = box.value[Input.name(name)] { text.pointer } else { fallback }
    }
}

@_cdecl("sdimage_options_get_int64") @implementation
public func sdimage_options_get_int64(_ options: Object, _ name: Text, _ fallback: Int64) -> Int64 {
    read(options, OptionsObject.self, fallback) { box in
        if case .int64(let value) = box.value[Input.name(name)] { value } else { fallback }
    }
}

@_cdecl("sdimage_options_get_double") @implementation
public func sdimage_options_get_double(_ options: Object, _ name: Text, _ fallback: Double) -> Double {
    read(options, OptionsObject.self, fallback) { box in
        if case .double(let value) = box.value[Input.name(name)] { value } else { fallback }
    }
}

@_cdecl("sdimage_options_get_bool") @implementation
public func sdimage_options_get_bool(_ options: Object, _ name: Text, _ fallback: Bool) -> Bool {
    read(options, OptionsObject.self, fallback) { box in
        if case .bool(let value) = box.value[Input.name(name)] { value } else { fallback }
    }
}

@_cdecl("sdimage_options_get_data") @implementation
public func sdimage_options_get_data(_ options: Object, _ name: Text) -> Object {
    read(options, OptionsObject.self, nil) { box in
        if case .data(let bytes) = box.value[Input.name(name)] { Handle.lend(bytes) } else { nil }
    }
}

@_cdecl("sdimage_options_get_pointer") @implementation
public func sdimage_options_get_pointer(_ options: Object, _ name: Text) -> UserData {
    read(options, OptionsObject.self, nil) { box in
        if case .pointer(let value) = box.value[Input.name(name)] { UserData(bitPattern: value.address) } else { nil }
    }
}
