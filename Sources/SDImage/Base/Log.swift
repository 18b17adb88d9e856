import CSystem
import Glibc
import Synchronization

/// Messages to the log of the host, if it set one.
package enum Log {
    package enum Level: Int32, Sendable, Comparable {
        case off = 0
        case error = 1
        case warning = 2
        case info = 3
        case debug = 4

        package static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
    }

    package typealias Sink = @Sendable (Level, CString) -> Void

    private static let sink = Lock<Sink?>(nil)
    private static let level = Atomic<Int32>(0)

    package static func set(_ newLevel: Level, _ newSink: Sink?) {
        let old = sink.withLock { sink in
            defer { sink = newSink }
            return sink
        }
        level.store(newSink == nil ? 0 : newLevel.rawValue, ordering: .relaxed)
        withExtendedLifetime(old) {}  // its destructor may call the host: not under the lock
    }

    /// Builds the message only if the host's log receives that level.
    package static func write(_ messageLevel: Level, _ message: @autoclosure () -> String) {
        guard messageLevel.rawValue <= level.load(ordering: .relaxed), !csys_is_forked(), !isInSink,
            let sink = sink.withLock({ $0 })
        else { return }
        let text = CString(message())
        unsafe _ = pthread_setspecific(inSink, UnsafeRawPointer(bitPattern: 1))
        sink(messageLevel, text)
        _ = pthread_setspecific(inSink, nil)
    }

    /// True while this thread calls the sink. Messages may be written while locks of a cache are held.
    package static var isInSink: Bool { unsafe pthread_getspecific(inSink) != nil }

    private static let inSink: pthread_key_t = {
        var key = pthread_key_t()
        unsafe pthread_key_create(&key, nil)
        return key
    }()
}
