import CSystem
import Glibc
import Synchronization

/// Messages to the log of the host, if it set one.
/// Callable from any thread; the host's function runs on the thread that writes the message.
package enum Log {
    /// Numbers of the C interface; a message is written if its level is at most the one that is set.
    package enum Level: Int32, Sendable, Comparable {
        case off = 0
        case error = 1
        case warning = 2
        case info = 3
        case debug = 4

        package static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
    }

    /// The function of the host. The text is valid during the call, or longer while it is referenced.
    package typealias Sink = @Sendable (Level, CString) -> Void

    private static let sink = Lock<Sink?>(nil)
    /// The level of the sink; 0 without one. Changes under the lock, so that most messages are dropped without it.
    private static let level = Atomic<Int32>(0)

    /// Replaces level and function; a call of the old function may still run on another thread.
    package static func set(_ newLevel: Level, _ newSink: Sink?) {
        let old = sink.withLock { sink in
            // Under the lock: each function receives messages of its own level only.
            level.store(newSink == nil ? 0 : newLevel.rawValue, ordering: .relaxed)
            defer { sink = newSink }
            return sink
        }
        withExtendedLifetime(old) {}  // its destructor may call the host: not under the lock
    }

    /// True if messages of this level reach the host. Where even the call of `write` would cost too much.
    static func isOn(_ messageLevel: Level) -> Bool { messageLevel.rawValue <= level.load(ordering: .relaxed) }

    /// Builds the message only if the host's log receives that level.
    /// A message of the sink's own thread is dropped: calls of the library inside it could recurse without end.
    package static func write(_ messageLevel: Level, _ message: @autoclosure () -> String) {
        guard messageLevel.rawValue <= level.load(ordering: .relaxed), !csys_is_forked(), !isInSink,
            let sink = sink.withLock({ messageLevel.rawValue <= level.load(ordering: .relaxed) ? $0 : nil })
        else { return }
        let text = CString(message())
        unsafe _ = pthread_setspecific(inSink, UnsafeRawPointer(bitPattern: 1))
        sink(messageLevel, text)
        _ = pthread_setspecific(inSink, nil)
    }

    /// True while this thread calls the sink. Messages may be written while locks of a cache are held.
    /// Blocking calls of caches check it and refuse with `wouldDeadlock`.
    package static var isInSink: Bool { unsafe pthread_getspecific(inSink) != nil }

    /// A key of pthreads, because the mark belongs to a thread and not to a task.
    private static let inSink: pthread_key_t = {
        var key = pthread_key_t()
        unsafe pthread_key_create(&key, nil)
        return key
    }()
}
