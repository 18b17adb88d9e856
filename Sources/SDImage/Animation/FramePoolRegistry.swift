/// The pools of a budget, by the identity of their frames, and the frames that they hold. Pure; guarded by the lock of the
/// budget.
struct FramePoolRegistry {
    /// A pool that may be in the process of being freed.
    /// The reference is weak: the budget must not keep a pool alive after its last player.
    private struct Entry {
        let id: UInt64
        weak var pool: FramePool?
    }

    private var entries: [FrameIdentity: Entry] = [:]
    /// Tables exist until the pool has removed itself.
    private var tables: [UInt64: PoolTable] = [:]
    private var lastID: UInt64 = 0
    /// Bytes of all frames held.
    private(set) var bytes = 0

    var count: Int { tables.count }
    var frameCount: Int { tables.values.reduce(0) { $0 + $1.frames.count } }
    var ids: [UInt64] { Array(tables.keys) }
    var activeIDs: [UInt64] { tables.filter { $0.value.isActive }.map(\.key) }

    /// The pool of these frames, if it exists.
    /// nil also while the last reference is being released: the caller then makes another pool.
    func pool(of identity: FrameIdentity) -> FramePool? { entries[identity]?.pool }

    subscript(id: UInt64) -> PoolTable? { tables[id] }

    /// An identifier for a new pool or player.
    mutating func makeID() -> UInt64 {
        lastID += 1
        return lastID
    }

    /// Adds a pool. `root` identifies the provider below all transformations.
    mutating func add(_ pool: FramePool, root: ObjectIdentifier) {
        // The entry replaces that of a pool which is being freed.
        entries[pool.identity] = Entry(id: pool.id, pool: pool)
        tables[pool.id] = PoolTable(of: root)
    }

    /// Removes a pool that was freed; returns its frames.
    mutating func remove(_ id: UInt64, _ identity: FrameIdentity) -> PoolTable? {
        // Another pool of the same frames may have been created meanwhile.
        if entries[identity]?.id == id { entries[identity] = nil }
        let table = tables.removeValue(forKey: id)
        bytes -= table?.bytes ?? 0
        return table
    }

    /// Modifies the table of a pool and updates the total; nil without such a pool.
    /// The only way to change a table, so that `bytes` stays right.
    @discardableResult
    mutating func update<R>(_ id: UInt64, _ body: (inout PoolTable) -> R) -> R? {
        guard let index = tables.index(forKey: id) else { return nil }
        let before = tables.values[index].bytes
        defer { bytes += tables.values[index].bytes - before }
        return body(&tables.values[index])
    }

    /// True when a player plays these frames, transformed or not.
    func isPlayed(_ root: ObjectIdentifier) -> Bool { tables.values.contains { $0.root == root && $0.isActive } }
}
