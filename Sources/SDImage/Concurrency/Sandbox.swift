import Synchronization

/// The sandbox of a worker process.
/// Set in worker processes before they decode.
package enum Sandbox {
    private static let entered = Atomic<Bool>(false)

    /// True where no library and no file can be opened.
    package static var isEntered: Bool { entered.load(ordering: .relaxed) }

    /// Called by the worker process itself; there is no way out.
    package static func enter() { entered.store(true, ordering: .relaxed) }
}
