/// Sends requests and passes on their answers, in place of the built-in client. Knows nothing of redirects, retries or caches.
package protocol Transport: AnyObject, Sendable {
    /// Starts an exchange; must be quick.
    func start(_ exchange: Exchange)
    /// Nobody waits for it any more; must be quick.
    func cancel(_ exchange: Exchange)
}
