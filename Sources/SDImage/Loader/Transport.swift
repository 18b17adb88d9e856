/// Sends requests and reports their responses, in place of the built-in client. Redirects, retries and caches are handled
/// elsewhere.
package protocol Transport: AnyObject, Sendable {
    /// Starts an exchange; must return quickly.
    func start(_ exchange: Exchange)
    /// Cancels an exchange that no load waits for any more; must return quickly.
    func cancel(_ exchange: Exchange)
}
