/// A colour space as code points of ITU-T H.273, as stored in PNG (cICP), HEIF and AVIF (nclx).
package struct CodePoints: Hashable, Sendable {
    /// Colour primaries, table 2.
    package var primaries: UInt8
    /// Transfer characteristics, table 3.
    package var transfer: UInt8
    /// Matrix coefficients, table 4; 0 for RGB. They describe the stored samples; the pixels of an image are always RGB.
    package var matrix: UInt8
    package var isFullRange: Bool

    package init(primaries: UInt8, transfer: UInt8, matrix: UInt8, isFullRange: Bool) {
        self.primaries = primaries
        self.transfer = transfer
        self.matrix = matrix
        self.isFullRange = isFullRange
    }

    /// Fails when a number exceeds 255.
    package init?(primaries: UInt32, transfer: UInt32, matrix: UInt32, isFullRange: Bool) {
        guard let primaries = UInt8(exactly: primaries), let transfer = UInt8(exactly: transfer),
            let matrix = UInt8(exactly: matrix)
        else { return nil }
        self.init(primaries: primaries, transfer: transfer, matrix: matrix, isFullRange: isFullRange)
    }

    /// True for PQ (SMPTE ST 2084) and HLG (ARIB STD-B67).
    package var isHighDynamicRange: Bool { transfer == 16 || transfer == 18 }

    /// Stops between the peak of the transfer, 10,000 cd/m2 for PQ and 1,000 for HLG (ITU-R BT.2100), and SDR white, 203 cd/m2
    /// (ITU-R BT.2408); 0 for others.
    package var headroom: Double { transfer == 16 ? 5.622 : transfer == 18 ? 2.3 : 0 }
}
