import Glibc

/// A color space as code points of ITU-T H.273, as stored in PNG (cICP), HEIF and AVIF (nclx).
package struct CodePoints: Hashable, Sendable {
    /// Color primaries, table 2.
    package var primaries: UInt8
    /// Transfer characteristics, table 3.
    package var transfer: UInt8
    /// Matrix coefficients, table 4; 0 for RGB. They describe the stored samples; the pixels of an image are always RGB.
    package var matrix: UInt8
    /// False for samples of video range.
    package var isFullRange: Bool

    package init(primaries: UInt8, transfer: UInt8, matrix: UInt8, isFullRange: Bool) {
        self.primaries = primaries
        self.transfer = transfer
        self.matrix = matrix
        self.isFullRange = isFullRange
    }

    /// Fails when a number exceeds 255.
    /// Numbers come from files, which have room for more than the tables.
    package init?(primaries: UInt32, transfer: UInt32, matrix: UInt32, isFullRange: Bool) {
        guard let primaries = UInt8(exactly: primaries), let transfer = UInt8(exactly: transfer),
            let matrix = UInt8(exactly: matrix)
        else { return nil }
        self.init(primaries: primaries, transfer: transfer, matrix: matrix, isFullRange: isFullRange)
    }

    /// True for primaries and transfers that the library converts. All others count as unspecified.
    package var isKnown: Bool {
        [1, 5, 6, 7, 9, 12].contains(primaries) && [1, 4, 5, 6, 8, 13, 14, 15, 16, 18].contains(transfer)
    }

    /// True for pixels from 16 to 235 of 255 (ITU-T H.273, section 8.3). Those of YCbCr are decoded to full range.
    package var hasNarrowPixels: Bool { !isFullRange && matrix == 0 }

    /// True for PQ (SMPTE ST 2084) and HLG (ARIB STD-B67).
    package var isHighDynamicRange: Bool { transfer == 16 || transfer == 18 }

    /// Stops between the peak of the transfer, 10,000 cd/m2 for PQ and 1,000 for HLG (ITU-R BT.2100), and SDR white, 203 cd/m2
    /// (ITU-R BT.2408); 0 for others.
    package var headroom: Double {
        switch transfer {
        case 16: log2(CodePoints.pqPeak / CodePoints.referenceWhite)
        case 18: log2(CodePoints.hlgPeak / CodePoints.referenceWhite)
        default: 0
        }
    }

    /// Luminance of SDR white in HDR images, in cd/m² (ITU-R BT.2408, section 2.1).
    package static let referenceWhite = 203.0
    /// Peak luminance of PQ, and of the HLG reference display, in cd/m² (ITU-R BT.2100, tables 4 and 5).
    package static let pqPeak = 10_000.0
    package static let hlgPeak = 1000.0
}
