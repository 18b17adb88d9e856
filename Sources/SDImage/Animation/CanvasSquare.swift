/// A square of a canvas, packed.
package final class CanvasSquare: Sendable {
    /// What the object and its arrays take beside their elements, about.
    private static let overhead = 160

    /// Of its pixels: another hash, other pixels.
    package let hash: UInt64
    /// The pixels that indices stand for; empty where there are too many colours for indices.
    package let palette: [UInt32]
    /// Indices or pixels, row by row, deflated where that makes them fewer.
    package let bytes: [UInt8]
    package let isDeflated: Bool

    package init(hash: UInt64, palette: [UInt32], bytes: [UInt8], isDeflated: Bool) {
        self.hash = hash
        self.palette = palette
        self.bytes = bytes
        self.isDeflated = isDeflated
    }

    package var heldBytes: Int { palette.count * 4 + bytes.count + CanvasSquare.overhead }
}
