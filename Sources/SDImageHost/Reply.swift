import SDImage

/// The host's side of a hook, completed once, at any time, from any thread. Releasing it uncompleted is an outcome too: so only
/// the hook may hold it, and waiters hold the `PendingReply`. `sdimage_reply` in C.
package final class Reply: Sendable, HandleObject {
    @inlinable package static var forkRule: ForkRule { .refused }

    package let pending: PendingReply

    package init(_ pending: PendingReply) { self.pending = pending }

    deinit { pending.complete(.failure(ImageError(.internalError, "hook: reply released without completion"))) }
}

/// The outcome of a hook: set once, taken once. No lock is held while the waiter is resumed.
package final class PendingReply: Sendable {
    package typealias Outcome = Result<CachedData?, ImageError>

    /// The order in which outcome and waiter come.
    private enum State {
        /// Neither outcome nor waiter.
        case open
        case waiting(@Sendable (Outcome) -> Void)
        /// Completed before there was a waiter.
        case early(Outcome)
        case done
    }

    private let state = Lock((State.open, isCancelled: false))

    /// True when the outcome is no longer needed, so that the host may end its work early.
    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Notes that the outcome is no longer needed; the waiter still waits for it.
    package func cancel() { state.withLock { $0.isCancelled = true } }

    /// Passes the outcome to `body`, immediately if it is already there.
    package func whenComplete(_ body: @escaping @Sendable (Outcome) -> Void) {
        let early = state.withLock { state -> Outcome? in
            guard case .early(let outcome) = state.0 else {
                state.0 = .waiting(body)
                return nil
            }
            state.0 = .done
            return outcome
        }
        if let early { body(early) }
    }

    /// Sets the outcome; later outcomes are ignored.
    package func complete(_ outcome: Outcome) {
        let body = state.withLock { state -> (@Sendable (Outcome) -> Void)? in
            switch state.0 {
            case .open:
                state.0 = .early(outcome)
                return nil
            case .waiting(let body):
                state.0 = .done
                return body
            case .early, .done: return nil
            }
        }
        body?(outcome)
    }
}

extension PendingReply {
    /// Calls a function of the host on a thread that may block, with a reply of its own, and waits for the outcome. It waits
    /// also after a cancellation: the objects lent to the function must live until it has replied.
    package static func call(
        _ priority: LoadPriority = .normal, on engine: Engine? = Engine.current, _ call: @escaping @Sendable (Object) -> Void
    ) async throws(ImageError) -> Bytes? {
        unsafe try await askForEntry(priority, on: engine, call)?.bytes
    }

    /// The same for caches, where the outcome may be an entry with all its properties.
    package static func askForEntry(
        _ priority: LoadPriority = .normal, on engine: Engine?, _ call: @escaping @Sendable (Object) -> Void
    ) async throws(ImageError) -> CachedData? {
        guard let engine else { throw .shutdown }
        let pending = PendingReply()
        let outcome: Outcome = await withTaskCancellationHandler {
            await suspended { resume in
                // The waiter comes first: the host may complete the reply within the call.
                pending.whenComplete { resume($0) }
                // The hook owns one reference of the reply.
                engine.hooks.submit(priority) { unsafe call(Handle.own(Reply(pending))) }
            }
        } onCancel: {
            pending.cancel()
        }
        return try outcome.get()
    }
}
