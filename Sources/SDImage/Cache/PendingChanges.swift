/// Changes of a disk cache that wait for their transaction, and the state that queries see meanwhile (docs/decisions.md,
/// "Stores are committed together"). A pure value: its owner holds the lock and performs the effects.
/// Part of `CommitQueue`.
struct PendingChanges {
    typealias Completion = @Sendable (Result<Void, ImageError>) -> Void

    /// `removeAll` affects all changes before it.
    enum Change {
        case store(CacheKey, CachedData)
        case remove(CacheKey)
        case removeAll

        var key: CacheKey? {
            switch self {
            case .store(let key, _), .remove(let key): key
            case .removeAll: nil
            }
        }
    }

    /// One accepted change. Numbers increase in the order of acceptance.
    struct Operation {
        let number: UInt64
        let change: Change
        let completion: Completion?
    }

    /// Result of a query.
    enum Finding {
        /// No change of this key is pending: query the index.
        case unknown
        /// The entry is removed by a pending change.
        case removed
        case stored(CachedData)
    }

    /// Changes in order of acceptance that no transaction has taken yet.
    private var queue = FIFO<Operation>()
    /// The newest pending change of each key.
    private var newest: [CacheKey: (number: UInt64, data: CachedData?)] = [:]
    /// Number of pending removals of everything.
    private var waitingRemovals = 0
    private var lastNumber: UInt64 = 0
    /// Bytes of the pending stores.
    /// Includes stores whose transaction is running.
    private(set) var bytes = 0

    /// Excludes changes whose transaction is running.
    var count: Int { queue.count }

    /// A removal of everything hides all rows, except for later stores.
    func lookUp(for key: CacheKey) -> Finding {
        if let (_, data) = newest[key] { return data.map(Finding.stored) ?? .removed }
        return waitingRemovals > 0 ? .removed : .unknown
    }

    /// The latest change of a key decides what queries see.
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

    /// Removes and returns the changes for the next transaction, in order. Removing everything is a transaction of its own.
    /// `byteLimit` may be exceeded by the last change.
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

    /// Ends changes that were committed or have failed: from now on the index is queried.
    /// A key with a later change keeps that.
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
