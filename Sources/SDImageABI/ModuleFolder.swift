import CSystem
import SDImage

/// Where modules and plug-ins lie: a folder named by the environment, or else beside the library's own file. A program that
/// runs with more rights than its caller has does not listen to its environment.
enum ModuleFolder {
    static let modules = folder(named: "SDIMAGE_MODULE_PATH", else: "sdimage/1")
    static let plugins = folder(named: "SDIMAGE_PLUGIN_PATH", else: ".")

    private static func folder(named variable: String, else place: String) -> String {
        if let own = unsafe csys_environment(variable) { return unsafe String(cString: own) }
        // Nowhere, rather than in whatever folder the program is working in.
        let path = unsafe csys_own_file().map { unsafe String(cString: $0) } ?? "/dev/null/"
        let beside = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "/dev/null"
        return place == "." ? beside : "\(beside)/\(place)"
    }
}
