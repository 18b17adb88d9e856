import SDImage

/// The chunks that say how a picture is to be understood, before its data.
struct PNGPrelude {
    private let metadata: ImageMetadata
    private let options: EncodeOptions
    private let isGray: Bool

    init(_ metadata: ImageMetadata, _ options: EncodeOptions, isGray: Bool) {
        self.metadata = metadata
        self.options = options
        self.isGray = isGray
    }

    /// Must come before the palette (PNG, third edition, section 5.6).
    func writeColor(_ file: inout PNGFileWriter, deflater: Deflater) throws(ImageError) {
        if let points = metadata.cicp {
            return try file.chunk("cICP", [points.primaries, points.transfer, 0, points.isFullRange ? 1 : 0])
        }
        guard let profile = metadata.colorProfile else {
            // Perceptual.
            return try file.chunk("sRGB", [0])
        }
        guard PNGPrelude.isGray(profile) == isGray else { return }
        // Name, an end, the packing's number.
        let head = Array("ICC profile".utf8) + [0, 0]
        unsafe try profile.withUnsafeBytes { bytes throws(ImageError) in
            unsafe try file.chunk("iCCP", head, packed: bytes, by: deflater)
        }
    }

    func writeBlocks(_ file: inout PNGFileWriter) throws(ImageError) {
        if let exif = try ExifWriter(options.exif, orientation: metadata.orientation).block() {
            try file.chunk("eXIf", [], exif)
        }
        guard let packet = options.xmp else { return }
        // Not packed, of no language (XMP, part 3, section 1.1.5).
        try file.chunk("iTXt", Array("XML:com.adobe.xmp".utf8) + [0, 0, 0, 0, 0], packet)
    }

    /// A profile is of the colours that the file has (section 11.3.2.3); its header says of which (ICC.1, section 7.2).
    static func isGray(_ profile: Bytes) -> Bool { profile.reader.matches("GRAY", at: 16) }
}
