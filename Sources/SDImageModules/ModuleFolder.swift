import CSystem
import SDImage

/// The folder of modules and plug-ins: the one named by the environment, or else the one beside the library's own file. A
/// program with more rights than its caller ignores the environment.
package enum ModuleFolder {
    package static let modules = folder(named: "SDIMAGE_MODULE_PATH", else: "sdimage/1")
    package static let plugins = folder(named: "SDIMAGE_PLUGIN_PATH", else: ".")

    /// `folder` is relative to the folder of the library; "." is that folder itself.
    private static func folder(named variable: String, else folder: String) -> String {
        if let own = unsafe csys_environment(variable) { return unsafe String(cString: own) }
        // A folder that does not exist, rather than the current directory.
        let path = unsafe csys_own_file().map { unsafe String(cString: $0) } ?? "/dev/null/"
        let beside = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "/dev/null"
        return folder == "." ? beside : "\(beside)/\(folder)"
    }
}
