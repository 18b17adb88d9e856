import Synchronization

/// Counts of the worker processes of this process, since its start where not stated otherwise. Part of the state of
/// `DecoderPool`.
package struct DecoderStatistics: Sendable {
    /// Processes that run now.
    package var running = 0
    package var started = 0
    /// Processes that ended or broke the protocol during a call.
    package var crashes = 0
    /// Processes killed because of a time limit or a cancellation.
    package var kills = 0
    /// Calls that exceeded their time limit.
    package var timeouts = 0
    /// Calls refused because their image had crashed workers.
    package var refused = 0
    /// Calls that returned a result: images, frames and headers.
    package var calls = 0
    /// Calls that wait for a process now.
    package var waiting = 0

    /// The names of sdimage_isolation_statistics, and their values.
    package var counts: [(name: String, value: Int)] {
        [
            ("running", running), ("started", started), ("crashes", crashes), ("kills", kills), ("timeouts", timeouts),
            ("refused", refused), ("calls", calls), ("waiting", waiting),
        ]
    }
}
