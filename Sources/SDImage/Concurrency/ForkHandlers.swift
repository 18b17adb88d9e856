import CSystem

/// Handlers for `fork` (docs/decisions.md, "Fork"). The locks that synchronous decoding needs are held across it, so that the
/// child finds them free. The child is marked, because it has none of the engine's threads.
/// Called by the C library on the thread that forks: before the fork, and after it in both processes.
package enum ForkHandlers {
    /// A lock of some module, by its two functions.
    private struct Held {
        let lock: @Sendable () -> Void
        let unlock: @Sendable () -> Void
    }

    /// `running`: one thread prepares, and others that fork wait for it.
    private enum Preparation { case none, running, done }

    private struct State {
        /// In the order in which they are taken.
        var locks = [
            Held(lock: { PixelPool.shared.lockForFork() }, unlock: { PixelPool.shared.unlockAfterFork() })
        ]
        /// Gates of C libraries.
        var gates: [ForkGate] = []
        var preparation = Preparation.none
    }

    private static let held = Monitor(State())

    /// Has the runtime create the types that a child needs, before the first fork and while nothing is locked. A second thread
    /// that forks meanwhile waits.
    private static func prepareOnce() {
        let isFirst = held.wait { state, _ -> Bool? in
            switch state.preparation {
            case .done: return false
            case .running: return nil
            case .none:
                state.preparation = .running
                return true
            }
        }
        guard isFirst == true else { return }
        csys_prepare_fork()
        held.withLock { $0.preparation = .done }
        held.broadcast()
    }

    /// Adds a lock of a module that the core does not know.
    package static func hold(lock: @escaping @Sendable () -> Void, unlock: @escaping @Sendable () -> Void) {
        held.withLock { $0.locks.append(Held(lock: lock, unlock: unlock)) }
    }

    /// Adds the gate of a C library.
    /// Called before the first use of the library.
    package static func add(_ gate: ForkGate) { held.withLock { $0.gates.append(gate) } }

    /// Installs the handlers. Called before the first use of a lock to be held: by an engine, or by a decode without one.
    package static func install() {
        csys_handle_forks(
            {
                ForkHandlers.prepareOnce()
                ForkHandlers.held.lock()
                ForkHandlers.held.withHeldState { state in
                    // First: threads in a library may need the locks.
                    for gate in state.gates { gate.close() }
                    for held in state.locks { held.lock() }
                }
                // Last: a module may take this lock while it opens, under its own lock.
                Engine.lockForFork()
            },
            { ForkHandlers.release(inChild: false) },
            {
                Engine.markForked()
                ForkHandlers.release(inChild: true)
            })
    }

    /// The locks are still held by this thread, also in the child.
    private static func release(inChild: Bool) {
        Engine.unlockAfterFork()
        held.withHeldState { state in
            for held in state.locks { held.unlock() }
            for gate in state.gates { gate.open(inChild: inChild) }
        }
        held.unlock()
    }
}
