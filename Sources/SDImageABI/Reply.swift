import SDImage
import Synchronization

/// What a hook of the host completes, once, at any time, from any thread. Letting go of it uncompleted is an answer too:
/// so only the hook may hold it, and those who wait hold the `Answer`.
final class Reply: Sendable {
    let answer: Answer

    init(_ answer: Answer) { self.answer = answer }

    deinit { answer.complete(.failure(ImageError(.internalError, "a hook dropped its reply"))) }
}

/// The outcome of a hook: given once, taken once.
final class Answer: Sendable {
    typealias Outcome = Result<Bytes?, ImageError>

    private enum State {
        case open
        case waiting(@Sendable (Outcome) -> Void)
        case early(Outcome)
        case done
    }

    private let state = Mutex((State.open, isCancelled: false))

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func cancel() { state.withLock { $0.isCancelled = true } }

    /// `body` gets the answer, here when there is one already.
    func whenComplete(_ body: @escaping @Sendable (Outcome) -> Void) {
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

    func complete(_ outcome: Outcome) {
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
