import SDImage

/// A dispatcher as seen from C.
package final class DispatcherObject: Sendable, HandleObject {
    @inlinable package static var forkRule: ForkRule { .refused }

    package let dispatcher: any Dispatcher
    package var pollable: PollableDispatcher? { dispatcher as? PollableDispatcher }

    package init(_ dispatcher: any Dispatcher) { self.dispatcher = dispatcher }
}
