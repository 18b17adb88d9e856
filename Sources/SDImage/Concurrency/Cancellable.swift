/// Operation that can be cancelled.
package protocol Cancellable: Sendable {
    /// May be called any number of times, on any thread; does nothing after the operation has ended.
    func cancel()
}

extension Task: Cancellable {}
