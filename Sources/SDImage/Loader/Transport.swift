/// Sends requests and reports their responses, in place of the built-in client. Redirects, retries and caches are handled
/// elsewhere.
/// Supplied by the host (`include/sdimage/sys/transport.h`); the HTTP engine does everything else.
package protocol Transport: AnyObject, Sendable {
    /// Starts an exchange; must return quickly.
    /// Called on the transfer thread; the transport reports on threads of its own.
    func start(_ exchange: Exchange)
    /// Cancels an exchange that no load waits for any more; must return quickly.
    /// Called at most once for each exchange, on any thread.
    func cancel(_ exchange: Exchange)
}
