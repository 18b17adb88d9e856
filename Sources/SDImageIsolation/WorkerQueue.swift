import SDImage

/// The decodes that wait for a worker: by priority, then first come, first served.
struct WorkerQueue {
    private struct Entry {
        let number: UInt64
        let priority: LoadPriority
        /// The worker that has its session; nil if any will do.
        let wanted: ObjectIdentifier?
    }

    /// In the order in which they are served.
    private var entries: [Entry] = []
    private var lastNumber: UInt64 = 0

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }

    /// Adds a decode, and returns its number.
    mutating func enter(_ priority: LoadPriority, wanted: ObjectIdentifier? = nil) -> UInt64 {
        lastNumber += 1
        let index = entries.firstIndex { $0.priority < priority } ?? entries.endIndex
        entries.insert(Entry(number: lastNumber, priority: priority, wanted: wanted), at: index)
        return lastNumber
    }

    mutating func leave(_ number: UInt64) { entries.removeAll { $0.number == number } }

    /// True if no decode before this one can use the worker. nil: a worker that is yet to be started.
    func mayTake(_ worker: ObjectIdentifier?, _ number: UInt64) -> Bool {
        !entries.prefix { $0.number != number }.contains { $0.wanted == nil || $0.wanted == worker }
    }
}
