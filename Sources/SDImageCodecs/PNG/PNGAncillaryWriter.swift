import SDImage

/// The color and metadata chunks before the image data. `PNGEncoder` and `APNGEncoder` write them between IHDR and IDAT.
struct PNGAncillaryWriter {
    private let metadata: ImageMetadata
    private let options: EncodeOptions
    /// True when the color type is gray.
    private let isGray: Bool

    init(_ metadata: ImageMetadata, _ options: EncodeOptions, isGray: Bool) {
        self.metadata = metadata
        self.options = options
        self.isGray = isGray
    }

    /// Writes the color chunks, which must precede the palette (PNG, third edition, section 5.6).
    func writeColor(_ file: inout PNGWriter, deflater: PNGDeflater) throws(ImageError) {
        try writeLightLevel(&file)
        // One description is enough: readers prefer cICP to iCCP, and iCCP to sRGB (PNG, third edition, section 4.3).
        if let points = metadata.cicp {
            return try file.chunk("cICP", [points.primaries, points.transfer, 0, points.hasNarrowPixels ? 0 : 1])
        }
        guard let profile = metadata.colorProfile else {
            // Rendering intent 0: perceptual.
            return try file.chunk("sRGB", [0])
        }
        guard PNGAncillaryWriter.isGray(profile) == isGray else { return }
        // Profile name, terminator, compression method 0.
        let head = Array("ICC profile".utf8) + [0, 0]
        unsafe try profile.withUnsafeBytes { bytes throws(ImageError) in
            unsafe try file.chunk("iCCP", head, packed: bytes, by: deflater)
        }
    }

    /// Writes MaxCLL and MaxFALL in units of 0.0001 cd/m2 (PNG, third edition, section 11.3.2.8).
    private func writeLightLevel(_ file: inout PNGWriter) throws(ImageError) {
        let level = options.lightLevel
        guard !level.isUnknown else { return }
        try file.chunk("cLLI", (Int(level.maxContent) * 10_000).pngBytes + (Int(level.maxFrameAverage) * 10_000).pngBytes)
    }

    /// Writes EXIF, with the orientation of the image, and XMP.
    func writeBlocks(_ file: inout PNGWriter) throws(ImageError) {
        if let exif = try ExifWriter(options.exif, orientation: metadata.orientation).block() {
            try file.chunk("eXIf", [], exif)
        }
        guard let packet = options.xmp else { return }
        // Not compressed, without a language (XMP, part 3, section 1.1.5).
        try file.chunk("iTXt", Array("XML:com.adobe.xmp".utf8) + [0, 0, 0, 0, 0], packet)
    }

    /// True for a gray profile, according to its header (ICC.1, section 7.2). A profile must match the color type of the file
    /// (section 11.3.2.3).
    static func isGray(_ profile: Bytes) -> Bool { profile.reader.matches("GRAY", at: 16) }
}
