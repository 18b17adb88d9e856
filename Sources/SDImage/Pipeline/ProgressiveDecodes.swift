/// The progressive decodes of a manager. Loads with equal options share one decode of the same body.
/// Its lock is taken before that of a decode.
final class ProgressiveDecodes: Sendable {
    /// `body` identifies one transfer, `decode` the options of the image, `interval` the rate of partial images.
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

    /// Removes a subscriber, and the decode when none is left.
    func leave(_ key: Key, _ decode: ProgressiveDecode, _ subscriber: any ProgressiveDecode.Subscriber) {
        // Leaving and removing are one step, so that no load joins a decode without subscribers. It is released outside the lock.
        let left = state.withLock { state -> ProgressiveDecode? in
            guard decode.leave(subscriber), state[key] === decode else { return nil }
            return state.removeValue(forKey: key)
        }
        withExtendedLifetime(left) {}
    }
}
