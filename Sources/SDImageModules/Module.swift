import CSDImage
import CSystem
import Glibc
import SDImage
import SDImageHost

/// A shared object that makes a coder, of a module or a plug-in: opened once, on first use, and never closed. Its function
/// `sdimage_<name>_coder_new` makes the coder, by the public C functions.
package final class Module: Sendable {
    /// The library in the module, and its function that returns its version.
    package struct Library: Sendable {
        let name: String
        let versionFunction: String

        package init(name: String, versionFunction: String) {
            self.name = name
            self.versionFunction = versionFunction
        }
    }

    private enum State {
        case closed
        case open(any ImageCoder, version: String)
        case failed(ImageError)
    }

    /// The types of the functions `sdimage_<name>_coder_new` and of the library's version.
    private typealias CoderFunction = @convention(c) (ObjectOut, ObjectOut) -> sdimage_status
    private typealias VersionFunction = @convention(c) () -> Text

    private let name: String
    package let library: Library
    /// The file to open.
    package let path: String
    /// Its lock is held while the file is opened, so that other threads wait for the coder.
    private let state = Monitor(State.closed)

    package init(name: String, library: Library, path: String) {
        self.name = name
        self.library = library
        self.path = path
        ForkHandlers.hold(lock: { [state] in state.lock() }, unlock: { [state] in state.unlock() })
    }

    /// True if the file can be read.
    package var isInstalled: Bool { unsafe access(path, R_OK) == 0 }

    /// False if the file is missing or could not be opened.
    package var isUsable: Bool {
        state.withLock { state in
            switch state {
            case .closed: isInstalled
            case .open: true
            case .failed: false
            }
        }
    }

    /// The coder of the module; nil before the module is opened.
    package var opened: (any ImageCoder)? { state.withLock { if case .open(let coder, _) = $0 { coder } else { nil } } }

    /// A description for `doctor`.
    package var report: String {
        state.withLock { state in
            switch state {
            case .closed where isInstalled: "\(library.name), not loaded yet (\(path))"
            case .closed: "unavailable: there is no \(path)"
            case .open(_, let version): "\(library.name) \(version)"
            case .failed(let error): "unavailable: \(error.message.string)"
            }
        }
    }

    /// The coder of the module, which is opened on first use. A failed open is not retried.
    package func coder() throws(ImageError) -> any ImageCoder {
        try state.withLock { state throws(ImageError) in
            if case .closed = state { state = load() }
            switch state {
            case .open(let coder, _): return coder
            case .failed(let error): throw error
            case .closed: throw ImageError(.internalError, "module: \(name) is neither open nor refused")
            }
        }
    }

    /// Opens the file and makes its coder. Runs under the lock.
    private func load() -> State {
        do throws(ImageError) {
            // RTLD_NOW: a missing symbol fails here, not in the middle of a decode.
            guard let module = unsafe dlopen(path, RTLD_NOW | RTLD_LOCAL) else { throw Module.refused() }
            guard let function = unsafe dlsym(module, "sdimage_\(name)_coder_new") else { throw Module.refused() }
            let make = unsafe unsafeBitCast(function, to: CoderFunction.self)
            var made: Object = nil
            var error: Object = nil
            let status = unsafe make(&made, &error)
            // The coder is retained by `State.open`; the reference of the function is released.
            defer {
                unsafe Handle.unref(made, as: CoderObject.self)
                unsafe Handle.unref(error, as: ImageError.self)
            }
            guard status.rawValue >= 0 else { throw unsafe .foreign(status, error) }
            return .open(unsafe try Handle.borrow(made, as: CoderObject.self).coder, version: unsafe version(module))
        } catch {
            return .failed(error)
        }
    }

    /// The version of the library. The symbol is found among the libraries linked by the module.
    private func version(_ module: UnsafeMutableRawPointer) -> String {
        guard let function = unsafe dlsym(module, library.versionFunction) else { return "" }
        let tell = unsafe unsafeBitCast(function, to: VersionFunction.self)
        return unsafe tell().map { unsafe String(cString: $0) } ?? ""
    }

    /// The message of the dynamic loader names the missing file or library.
    private static func refused() -> ImageError {
        ImageError(.unsupported, unsafe dlerror().map { unsafe String(cString: $0) } ?? "module: open failed")
    }
}
