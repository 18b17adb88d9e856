import SDImage
import SDImageHost

/// The outcome of loading each plug-in, as seen from C: `sdimage_plugin_list`. Immutable.
package final class PluginList: Sendable, HandleObject {
    @inlinable package static var forkRule: ForkRule { .usable }

    /// A plug-in; `error` is nil if it was loaded, or if workers open it. `library` has the version of the library if this
    /// process has opened it, otherwise its name only.
    package struct Row: Sendable {
        package let name, path, library: CString
        package let error: ImageError?
    }

    package let rows: [Row]

    /// Loads the plug-ins that are not loaded yet.
    package init(loading plugins: [PluginCoder], into registry: CoderRegistry) {
        rows = plugins.map { plugin in
            var failure: ImageError?
            do throws(ImageError) { try plugin.load(into: registry) } catch { failure = error }
            let library = plugin.module.opened == nil ? plugin.module.library.name : plugin.libraryVersion
            return Row(
                name: CString(plugin.name), path: CString(plugin.module.path), library: CString(library), error: failure)
        }
    }

    package func row(_ index: Int) -> Row? { rows.indices.contains(index) ? rows[index] : nil }
}
