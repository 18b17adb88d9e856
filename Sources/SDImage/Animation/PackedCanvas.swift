/// A canvas cut into squares, each packed; canvases of one animation share the squares in which they are alike.
package final class PackedCanvas: Sendable {
    /// Row by row.
    package let squares: [CanvasSquare]

    /// Beside its squares, about.
    package var ownBytes: Int { squares.count * MemoryLayout<CanvasSquare>.stride + 64 }

    package init(_ squares: [CanvasSquare]) { self.squares = squares }
}
