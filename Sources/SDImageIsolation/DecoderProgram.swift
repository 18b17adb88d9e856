import CSystem
import Glibc

/// The program of the workers: the file named by the environment, or else one at a fixed place relative to the library's own
/// file. A program with more rights than its caller ignores the environment.
package enum DecoderProgram {
    /// nil if no program is installed. Found once for the process.
    package static let path: String? = {
        if let own = unsafe csys_environment("SDIMAGE_DECODER_PATH") { return unsafe String(cString: own) }
        guard let file = unsafe csys_own_file().map({ unsafe String(cString: $0) }), let end = file.lastIndex(of: "/") else {
            return nil
        }
        // lib/libsdimage.so.1, lib/<triplet>/libsdimage.so.1, and a wheel, which has the program beside its modules.
        return ["/../libexec/sdimage", "/../../libexec/sdimage", "/sdimage/1"]
            .map { file[..<end] + $0 + "/sdimage-decoder" }.first { unsafe access($0, X_OK) == 0 }
    }()
}
