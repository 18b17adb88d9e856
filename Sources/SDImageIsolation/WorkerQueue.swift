import SDImage

/// The decodes that wait for a worker: by their present priority, then first come, first served. Part of the state of
/// `DecoderPool`, under its lock.
struct WorkerQueue {
    /// A decode that waits.
    private struct Entry {
        let number: UInt64
        /// The token of the decode, whose priority may change while it waits.
        let stop: CancellationToken
        /// The worker that has its session; nil if any will do.
        let wanted: ObjectIdentifier?
    }

    /// In the order of their numbers.
    private var entries: [Entry] = []
    private var lastNumber: UInt64 = 0

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }

    /// Adds a decode, and returns its number.
    mutating func enter(_ stop: CancellationToken, wanted: ObjectIdentifier? = nil) -> UInt64 {
        lastNumber += 1
        entries.append(Entry(number: lastNumber, stop: stop, wanted: wanted))
        return lastNumber
    }

    /// Removes a decode that has its worker, or gives up.
    mutating func leave(_ number: UInt64) { entries.removeAll { $0.number == number } }

    /// True if no decode before this one can use the worker. nil: a worker that is yet to be started.
    func mayTake(_ worker: ObjectIdentifier?, _ number: UInt64) -> Bool {
        guard let own = entries.first(where: { $0.number == number }) else { return false }
        let priority = own.stop.priority
        return !entries.contains { other in
            guard other.number != number, other.wanted == nil || other.wanted == worker else { return false }
            let otherPriority = other.stop.priority
            return otherPriority > priority || otherPriority == priority && other.number < number
        }
    }
}
