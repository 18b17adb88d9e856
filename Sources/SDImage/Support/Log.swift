import Synchronization

/// Messages to the host's log, if it set one.
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

    private static let sink = Mutex<Sink?>(nil)
    private static let level = Atomic<Int32>(0)

    package static func set(_ newLevel: Level, _ newSink: Sink?) {
        let old = sink.withLock { sink in
            defer { sink = newSink }
            return sink
        }
        level.store(newSink == nil ? 0 : newLevel.rawValue, ordering: .relaxed)
        withExtendedLifetime(old) {}  // its destructor may call the host: not under the lock
    }

    /// The message is made only when somebody listens at that level.
    package static func write(_ messageLevel: Level, _ message: @autoclosure () -> String) {
        guard messageLevel.rawValue <= level.load(ordering: .relaxed), !Engine.isForked,
            let sink = sink.withLock({ $0 })
        else { return }
        sink(messageLevel, CString(message()))
    }
}
