/// The progressive decodes of a manager. Loads with equal options share one decode of the same body.
final class ProgressiveDecodes: Sendable {
    struct Key: Hashable, Sendable {
        let body: ObjectIdentifier
        let decode: DecodeKey
        let interval: UInt64?
    }

    private let state = Monitor<[Key: ProgressiveDecode]>([:])

    /// Joins the decode of `key`, or the one that `make` returns. The image is the latest partial one, for late subscribers.
    func join(_ key: Key, _ subscriber: any ProgressiveDecode.Subscriber, make: () -> ProgressiveDecode) -> (
        ProgressiveDecode, Image?
    ) {
        state.withLock { state in
            let decode = state[key] ?? make()
            state[key] = decode
            return (decode, decode.join(subscriber))
        }
    }

    func leave(_ key: Key, _ decode: ProgressiveDecode, _ subscriber: any ProgressiveDecode.Subscriber) {
        // Leaving and removing are one step, so that no load joins a decode without subscribers. It is released outside the lock.
        let left = state.withLock { state -> ProgressiveDecode? in
            guard decode.leave(subscriber), state[key] === decode else { return nil }
            return state.removeValue(forKey: key)
        }
        withExtendedLifetime(left) {}
    }
}
