/// Resolution in pixels per inch.
package typealias Resolution = (x: Double, y: Double)

/// Reads the resolution from EXIF (EXIF 2.32, section 4.6.4 A: XResolution, YResolution, ResolutionUnit).
/// Values of EXIF are rationals; a missing unit means inches.
package enum ExifResolution {
    private static let horizontalTag: UInt16 = 0x011A
    private static let verticalTag: UInt16 = 0x011B
    private static let unitTag: UInt16 = 0x0128
    private static let inch: UInt16 = 2
    private static let centimetre: UInt16 = 3

    /// Returns nil when the block is damaged or has no resolution in a known unit.
    package static func read(_ exif: Bytes) -> Resolution? {
        guard let directory = ExifDirectory(exif), let x = directory.rational(horizontalTag) else { return nil }
        let y = directory.rational(verticalTag) ?? x
        switch directory.short(unitTag) ?? inch {
        case inch: return (x, y)
        case centimetre: return (x * 2.54, y * 2.54)
        default: return nil
        }
    }
}
