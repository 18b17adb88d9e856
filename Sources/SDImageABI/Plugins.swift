import CSDImage
import SDImage

/// The outcome of loading each plug-in, as seen from C.
final class PluginList: Sendable {
    struct Row: Sendable {
        let name, path, library: CString
        let error: ImageError?
    }

    let rows: [Row]

    /// Loads the plug-ins that are not loaded yet.
    init(loading plugins: [PluginCoder], into registry: CoderRegistry) {
        rows = plugins.map { plugin in
            var failure: ImageError?
            do throws(ImageError) { try plugin.load(into: registry) } catch { failure = error }
            let library = failure == nil ? plugin.libraryVersion : plugin.module.library.name
            return Row(
                name: CString(plugin.name), path: CString(plugin.module.path), library: CString(library), error: failure)
        }
    }

    func row(_ index: Int) -> Row? { rows.indices.contains(index) ? rows[index] : nil }
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
