/// The canvases that one animation keeps, and what they take: a square that several share counts once. Pure; the budget
/// guards it.
package struct CanvasCacheTable: Sendable {
    package private(set) var canvases: [Int: CachedCanvas] = [:]
    package private(set) var bytes = 0
    /// Of those that serve no seek.
    package private(set) var spareBytes = 0
    /// Canvases that have a square.
    private var uses: [ObjectIdentifier: Int] = [:]
    /// When it was last looked at, as a number that rises.
    var used = 0

    package init() {}

    private init(used: Int) { self.used = used }

    /// What keeping it would add.
    package func growth(_ canvas: CachedCanvas) -> Int {
        switch canvas {
        case .whole(let pixels): return pixels.heldBytes
        case .indexed(let pixels): return pixels.heldBytes
        case .packed(let packed):
            return packed.squares.reduce(packed.ownBytes) { $0 + (uses[ObjectIdentifier($1)] == nil ? $1.heldBytes : 0) }
        }
    }

    /// Gives what was there before.
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

    package mutating func take(_ index: Int) -> CachedCanvas? {
        guard let canvas = canvases.removeValue(forKey: index) else { return nil }
        switch canvas {
        case .whole, .indexed:
            let size = growth(canvas)
            bytes -= size
            if index < 0 { spareBytes -= size }
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

    package mutating func takeAll() -> [CachedCanvas] {
        defer { self = CanvasCacheTable(used: used) }
        return Array(canvases.values)
    }
}
