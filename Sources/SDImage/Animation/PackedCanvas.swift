/// A canvas divided into packed squares. Canvases of one animation share the squares that are equal.
/// Made by the packer of `SDImageCodecs`, which also draws it back.
package final class PackedCanvas: Sendable {
    /// The squares, row by row.
    package let squares: [CanvasSquare]

    /// Approximate size without the squares, in bytes.
    /// Counts the references to squares.
    package var ownBytes: Int { squares.count * MemoryLayout<CanvasSquare>.stride + 64 }

    package init(_ squares: [CanvasSquare]) { self.squares = squares }
}
