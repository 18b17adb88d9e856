/// Something under way that can be ended early.
package protocol Cancellable: Sendable {
    /// Any number of times, on any thread; nothing happens once it is over.
    func cancel()
}

extension Task: Cancellable {}
