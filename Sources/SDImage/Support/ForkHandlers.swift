import CSystem
import Glibc

/// What happens around `fork` (decisions, "Fork"): locks that synchronous decoding needs are held across it, so that the
/// child finds them free; the child is told that the engine's threads stayed behind.
package enum ForkHandlers {
    private struct Held {
        let lock: @Sendable () -> Void
        let unlock: @Sendable () -> Void
    }

    private enum Preparation {
        case none, running, done
        case pending(@Sendable () -> Void)
    }

    private struct State {
        var locks = [
            Held(lock: { FrameBudget.shared.lockForFork() }, unlock: { FrameBudget.shared.unlockAfterFork() }),
            Held(lock: { PixelPool.shared.lockForFork() }, unlock: { PixelPool.shared.unlockAfterFork() }),
        ]
        var preparation = Preparation.none
    }

    private static let held = Monitor(State())

    /// Sets what is done once, before the first fork, while nothing is locked yet.
    package static func prepare(_ body: @escaping @Sendable () -> Void) {
        held.withLock { if case .none = $0.preparation { $0.preparation = .pending(body) } }
    }

    /// A second thread that forks meanwhile waits.
    private static func prepareOnce() {
        let body: (@Sendable () -> Void)? = held.wait { state, _ -> (@Sendable () -> Void)?? in
            switch state.preparation {
            case .none, .done: return .some(nil)
            case .running: return nil
            case .pending(let body):
                state.preparation = .running
                return body
            }
        } ?? nil
        guard let body else { return }
        body()
        held.withLock { $0.preparation = .done }
        held.broadcast()
    }

    /// Adds a lock, for parts that the core does not know.
    package static func hold(lock: @escaping @Sendable () -> Void, unlock: @escaping @Sendable () -> Void) {
        held.withLock { $0.locks.append(Held(lock: lock, unlock: unlock)) }
    }

    /// Installed once, by whoever first needs a lock held: an engine, or a decode without one.
    package static func install() { _ = installed }

    private static let installed: Void = {
        _ = pthread_atfork(
            {
                ForkHandlers.prepareOnce()
                ForkHandlers.held.lock()
                ForkHandlers.held.withHeldState { for held in $0.locks { held.lock() } }
            },
            { ForkHandlers.release() },
            {
                csys_close_watched()
                Engine.markForked()
                ForkHandlers.release()
            })
    }()

    private static func release() {
        held.withHeldState { for held in $0.locks { held.unlock() } }
        held.unlock()
    }
}
