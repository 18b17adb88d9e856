import SDImage

/// A dispatcher as seen from C: `sdimage_dispatcher`.
package final class DispatcherObject: Sendable, HandleObject {
    @inlinable package static var forkRule: ForkRule { .refused }

    package let dispatcher: any Dispatcher
    /// The dispatcher if the host polls it; nil for other kinds.
    package var pollable: PollableDispatcher? { dispatcher as? PollableDispatcher }

    package init(_ dispatcher: any Dispatcher) { self.dispatcher = dispatcher }
}
