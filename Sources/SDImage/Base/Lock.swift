import Synchronization

/// A value behind a lock: the one lock type of the library. `Monitor` adds waiting for a change.
///
/// `Synchronization.Mutex` is not used: it stores the kernel's number of the owning thread, which each thread caches and which
/// is wrong in the child of a fork, and ThreadSanitizer does not see its slow path.
@safe package struct Lock<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    // Unchecked: `cell` is accessed only while `word` is locked.
    private let word = LockWord()
    private let cell: _Cell<Value>

    @inline(__always)
    package init(_ value: consuming sending Value) { cell = _Cell(value) }

    /// Only for the at-fork handlers, which hold locks across the fork.
    package func lock() { word.lock() }
    package func unlock() { word.unlock() }

    @inline(__always)
    package func withLock<R: ~Copyable, E: Error>(_ body: (inout sending Value) throws(E) -> sending R) throws(E) -> sending R {
        word.lock()
        defer { word.unlock() }
        // A pointer of its own: of an access through `cell` ThreadSanitizer takes the lock word for what is changed.
        let value = unsafe cell._address
        return unsafe try body(&value.pointee)
    }
}
