/// A packed square of a canvas.
/// Immutable; canvases of one animation share it by reference.
package final class CanvasSquare: Sendable {
    /// Approximate size of the object and its arrays without their elements, in bytes.
    private static let overhead = 160

    /// Hash of the pixels: different hashes mean different pixels.
    package let hash: UInt64
    /// The pixel values that the indices stand for; empty when the square has too many colors for indices.
    package let palette: [UInt32]
    /// Indices or pixels, row by row, deflated when that is smaller.
    package let bytes: [UInt8]
    /// Otherwise the bytes are stored as they are.
    package let isDeflated: Bool

    package init(hash: UInt64, palette: [UInt32], bytes: [UInt8], isDeflated: Bool) {
        self.hash = hash
        self.palette = palette
        self.bytes = bytes
        self.isDeflated = isDeflated
    }

    /// An estimate, for the budget.
    package var heldBytes: Int { palette.count * 4 + bytes.count + CanvasSquare.overhead }
}
