/// Reads the EXIF orientation (EXIF 2.32, section 4.6.4 A: tag 0x0112 of the first directory).
/// Coders read it before they plan the decode.
package enum ExifOrientation {
    private static let orientationTag: UInt16 = 0x0112

    /// Returns `up` when the block is damaged, lacks the tag or has an unknown value.
    ///
    /// `exif` is a TIFF block, with or without the "Exif" prefix of JPEG.
    package static func read(_ exif: Bytes) -> Orientation { find(exif) ?? .up }

    /// nil when the block is damaged, lacks the tag or has an unknown value.
    package static func find(_ exif: Bytes) -> Orientation? {
        ExifDirectory(exif)?.short(orientationTag).flatMap { Orientation(rawValue: Int32($0)) }
    }
}
