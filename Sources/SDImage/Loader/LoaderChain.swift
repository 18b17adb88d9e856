/// The loaders of a manager; the most recently registered one is asked first.
/// Also the default loader of the process. `loaders` has a lock, which is not held while loaders run.
package final class LoaderChain: ImageLoader {
    package let name = "chain"
    package let number = UniqueNumber.next()
    /// In order of registration.
    private let loaders: Lock<[any ImageLoader]>
    /// Serializes additions to all chains: two concurrent ones, each allowed by itself, could make a cycle.
    private static let additions = Lock(())

    /// `loaders` is in order of registration.
    package init(_ loaders: [any ImageLoader] = []) { self.loaders = Lock(loaders) }

    /// A snapshot; changes do not affect it.
    package var all: [any ImageLoader] { loaders.withLock { $0 } }

    /// Registers a loader as the first to be asked; a registered one moves there. False for a loader that is or contains this
    /// chain: it is not added.
    @discardableResult package func add(_ loader: any ImageLoader) -> Bool {
        let (isAdded, released) = LoaderChain.additions.withLock { _ -> (Bool, [any ImageLoader]) in
            let contents = (loader as? LoaderChain)?.contents ?? []
            if contents.contains(where: { $0 === self }) { return (false, contents) }
            let old = exchange { loaders in loaders.filter { $0 !== loader } + [loader] }
            return (true, contents + old)
        }
        // Outside the lock, because that may free a loader of the host.
        withExtendedLifetime(released) {}
        return isAdded
    }

    /// Removes a loader; false when it is not registered.
    package func remove(_ loader: any ImageLoader) -> Bool {
        // The replaced list tells: only one of several concurrent calls finds the loader in it.
        exchange { loaders in loaders.filter { $0 !== loader } }.contains { $0 === loader }
    }

    /// This chain and all that it contains, directly or through other chains.
    private var contents: [any ImageLoader] {
        var result: [any ImageLoader] = [self]
        for loader in all { result += (loader as? LoaderChain)?.contents ?? [loader] }
        return result
    }

    package func canLoad(_ request: ImageRequest) -> Bool { all.contains { $0.canLoad(request) } }

    /// The loader that accepts the request, the most recently registered one first. `canLoad` may be code of the host and is
    /// called without a lock.
    package func chosen(for request: ImageRequest) throws(ImageError) -> any ImageLoader {
        if let found = all.last(where: { $0.canLoad(request) }) { return try found.chosen(for: request) }
        throw ImageError.noLoader(for: request.urlText)
    }

    /// One loader that is not quick suffices for false.
    package var isQuick: Bool { all.allSatisfy(\.isQuick) }

    package var sharesEqualLoads: Bool { all.allSatisfy(\.sharesEqualLoads) }

    package func load(_ request: ImageRequest, progress: LoadProgress) async throws(ImageError) -> LoadedData {
        try await chosen(for: request).load(request, progress: progress)
    }

    /// Also nil if no loader accepts the request.
    package func sharingKey(_ request: ImageRequest) -> SharingKey? { try? chosen(for: request).sharingKey(request) }

    package func sentFields(_ request: ImageRequest) -> [HeaderField] {
        (try? chosen(for: request))?.sentFields(request) ?? request.headers
    }

    /// Replaces the list and returns the old one, to be released outside any lock: that may free a loader of the host.
    private func exchange(_ change: ([any ImageLoader]) -> [any ImageLoader]) -> [any ImageLoader] {
        loaders.withLock { loaders in
            let old = loaders
            loaders = change(old)
            return old
        }
    }
}
