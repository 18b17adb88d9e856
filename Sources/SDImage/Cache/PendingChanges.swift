/// Changes of a disk cache that wait for their transaction, and what a query must see of them meanwhile (docs/decisions.md,
/// "Stores are committed together"). A pure value: its owner holds the lock and has the effects.
struct PendingChanges {
    typealias Completion = @Sendable (Result<Void, ImageError>) -> Void

    enum Change {
        case store(CacheKey, CachedData)
        case remove(CacheKey)
        case removeAll
    }

    struct Operation {
        let number: UInt64
        let change: Change
        let completion: Completion?
    }

    /// What a query finds here.
    enum Answer {
        /// Nothing waits for this key: ask the index.
        case unknown
        case removed
        case stored(CachedData)
    }

    private var queue = FIFO<Operation>()
    /// The newest waiting change of each key.
    private var newest: [CacheKey: (number: UInt64, data: CachedData?)] = [:]
    private var waitingRemovals = 0
    private var lastNumber: UInt64 = 0
    /// Bytes of the waiting stores.
    private(set) var bytes = 0

    var count: Int { queue.count }

    func answer(for key: CacheKey) -> Answer {
        if let (_, data) = newest[key] { return data.map(Answer.stored) ?? .removed }
        return waitingRemovals > 0 ? .removed : .unknown
    }

    mutating func append(_ change: Change, _ completion: Completion?) {
        lastNumber &+= 1
        switch change {
        case .store(let key, let data):
            newest[key] = (lastNumber, data)
            bytes &+= data.bytes.count
        case .remove(let key): newest[key] = (lastNumber, nil)
        case .removeAll:
            newest = [:]
            waitingRemovals += 1
        }
        queue.append(Operation(number: lastNumber, change: change, completion: completion))
    }

    /// The next changes for one transaction, in order; removing everything is one of its own.
    mutating func next(limit: Int, bytes byteLimit: Int) -> [Operation] {
        var batch: [Operation] = []
        var size = 0
        while batch.count < limit, size < byteLimit, let operation = queue.first {
            if case .removeAll = operation.change, !batch.isEmpty { break }
            _ = queue.popFirst()
            batch.append(operation)
            if case .store(_, let data) = operation.change { size &+= data.bytes.count }
            if case .removeAll = operation.change { break }
        }
        return batch
    }

    /// They are committed, or given up: from now on the index answers.
    mutating func finish(_ batch: [Operation]) {
        for operation in batch {
            switch operation.change {
            case .store(let key, let data):
                bytes &-= data.bytes.count
                if newest[key]?.number == operation.number { newest[key] = nil }
            case .remove(let key): if newest[key]?.number == operation.number { newest[key] = nil }
            case .removeAll: waitingRemovals -= 1
            }
        }
    }
}
