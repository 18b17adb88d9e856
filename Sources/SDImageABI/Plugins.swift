import CSDImage
import SDImage
import SDImageHost
import SDImageModules

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
