/// The progressions of a manager: one for all loads that want the same of the same body.
final class Progressions: Sendable {
    struct Key: Hashable, Sendable {
        let body: ObjectIdentifier
        let decode: DecodeKey
        let interval: UInt64?
    }

    private let state = Monitor<[Key: Progression]>([:])

    /// The picture is the best so far, for who comes late.
    func join(_ key: Key, _ listener: any Progression.Audience, make: () -> Progression) -> (Progression, Image?) {
        state.withLock { state in
            let progression = state[key] ?? make()
            state[key] = progression
            return (progression, progression.join(listener))
        }
    }

    func leave(_ key: Key, _ progression: Progression, _ listener: any Progression.Audience) {
        // In one step: nobody may join what everybody has left. What goes is let go of outside the lock.
        let left = state.withLock { state -> Progression? in
            guard progression.leave(listener), state[key] === progression else { return nil }
            return state.removeValue(forKey: key)
        }
        withExtendedLifetime(left) {}
    }
}
