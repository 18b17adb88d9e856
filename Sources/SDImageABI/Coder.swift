// The functions of include/sdimage/coder.h: the registered coders, and plug-ins. The registry is that of the process,
// `Defaults.coders`.

import CSDImage
import Glibc
import SDImage
import SDImageHost
import SDImageModules

@_cdecl("sdimage_coder_ref") @implementation
public func sdimage_coder_ref(_ coder: Object) -> Object {
    unsafe Handle.ref(coder, as: CoderObject.self)
}

@_cdecl("sdimage_coder_unref") @implementation
public func sdimage_coder_unref(_ coder: Object) {
    unsafe Handle.unref(coder, as: CoderObject.self)
}

@_cdecl("sdimage_coder_name") @implementation
public func sdimage_coder_name(_ coder: Object) -> Text {
    unsafe read(coder, CoderObject.self, CString.empty.pointer) { unsafe $0.name.pointer }
}

@_cdecl("sdimage_coder_get_builtin") @implementation
public func sdimage_coder_get_builtin(_ name: Text, _ coder: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let wanted = unsafe try Input.text(name, named: "name")
        guard let found = Defaults.namedCoders.first(where: { $0.name == wanted }) else {
            throw ImageError(.notFound, "coder: no built-in coder is named \(wanted)")
        }
        unsafe try give(CoderObject(found), coder)
    }
}

@_cdecl("sdimage_coder_register") @implementation
public func sdimage_coder_register(_ coder: Object, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe Defaults.coders.register(try Handle.borrow(coder, as: CoderObject.self).coder)
    }
}

@_cdecl("sdimage_coder_unregister") @implementation
public func sdimage_coder_unregister(_ coder: Object, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let coder = unsafe try Handle.borrow(coder, as: CoderObject.self).coder
        guard Defaults.coders.coders.contains(where: { $0 === coder }) else {
            throw ImageError(.notFound, "coder: \(coder.name) is not registered")
        }
        Defaults.coders.unregister(coder)
    }
}

@_cdecl("sdimage_coder_registered_count") @implementation
public func sdimage_coder_registered_count() -> Int { Defaults.coders.coders.count }

@_cdecl("sdimage_coder_get_registered") @implementation
public func sdimage_coder_get_registered(_ index: Int, _ coder: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let coders = Defaults.coders.coders
        guard index >= 0, index < coders.count else {
            throw ImageError(.notFound, "coder: index \(UInt(bitPattern: index)) is out of range (count \(coders.count))")
        }
        // Index 0 is the coder that is asked first, which is the last of the list.
        unsafe try give(CoderObject(coders[coders.count - 1 - index]), coder)
    }
}

@_cdecl("sdimage_coder_unregister_all") @implementation
public func sdimage_coder_unregister_all() { Defaults.coders.unregisterAll() }

@_cdecl("sdimage_coder_register_builtin") @implementation
public func sdimage_coder_register_builtin() { Defaults.coders.register(lowest: Defaults.builtinCoders) }

@_cdecl("sdimage_can_decode") @implementation
public func sdimage_can_decode(_ bytes: UnsafeRawPointer?, _ length: Int) -> Bool {
    guard let bytes = unsafe try? Input.callersBytes(bytes, length) else { return false }
    return Defaults.coders.canDecode(bytes)
}

@_cdecl("sdimage_can_encode") @implementation
public func sdimage_can_encode(_ format: sdimage_format) -> Bool {
    ImageFormat(rawValue: format.rawValue).map { Defaults.coders.canEncode($0) } ?? false
}

@_cdecl("sdimage_plugins_load_all") @implementation
public func sdimage_plugins_load_all(_ plugins: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let list = PluginList(loading: Defaults.plugins, into: Defaults.coders)
        if unsafe plugins != nil { unsafe try give(list, plugins) }
    }
}

@_cdecl("sdimage_plugin_list_ref") @implementation
public func sdimage_plugin_list_ref(_ plugins: Object) -> Object { unsafe Handle.ref(plugins, as: PluginList.self) }

@_cdecl("sdimage_plugin_list_unref") @implementation
public func sdimage_plugin_list_unref(_ plugins: Object) { unsafe Handle.unref(plugins, as: PluginList.self) }

@_cdecl("sdimage_plugin_list_count") @implementation
public func sdimage_plugin_list_count(_ plugins: Object) -> Int { unsafe read(plugins, PluginList.self, 0) { $0.rows.count } }

@_cdecl("sdimage_plugin_list_name") @implementation
public func sdimage_plugin_list_name(_ plugins: Object, _ index: Int) -> Text {
    unsafe read(plugins, PluginList.self, nil) { unsafe $0.row(index)?.name.pointer }
}

@_cdecl("sdimage_plugin_list_path") @implementation
public func sdimage_plugin_list_path(_ plugins: Object, _ index: Int) -> Text {
    unsafe read(plugins, PluginList.self, nil) { unsafe $0.row(index)?.path.pointer }
}

@_cdecl("sdimage_plugin_list_library") @implementation
public func sdimage_plugin_list_library(_ plugins: Object, _ index: Int) -> Text {
    unsafe read(plugins, PluginList.self, nil) { unsafe $0.row(index)?.library.pointer }
}

@_cdecl("sdimage_plugin_list_error") @implementation
public func sdimage_plugin_list_error(_ plugins: Object, _ index: Int) -> Object {
    unsafe read(plugins, PluginList.self, nil) { unsafe Handle.lend($0.row(index)?.error) }
}
