import CSDImage
import SDImage

/// The parameters of a new manager; nil or inherited for the defaults of the process.
package struct ManagerConfiguration {
    package var cache: Setting<any ImageCaching> = .inherited
    package var loader: (any ImageLoader)?
    package var dispatcher: (any Dispatcher)?
    package var transformer: (any ImageTransformer)?
    /// Seconds for which a URL that failed is refused.
    package var failedURLRetryAfter: Int64 = 300
    package var freshness = FreshnessPolicy.ignore
    package var ignoresSignatures = false
    package var observer: (any LoadObserver)?
    package var hooks: LoadHooks?

    package init() {}
}

/// A manager as seen from C: releasing it closes the manager.
package final class ManagerObject: Sendable, HandleObject {
    @inlinable package static var forkRule: ForkRule { .refused }

    package let manager: ImageManager
    /// Retained because a pollable dispatcher is open only while it is referenced; the manager holds its queue.
    private let dispatcher: (any Dispatcher)?

    package init(_ manager: ImageManager, dispatcher: (any Dispatcher)? = nil) {
        self.manager = manager
        self.dispatcher = dispatcher
    }

    /// A child cannot close a manager: it would wait for threads that do not exist.
    deinit { if !Engine.isForked { manager.close() } }
}
