/// Work in flight by key, and its waiters: equal work that is requested at the same time runs once.
/// Used for loads, transfers and decodes. One lock guards the table; only `make` runs under it. Waiters and work are
/// compared by identity.
package final class Coalescer<Key: Hashable & Sendable, Work: AnyObject & Sendable, Waiter: AnyObject & Sendable>: Sendable {
    /// The work of one key. It has at least one waiter.
    private struct Entry {
        let work: Work
        /// Most work has one waiter: an array for it would be an allocation.
        var first: Waiter
        var others: [Waiter] = []

        var waiters: Waiters { Waiters(first: first, others: others) }

        /// Removes a waiter; false when it is not in the list, or the only one.
        mutating func remove(_ waiter: Waiter) -> Bool {
            if let index = others.firstIndex(where: { $0 === waiter }) {
                others.remove(at: index)
                return true
            }
            guard first === waiter, let next = others.popLast() else { return false }
            first = next
            return true
        }
    }

    /// The waiters of some work. Iterating allocates nothing if there is one.
    package struct Waiters: Sequence {
        fileprivate let first: Waiter?
        fileprivate let others: [Waiter]

        package var count: Int { first == nil ? 0 : others.count + 1 }

        package func makeIterator() -> Iterator { Iterator(first: first, others: others) }

        package struct Iterator: IteratorProtocol {
            fileprivate var first: Waiter?
            fileprivate let others: [Waiter]
            private var index = 0

            fileprivate init(first: Waiter?, others: [Waiter]) {
                self.first = first
                self.others = others
            }

            package mutating func next() -> Waiter? {
                if let waiter = first {
                    first = nil
                    return waiter
                }
                guard index < others.count else { return nil }
                defer { index += 1 }
                return others[index]
            }
        }
    }

    private let table = Lock<[Key: Entry]>([:])

    package init() {}

    /// Adds a waiter to the work of `key`, which `make` returns when there is none. `isNew`: the caller starts the work.
    package func join(_ waiter: Waiter, _ key: Key, make: () -> Work) -> (work: Work, isNew: Bool) {
        table.withLock { table in
            if let work = table[key]?.work {
                table[key]?.others.append(waiter)
                return (work, false)
            }
            let work = make()
            table[key] = Entry(work: work, first: waiter)
            return (work, true)
        }
    }

    /// Removes a waiter. True when it was the last one: the work has left the table and is to be cancelled.
    package func leave(_ waiter: Waiter, _ key: Key, _ work: Work) -> Bool {
        // Released outside the lock.
        // The destructors of work and waiters may run code of the host.
        let last: Entry? = table.withLock { table in
            // Work that has finished is no longer in the table, and the same key may already name new work.
            guard table[key]?.work === work, table[key]?.remove(waiter) == false, table[key]?.first === waiter else { return nil }
            return table.removeValue(forKey: key)
        }
        return last != nil
    }

    /// The waiters at this moment; empty when the work has left the table.
    package func waiters(_ key: Key, _ work: Work) -> Waiters {
        table.withLock { table in
            guard let entry = table[key], entry.work === work else { return Waiters(first: nil, others: []) }
            return entry.waiters
        }
    }

    /// Removes the work, so that a later request starts it again. Returns its waiters.
    /// Empty when the work had finished or was cancelled before: then its waiters are not notified again.
    @discardableResult
    package func finish(_ key: Key, _ work: Work) -> Waiters {
        table.withLock { table in
            guard let entry = table[key], entry.work === work else { return Waiters(first: nil, others: []) }
            table[key] = nil
            return entry.waiters
        }
    }
}
