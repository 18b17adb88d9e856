/// The canvases that all animations of a budget keep for seeking. Pure; guarded by the lock of the budget.
/// Tables are found by the identifier of the animation; the order of their use decides which one is emptied first.
/// Removed canvases are returned, because freeing them takes long and happens outside the lock.
struct CanvasCacheRegistry {
    private var tables: [UInt64: CanvasCacheTable] = [:]
    private var lastID: UInt64 = 0
    /// Increases with each look-up: a clock for the order of use.
    private var lookUps = 0
    /// Bytes of all canvases.
    /// Shared squares count once in each animation.
    private(set) var bytes = 0

    /// Adds an animation; returns its identifier.
    mutating func add() -> UInt64 {
        lastID += 1
        tables[lastID] = CanvasCacheTable()
        return lastID
    }

    /// Removes an animation; returns its canvases.
    mutating func remove(_ id: UInt64) -> [CachedCanvas] {
        let taken = takeAll(of: id)
        tables[id] = nil
        return taken
    }

    func table(_ id: UInt64) -> CanvasCacheTable { tables[id] ?? CanvasCacheTable() }

    /// Looks up a canvas, which makes its animation the most recently used one.
    mutating func lookUp(_ index: Int, of id: UInt64) -> CachedCanvas? {
        lookUps += 1
        tables[id]?.used = lookUps
        return tables[id]?.canvases[index]
    }

    /// Bytes that keeping the canvas would add.
    func growth(_ canvas: CachedCanvas, of id: UInt64) -> Int { tables[id]?.growth(canvas) ?? 0 }

    /// Stores a canvas and returns the previous one at that index.
    mutating func put(_ canvas: CachedCanvas, at index: Int, of id: UInt64) -> CachedCanvas? {
        // The table of a removed animation is gone; late calls have no effect.
        update(id) { $0.put(canvas, at: index) } ?? nil
    }

    mutating func take(_ index: Int, of id: UInt64) -> CachedCanvas? { update(id) { $0.take(index) } ?? nil }

    /// Removes the canvases of all frames except those at some indices. Spare canvases stay.
    mutating func takeAll(of id: UInt64, except retained: Set<Int>) -> [CachedCanvas] {
        let others = tables[id]?.canvases.keys.filter { $0 >= 0 && !retained.contains($0) } ?? []
        return others.compactMap { take($0, of: id) }
    }

    /// Removes all canvases of the least recently used animation that has any; nil when none has.
    /// Whole animations are emptied, so that those in use keep theirs.
    mutating func takeOldest() -> [CachedCanvas]? {
        let oldest = tables.filter { !$0.value.canvases.isEmpty }.min { $0.value.used < $1.value.used }
        return oldest.map { takeAll(of: $0.key) }
    }

    mutating func takeAll() -> [CachedCanvas] { Array(tables.keys).flatMap { takeAll(of: $0) } }

    private mutating func takeAll(of id: UInt64) -> [CachedCanvas] { update(id) { $0.takeAll() } ?? [] }

    /// Modifies the table of an animation and updates the total; nil without such an animation.
    private mutating func update<R>(_ id: UInt64, _ body: (inout CanvasCacheTable) -> R) -> R? {
        guard let index = tables.index(forKey: id) else { return nil }
        let before = tables.values[index].bytes
        defer { bytes += tables.values[index].bytes - before }
        return body(&tables.values[index])
    }
}
