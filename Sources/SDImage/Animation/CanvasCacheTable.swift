/// The canvases that one animation keeps, and their size. A square shared by several canvases counts once. Pure; guarded by the
/// lock of the budget.
/// The key of a canvas is the index of its frame, or that of a spare canvas.
package struct CanvasCacheTable: Sendable {
    package private(set) var canvases: [Int: CachedCanvas] = [:]
    package private(set) var bytes = 0
    /// Bytes of spare canvases, which serve no seek.
    package private(set) var spareBytes = 0
    /// Number of canvases that contain a square.
    /// Squares are compared by identity: packing makes equal squares one object.
    private var uses: [ObjectIdentifier: Int] = [:]
    /// Last use, as an increasing number.
    /// Set by the registry.
    var used = 0

    package init() {}

    private init(used: Int) { self.used = used }

    /// Bytes that keeping the canvas would add.
    package func growth(_ canvas: CachedCanvas) -> Int {
        switch canvas {
        case .whole(let pixels): return pixels.heldBytes
        case .indexed(let pixels): return pixels.heldBytes
        case .packed(let packed):
            // A square that another canvas holds costs nothing.
            return packed.squares.reduce(packed.ownBytes) { $0 + (uses[ObjectIdentifier($1)] == nil ? $1.heldBytes : 0) }
        }
    }

    /// Stores a canvas and returns the previous one at that index.
    /// The previous canvas is removed first, so that squares of both count right.
    package mutating func put(_ canvas: CachedCanvas, at index: Int) -> CachedCanvas? {
        let before = take(index)
        switch canvas {
        case .whole, .indexed:
            let size = growth(canvas)
            bytes += size
            if index < 0 { spareBytes += size }
        case .packed(let packed):
            bytes += packed.ownBytes
            for square in packed.squares {
                let count = uses[ObjectIdentifier(square), default: 0]
                if count == 0 { bytes += square.heldBytes }
                uses[ObjectIdentifier(square)] = count + 1
            }
        }
        canvases[index] = canvas
        return before
    }

    /// nil if there is none.
    package mutating func take(_ index: Int) -> CachedCanvas? {
        guard let canvas = canvases.removeValue(forKey: index) else { return nil }
        switch canvas {
        case .whole, .indexed:
            let size = growth(canvas)
            bytes -= size
            if index < 0 { spareBytes -= size }
        // A square leaves the total with its last canvas.
        case .packed(let packed):
            bytes -= packed.ownBytes
            for square in packed.squares {
                let count = uses[ObjectIdentifier(square), default: 1]
                if count == 1 { bytes -= square.heldBytes }
                uses[ObjectIdentifier(square)] = count == 1 ? nil : count - 1
            }
        }
        return canvas
    }

    /// Keeps the time of use.
    package mutating func takeAll() -> [CachedCanvas] {
        defer { self = CanvasCacheTable(used: used) }
        return Array(canvases.values)
    }
}
