/// Callbacks of one load, or of another object of the host, that wait for a dispatcher.
/// Implemented by `LoadTask` and `CallQueue`.
/// A dispatcher holds it from `post` until it is delivered or dropped.
package protocol Delivery: AnyObject, Sendable {
    /// Calls back for everything pending and returns the number of calls; 0 while another thread is calling back.
    @discardableResult
    func deliverPending() -> Int
    /// True if a call of `deliverPending` would run a callback.
    var hasPending: Bool { get }
    /// Discards everything pending because no thread can take it any more.
    func dropPending()
}
