/// Where callbacks of a load run.
package protocol Dispatcher: AnyObject, Sendable {
    /// True when the calling thread is the one callbacks run on.
    var isCurrent: Bool { get }
    /// Runs `delivery` once, later or now, in the order of posting. A closed dispatcher drops it.
    func post(_ delivery: any Delivery)
}

/// One thing to be delivered: run as a callback, or taken as an event by hosts that cannot be called.
package protocol Delivery: AnyObject, Sendable {
    func run()
}
