/// Told that a body has grown, or begun anew; on the thread of the transfer, so it must be quick.
package protocol BodyObserver: AnyObject, Sendable {
    func bodyGrew()
}

/// The body of a load under way: written by its loader, one thread at a time, and seen while it grows by whoever decodes a
/// part of it. Nothing is copied for either.
package final class GrowingBody: Sendable {
    /// All bytes so far.
    package struct Look: Sendable {
        package let bytes: Bytes
        /// Rises with every new beginning: the bytes of another attempt may differ from the first one on.
        package let attempt: Int
    }

    private struct WeakObserver { weak var observer: (any BodyObserver)? }

    private struct State {
        var bytes: GrowingBytes
        var attempt = 0
        /// Once no more come.
        var whole: Bytes?
        var observers: [WeakObserver] = []

        var observed: [any BodyObserver] { observers.isEmpty ? [] : observers.compactMap(\.observer) }
    }

    /// Where what is made of the bytes comes from.
    package let source: ImageSource
    private let state: Monitor<State>

    /// More than `limit` bytes are refused with `tooLarge`.
    package init(limit: Int, source: ImageSource = .loader) {
        self.source = source
        state = Monitor(State(bytes: GrowingBytes(limit: limit, name: "body size in bytes")))
    }

    // MARK: the loader

    package var count: Int { state.withLock { $0.bytes.count } }

    /// How many bytes will come: a hint.
    package func reserve(_ announced: Int) throws(ImageError) {
        try state.withLock { state throws(ImageError) in try state.bytes.reserve(announced) }
    }

    package func append(_ piece: UnsafeRawBufferPointer) throws(ImageError) {
        let observers = try state.withLock { state throws(ImageError) in
            unsafe try state.bytes.append(piece)
            return state.observed
        }
        for observer in observers { observer.bodyGrew() }
    }

    /// Lets `fill` write up to `count` bytes, without a lock because it may block, and say how many it wrote.
    package func append(
        upTo count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(ImageError) -> Int
    ) throws(ImageError) -> Int {
        let room = try state.withLock { state throws(ImageError) in try state.bytes.room(count) }
        guard let room else { return 0 }
        let written = unsafe try room.fill(fill)
        let observers = try state.withLock { state throws(ImageError) in
            try state.bytes.commit(written)
            return written > 0 ? state.observed : []
        }
        for observer in observers { observer.bodyGrew() }
        return written
    }

    /// The transfer starts anew: what has come is void, and decoders forget it.
    package func reset() {
        let observers = state.withLock { state in
            // The memory is let go of here; who has a look at it keeps it.
            _ = state.bytes.finish()
            state.whole = nil
            state.attempt += 1
            return state.observed
        }
        for observer in observers { observer.bodyGrew() }
    }

    /// Everything, by reference: no more comes.
    package func finish() -> Bytes {
        state.withLock { state in
            let whole = state.whole ?? state.bytes.finish()
            state.whole = whole
            return whole
        }
    }

    // MARK: those who look

    package var look: Look { state.withLock { Look(bytes: $0.whole ?? $0.bytes.bytes, attempt: $0.attempt) } }

    /// How many bytes there are, and of which attempt.
    package var extent: (count: Int, attempt: Int) { state.withLock { ($0.whole?.count ?? $0.bytes.count, $0.attempt) } }

    /// Whether these bytes are what the body became, and not something that was made of it.
    package func became(_ bytes: Bytes) -> Bool { state.withLock { $0.whole === bytes } }

    /// Told of everything from now on, as long as it lives.
    package func observe(_ observer: any BodyObserver) {
        let observed = state.withLock { state in
            let observed = state.observed
            state.observers = (observed + [observer]).map { WeakObserver(observer: $0) }
            return observed
        }
        // The last reference to one of them may be here.
        withExtendedLifetime(observed) {}
    }
}
