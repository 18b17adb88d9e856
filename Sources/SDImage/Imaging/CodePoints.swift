/// A colour space by the numbers of ITU-T H.273, as PNG (cICP), HEIF and AVIF (nclx) carry them.
package struct CodePoints: Hashable, Sendable {
    /// Table 2.
    package var primaries: UInt8
    /// Table 3.
    package var transfer: UInt8
    /// Table 4; 0 for RGB. What it says about stored samples does not hold for the pixels of an image, which are RGB.
    package var matrix: UInt8
    package var isFullRange: Bool

    package init(primaries: UInt8, transfer: UInt8, matrix: UInt8, isFullRange: Bool) {
        self.primaries = primaries
        self.transfer = transfer
        self.matrix = matrix
        self.isFullRange = isFullRange
    }

    /// nil where a number is none of a code.
    package init?(primaries: UInt32, transfer: UInt32, matrix: UInt32, isFullRange: Bool) {
        guard let primaries = UInt8(exactly: primaries), let transfer = UInt8(exactly: transfer),
            let matrix = UInt8(exactly: matrix)
        else { return nil }
        self.init(primaries: primaries, transfer: transfer, matrix: matrix, isFullRange: isFullRange)
    }

    /// PQ (SMPTE ST 2084) or HLG (ARIB STD-B67).
    package var isHighDynamicRange: Bool { transfer == 16 || transfer == 18 }
}
