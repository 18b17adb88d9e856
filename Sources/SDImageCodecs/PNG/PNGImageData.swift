import SDImage

/// One compressed picture: what IHDR, PLTE and tRNS say of it, and the data of its IDAT or fdAT chunks
/// (PNG, third edition, section 11). The values are those that libpng let pass.
struct PNGImageData: Sendable {
    /// What follows the last part.
    enum Ending: Sendable {
        /// Another kind of chunk.
        case complete
        /// The end of the bytes, within or before a chunk.
        case truncated
        /// Nothing that counts: the check sum of the last part is wrong.
        case damaged
    }

    var size: PixelSize
    var depth: Int
    var colorType: Int
    var isInterlaced = false
    /// Three bytes for each colour.
    var palette: Bytes?
    /// As in tRNS: alpha of the first colours, or one grey or RGB colour in two bytes a channel.
    var transparency: Bytes?
    /// One zlib stream.
    var parts: [Bytes]
    var ending = Ending.complete

    /// Bit 1 of the colour type: colour; bit 2: alpha (table 9).
    var isGray: Bool { colorType & 2 == 0 }
    var isPalette: Bool { colorType == 3 }
    var hasAlpha: Bool { colorType & 4 != 0 || transparency != nil }

    /// The smallest straight format that holds the picture.
    var format: PixelFormat {
        let isDeep = depth == 16
        if hasAlpha { return isDeep ? .rgba16 : .rgba8 }
        if isGray { return isDeep ? .gray16 : .gray8 }
        return isDeep ? .rgb16 : .rgb8
    }

    /// The first pass of an interlaced picture, whose data begin as those of a picture of its size do.
    var firstPass: PNGImageData {
        var pass = self
        pass.size = PNGPass.all(size, isInterlaced: isInterlaced).first?.size ?? size
        pass.isInterlaced = false
        return pass
    }

    /// Decodes all pixels into a buffer of this size, in its format.
    func decode(into buffer: PixelBuffer, limits: DecodeLimits, stop: StopSignal) throws(ImageError) {
        guard buffer.size == size else { throw ImageError(.internalError, "png: a buffer of another size") }
        let rows = try PNGRows(self, limits: limits)
        let painter = try PNGPainter(buffer, source: rows.format, limits: limits)
        while let place = rows.place {
            if place.isCheckpoint { try stop.check() }
            guard try painter.paint(rows, at: place) else { throw rows.missing }
        }
    }
}
