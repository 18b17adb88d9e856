import Synchronization

/// The loaders of a manager: the one registered last is asked first (spec LDR-4).
package final class LoaderChain: Sendable {
    private let loaders: Mutex<[any ImageLoader]>

    /// In order of registration.
    package init(_ loaders: [any ImageLoader] = []) { self.loaders = Mutex(loaders) }

    package var all: [any ImageLoader] { loaders.withLock { $0 } }

    /// A loader that is registered already moves to the front.
    package func add(_ loader: any ImageLoader) {
        replace { loaders in loaders.filter { $0 !== loader } + [loader] }
    }

    package func remove(_ loader: any ImageLoader) {
        replace { loaders in loaders.filter { $0 !== loader } }
    }

    /// The loader for a request: the request's own, or the first that knows the scheme. `canLoad` may be foreign code and
    /// is called without a lock.
    package func loader(for request: ImageRequest) throws(ImageError) -> any ImageLoader {
        if let own = request.loader { return own }
        if let found = all.last(where: { $0.canLoad(request) }) { return found }
        throw LoaderChain.refusal(of: URLText(request.url))
    }

    private static func refusal(of url: URLText) -> ImageError {
        let scheme = url.scheme
        switch scheme {
        case "": return ImageError(.invalidURL, "URL has no scheme", url: url.redacted)
        case "http", "https", "file", "data", "ftp":
            return ImageError(.unsupported, "no loader for scheme \(scheme)", url: url.redacted)
        default: return ImageError(.schemeForbidden, "scheme is not one that pictures are loaded from", url: url.redacted)
        }
    }

    /// The old list is released outside the lock: with it a loader of the host may go.
    private func replace(_ change: ([any ImageLoader]) -> [any ImageLoader]) {
        let old = loaders.withLock { loaders in
            let old = loaders
            loaders = change(old)
            return old
        }
        withExtendedLifetime(old) {}
    }
}
