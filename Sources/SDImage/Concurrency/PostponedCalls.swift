import Glibc

/// Destructors of the host that wait until the calling thread has left the object that it changes: they may use that object,
/// and Swift ends a process that accesses a value during a change of it.
@usableFromInline @safe package enum PostponedCalls {
    private typealias Calls = [@Sendable () -> Void]

    /// Thread-specific: the calls of the running change; nil outside changes.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        unsafe pthread_key_create(&key, nil)
        return key
    }()

    /// Runs a change, then the calls that it caused. Those of a change within a change wait for the outer one.
    @usableFromInline
    package static func runAfter(_ change: () -> Void) {
        guard unsafe pthread_getspecific(key) == nil else { return change() }
        var calls = Calls()
        unsafe withUnsafeMutablePointer(to: &calls) { calls in
            unsafe pthread_setspecific(key, calls)
            change()
            pthread_setspecific(key, nil)
        }
        for call in calls { call() }
    }

    /// Calls now, or after the change that runs on this thread.
    static func call(_ body: @escaping @Sendable () -> Void) {
        guard let calls = unsafe pthread_getspecific(key) else { return body() }
        unsafe calls.assumingMemoryBound(to: Calls.self).pointee.append(body)
    }
}
