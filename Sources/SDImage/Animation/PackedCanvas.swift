/// A canvas cut into squares, each packed; canvases of one animation share the squares in which they are alike.
package final class PackedCanvas: Sendable {
    /// Row by row.
    package let squares: [CanvasSquare]

    package init(_ squares: [CanvasSquare]) { self.squares = squares }
}
