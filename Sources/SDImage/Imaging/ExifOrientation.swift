/// Reads the one EXIF tag that every picture needs (EXIF 2.32, section 4.6.4 A: tag 0x0112 of the first directory).
package enum ExifOrientation {
    private static let orientationTag: UInt16 = 0x0112

    /// `up` when the block is damaged, has no such tag, or names an unknown value.
    ///
    /// `exif` is a TIFF block, with or without the "Exif" prefix that JPEG puts before it.
    package static func read(_ exif: Bytes) -> Orientation {
        ExifDirectory(exif)?.short(orientationTag).map { Orientation(exif: Int($0)) } ?? .up
    }
}
