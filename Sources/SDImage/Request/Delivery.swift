/// Callbacks of one load, or of another object of the host, that wait for a dispatcher.
package protocol Delivery: AnyObject, Sendable {
    /// Calls back for everything pending and returns the number of calls; 0 while another thread is calling back.
    @discardableResult
    func deliverPending() -> Int
    var hasPending: Bool { get }
    /// Discards everything pending because no thread can take it any more.
    func dropPending()
}
