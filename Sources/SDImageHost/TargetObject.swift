import SDImage

/// A target as seen from C: releasing it closes the target.
package final class TargetObject: Sendable, HandleObject {
    @inlinable package static var forkRule: ForkRule { .refused }

    package let target: ImageTarget
    /// Retained because a pollable dispatcher is open only while it is referenced; the target holds its queue.
    private let dispatcher: (any Dispatcher)?

    /// `dispatcher`: nil for the callback thread. The target retains the manager, which would close with its last reference.
    package init(_ manager: ManagerObject, _ dispatcher: (any Dispatcher)?, _ host: any TargetHost) throws(ImageError) {
        let lease = try Engine.acquire()
        self.dispatcher = dispatcher
        target = ImageTarget(
            manager: ManagerHold(manager.manager, owner: manager), dispatcher: dispatcher ?? LibraryDispatcher(lease: lease),
            host: host, lease: lease)
    }

    deinit { if !Engine.isForked { target.close() } }
}
