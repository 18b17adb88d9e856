import SDImage

/// One compressed image: IHDR, PLTE and tRNS, and the data of its IDAT or fdAT chunks (PNG, third edition, section 11). The
/// values were validated by libpng. `PNGHeader` makes it without data; `PNGRowDecoder` decodes it.
struct PNGEncodedImage: Sendable {
    /// Kind of the end after the last part.
    enum Ending: Sendable {
        /// Another type of chunk follows.
        case complete
        /// The bytes end within or before a chunk.
        case truncated
        /// The check sum of the last part is wrong; anything after it is ignored.
        case damaged
    }

    var size: PixelSize
    /// Bits per sample, or per index of a palette.
    var depth: Int
    /// 0, 2, 3, 4 or 6 as in IHDR.
    var colorType: Int
    var isInterlaced = false
    /// Three bytes for each color.
    var palette: Bytes?
    /// tRNS: alpha of the first colors, or one gray or RGB color with two bytes per channel.
    var transparency: Bytes?
    /// The parts of one zlib stream.
    var parts: [Bytes]
    /// Kind of the end of the data, which is the reason for missing rows.
    var ending = Ending.complete

    /// Bit 1 of the color type: color; bit 2: alpha (table 9).
    var isGray: Bool { colorType & 2 == 0 }
    var isPalette: Bool { colorType == 3 }
    var hasAlpha: Bool { colorType & 4 != 0 || transparency != nil }

    /// The smallest straight format that holds the image.
    var format: PixelFormat {
        let isDeep = depth == 16
        if hasAlpha { return isDeep ? .rgba16 : .rgba8 }
        if isGray { return isDeep ? .gray16 : .gray8 }
        return isDeep ? .rgb16 : .rgb8
    }

    /// The first pass of an interlaced image, whose data start like those of an image of its size.
    var firstPass: PNGEncodedImage {
        var pass = self
        pass.size = PNGInterlacePass.all(size, isInterlaced: isInterlaced).first?.size ?? size
        pass.isInterlaced = false
        return pass
    }

    /// Decodes all pixels into a buffer of this size, in the format of the buffer.
    func decode(into buffer: PixelBuffer, limits: DecodeLimits, stop: CancellationToken) throws(ImageError) {
        guard buffer.size == size else {
            throw ImageError(
                .internalError,
                "png: buffer is \(buffer.size.width)x\(buffer.size.height) pixels, expected \(size.width)x\(size.height)")
        }
        let rows = try PNGRowDecoder(self, limits: limits)
        let bitmap = try PNGBitmapWriter(buffer, source: rows.format, limits: limits)
        while let position = rows.position {
            if position.isCheckpoint { try stop.check() }
            guard try bitmap.write(rows, at: position, stop: stop) else { throw rows.missing }
        }
    }
}
