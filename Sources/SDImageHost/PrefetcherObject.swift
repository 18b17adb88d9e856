import SDImage

/// A prefetcher as seen from C (`sdimage_prefetcher`): releasing it cancels the work under way.
package final class PrefetcherObject: Sendable, HandleObject {
    @inlinable package static var forkRule: ForkRule { .refused }

    package let prefetcher: Prefetcher
    /// Retained because a manager closes when its last reference is released.
    private let manager: ManagerObject

    package init(_ manager: ManagerObject, _ dispatcher: (any Dispatcher)?) throws(ImageError) {
        let lease = try Engine.acquire()
        self.manager = manager
        prefetcher = Prefetcher(
            manager: manager.manager, dispatcher: dispatcher ?? LibraryDispatcher(lease: lease), lease: lease)
    }

    deinit {
        if Engine.isForked { return }
        prefetcher.cancelAll()
        // It may hold a dispatcher whose queue holds the prefetcher.
        prefetcher.setRequest(nil)
    }
}
