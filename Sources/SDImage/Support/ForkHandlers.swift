import CSystem
import Glibc

/// What happens around `fork` (decisions, "Fork"): locks that synchronous decoding needs are held across it, so that the
/// child finds them free; the child is told that the engine's threads stayed behind.
package enum ForkHandlers {
    private struct Held {
        let lock: @Sendable () -> Void
        let unlock: @Sendable () -> Void
    }

    private static let held = Monitor<[Held]>([
        Held(lock: { PixelPool.shared.lockForFork() }, unlock: { PixelPool.shared.unlockAfterFork() })
    ])

    /// Adds a lock, for parts that the core does not know.
    package static func hold(lock: @escaping @Sendable () -> Void, unlock: @escaping @Sendable () -> Void) {
        held.withLock { $0.append(Held(lock: lock, unlock: unlock)) }
    }

    /// Installed once, by whoever first needs a lock held: an engine, or a decode without one.
    package static func install() { _ = installed }

    private static let installed: Void = {
        _ = pthread_atfork(
            {
                ForkHandlers.held.lock()
                ForkHandlers.held.forEachHeld { $0.lock() }
                csys_before_fork()
            },
            { ForkHandlers.release() },
            {
                csys_close_watched()
                Engine.markForked()
                ForkHandlers.release()
                csys_after_fork_in_child()
            })
    }()

    private static func release() {
        held.forEachHeld { $0.unlock() }
        held.unlock()
    }
}

extension Monitor where State: ~Copyable {
    /// The value, for whoever holds the lock already.
    fileprivate func forEachHeld<Element>(_ body: (Element) -> Void) where State == [Element] {
        withHeldState { for element in $0 { body(element) } }
    }
}
