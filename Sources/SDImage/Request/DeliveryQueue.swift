import Glibc

/// Items that are delivered in order, by one thread at a time. Part of a state that its owner guards with a lock.
/// Used by `LoadTask` and `CallQueue`; at most one thread calls back at any time.
struct DeliveryQueue<Item> {
    var items = FIFO<Item>()
    /// The thread that is delivering.
    var deliverer: pthread_t?
    /// True after `drop` while a thread was delivering: that one drops the rest, once the current callback has returned.
    private(set) var isDropping = false

    /// Takes the next item for the calling thread; nil when none is left, and other threads may deliver. `isFirst`: the thread
    /// is not delivering yet. It takes nothing while another thread delivers: that one continues until the queue is empty.
    mutating func next(isFirst: Bool) -> Item? {
        if isFirst, deliverer != nil { return nil }
        // The thread that finds the queue empty ends the delivery; a later item is posted again.
        deliverer = items.isEmpty ? nil : pthread_self()
        if items.isEmpty { isDropping = false }
        return items.popFirst()
    }

    /// Takes all items because no thread can deliver them any more. While one is delivering, it takes none.
    mutating func drop() -> [Item] {
        isDropping = deliverer != nil
        return isDropping ? [] : items.drain()
    }
}
