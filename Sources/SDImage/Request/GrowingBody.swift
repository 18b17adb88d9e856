/// Receives a notification when a body has grown or restarted. Called on the thread of the transfer; must return quickly.
package protocol BodyObserver: AnyObject, Sendable {
    /// A call may be late: the body may have changed again.
    func bodyGrew()
}

/// The body of a running load. Its loader writes it, one thread at a time; decoders of partial images read it while it grows.
/// Both work without copies.
/// Made by loaders and by the HTTP engine. `state` has the lock, which is not held while observers or `fill` run.
/// Not copied at the end: `finish` returns the same memory.
package final class GrowingBody: Sendable {
    /// Snapshot of all bytes received so far.
    /// The bytes stay valid, also when the body grows or restarts.
    package struct Look: Sendable {
        package let bytes: Bytes
        /// Incremented by every restart: the bytes of another attempt may differ from the first byte on.
        package let attempt: Int
    }

    /// Progressive decodes hold the body, so the body must not hold them.
    private struct WeakObserver { weak var observer: (any BodyObserver)? }

    /// Guarded by `state`.
    private struct State {
        var bytes: GrowingBytes
        var attempt = 0
        /// The complete body, once it is finished.
        var whole: Bytes?
        /// Includes observers that no longer exist; `observe` removes them.
        var observers: [WeakObserver] = []

        /// The observers that exist; holding them may make the caller their last owner.
        var observed: [any BodyObserver] { observers.isEmpty ? [] : observers.compactMap(\.observer) }
    }

    /// The source reported for images decoded from these bytes.
    package let source: ImageSource
    private let state: Monitor<State>

    /// Creates an empty body. More than `limit` bytes are refused with `tooLarge`.
    package init(limit: Int, source: ImageSource = .loader) {
        self.source = source
        state = Monitor(State(bytes: GrowingBytes(limit: limit, name: "loader: body size in bytes")))
    }

    // MARK: Writing

    /// Bytes received so far in this attempt.
    package var count: Int { state.withLock { $0.bytes.count } }

    /// Reserves memory for the expected length, which is only a hint.
    package func reserve(_ announced: Int) throws(ImageError) {
        try state.withLock { state throws(ImageError) in try state.bytes.reserve(announced) }
    }

    /// Appends a copy of `piece`. Throws `tooLarge` above the limit, and `noMemory`.
    package func append(_ piece: UnsafeRawBufferPointer) throws(ImageError) {
        let observers = try state.withLock { state throws(ImageError) in
            unsafe try state.bytes.append(piece)
            return state.observed
        }
        for observer in observers { observer.bodyGrew() }
    }

    /// Appends up to `count` bytes written by `fill`, which returns their number. Calls `fill` without a lock because it may
    /// block.
    package func append(
        upTo count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(ImageError) -> Int
    ) throws(ImageError) -> Int {
        // The memory is reserved under the lock and filled outside it.
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

    /// Discards all bytes because the transfer restarts; decoders discard their state.
    /// The limit and the observers remain.
    package func reset() {
        let observers = state.withLock { state in
            // Releases the memory here; existing snapshots keep it.
            _ = state.bytes.finish()
            state.whole = nil
            state.attempt += 1
            return state.observed
        }
        for observer in observers { observer.bodyGrew() }
    }

    /// Completes the body and returns it by reference.
    package func finish() -> Bytes {
        state.withLock { state in
            let whole = state.whole ?? state.bytes.finish()
            state.whole = whole
            return whole
        }
    }

    // MARK: Reading

    /// A snapshot, at the cost of a reference.
    package var look: Look { state.withLock { Look(bytes: $0.whole ?? $0.bytes.bytes, attempt: $0.attempt) } }

    /// The number of bytes and the attempt they belong to.
    package var extent: (count: Int, attempt: Int) { state.withLock { ($0.whole?.count ?? $0.bytes.count, $0.attempt) } }

    /// True when `bytes` is the finished body itself, and not derived from it.
    package func became(_ bytes: Bytes) -> Bool { state.withLock { $0.whole === bytes } }

    /// Notifies the observer of all further changes, as long as it exists. Holds it weakly.
    package func observe(_ observer: any BodyObserver) {
        let observed = state.withLock { state in
            let observed = state.observed
            state.observers = (observed + [observer]).map { WeakObserver(observer: $0) }
            return observed
        }
        // This may release the last reference to an observer, so it runs outside the lock.
        withExtendedLifetime(observed) {}
    }
}
