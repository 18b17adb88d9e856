import SDImage

/// The headers of a Windows or OS/2 bitmap, in a file or an icon entry ([MS-WMF] 2.2.2.2 … 2.2.2.9; OS/2 2.0 Presentation
/// Manager, BITMAPINFOHEADER2). `BMPCoder` and `ICOEntry` read it before anything is allocated; `BMPDecoder` relies on its
/// checks.
struct BMPHeader {
    /// Encoding of the image data.
    enum Packing {
        case rows
        /// RLE4, RLE8, or RLE24 of OS/2, depending on the number of bits.
        case runs
        case jpeg
        case png
    }

    static let fileHeaderLength = 14

    /// Pixels; without the mask of an icon.
    let size: PixelSize
    /// True for a negative height: the first stored row is the top one.
    let isTopDown: Bool
    /// Bits per pixel: 1, 2, 4, 8, 16, 24 or 32; any number for an embedded image.
    let bits: Int
    let packing: Packing
    /// Masks of pixels of 16, 24 and 32 bits.
    let fields: BMPColorMasks
    /// Location of the palette; empty above 8 bits.
    let palette: Range<Int>
    /// 3 in OS/2 1.x, else 4.
    let paletteEntryLength: Int
    /// Offset of the image data.
    let data: Int
    let color: BMPColorSpace
    /// Pixels per inch; nil when the header does not specify them.
    let resolution: Resolution?

    /// True when pixels are indices.
    var hasPalette: Bool { (1...8).contains(bits) }

    /// Reads the headers of a file, starting with its first byte.
    static func file(_ bytes: Bytes) throws(ImageError) -> BMPHeader {
        var reader = bytes.reader
        guard reader.matches("BM", at: 0) else { throw ImageError(.notAnImage, "bmp: signature is missing") }
        guard reader.seek(to: 10), let offset = reader.u32(bigEndian: false) else { throw .bitmapEndsEarly }
        return try BMPHeader(bytes, at: fileHeaderLength, data: Int(offset), isIcon: false)
    }

    /// Reads the header of an icon entry, which has no file header and whose height includes the mask.
    static func icon(_ bytes: Bytes) throws(ImageError) -> BMPHeader {
        try BMPHeader(bytes, at: 0, data: 0, isIcon: true)
    }

    /// `start` is the offset of the header, `announced` that of the image data in the file header, 0 if there is none.
    private init(_ bytes: Bytes, at start: Int, data announced: Int, isIcon: Bool) throws(ImageError) {
        let values = try BMPHeaderFields(bytes, at: start)
        let isFirst = values.length == BMPHeaderFields.firstLength
        // Offsets of the fields: the first version has 16-bit sizes at 4 and 6, later ones 32-bit sizes at 4 and 8.
        let bits = isFirst ? values.u16(10) : values.u16(14)
        let compression = isFirst ? 0 : values.u32(16)
        let height = isFirst ? values.u16(6) : values.i32(8)
        size = PixelSize(
            width: isFirst ? values.u16(4) : values.i32(4), height: isIcon ? abs(height) / 2 : abs(height))
        guard !size.isEmpty else { throw ImageError(.badData, "bmp: empty size \(size.width)x\(size.height)") }
        isTopDown = height < 0
        self.bits = bits
        packing = try BMPHeader.packing(compression, bits: bits, values)
        // Order: header, masks if the header has none, palette, image data.
        let masksLength = values.looseMasksLength(compression)
        fields = try BMPHeader.fields(compression, bits: bits, values)
        paletteEntryLength = isFirst ? 3 : 4
        let paletteStart = start + values.length + masksLength
        palette = try BMPHeader.palette(
            from: paletteStart, to: announced, entryLength: paletteEntryLength, bits: bits,
            colors: isFirst ? 0 : values.u32(32), end: bytes.count)
        // An offset into the headers is invalid, or missing as in icons: the data then follow the palette.
        let isBehindPalette = announced > paletteStart || (announced == paletteStart && palette.isEmpty)
        data = isBehindPalette ? announced : palette.upperBound
        color = BMPColorSpace(values)
        resolution = BMPHeader.resolution(values)
    }

    // MARK: Parts

    /// Converts pixels per meter to pixels per inch.
    private static func resolution(_ values: BMPHeaderFields) -> Resolution? {
        let x = values.i32(24), y = values.i32(28)
        return x > 0 && y > 0 ? (Double(x) * 0.0254, Double(y) * 0.0254) : nil
    }

    /// Values of the compression field of Windows ([MS-WMF], Compression).
    static let bitFields = 3, alphaBitFields = 6
    private static let rgb = 0, rle8 = 1, rle4 = 2, jpeg = 4, png = 5
    /// Other meanings of the same values in OS/2 2.x.
    private static let huffman = 3, rle24 = 4

    /// Returns the encoding; throws `unsupported` for combinations that no decoder of this project reads.
    private static func packing(_ compression: Int, bits: Int, _ values: BMPHeaderFields) throws(ImageError) -> Packing {
        switch (compression, bits) {
        case (rgb, 1), (rgb, 2), (rgb, 4), (rgb, 8), (rgb, 16), (rgb, 24), (rgb, 32): return .rows
        case (rle8, 8), (rle4, 4): return .runs
        case (huffman, 1): throw ImageError(.unsupported, "bmp: no decoder for OS/2 Huffman coding")
        case (rle24, 24) where values.canBeOS2: return .runs
        case (bitFields, 16), (bitFields, 24), (bitFields, 32), (alphaBitFields, 16), (alphaBitFields, 32): return .rows
        case (jpeg, _) where !values.isOS2: return .jpeg
        case (png, _) where !values.isOS2: return .png
        default: throw ImageError(.unsupported, "bmp: compression \(compression) with \(bits) bits per pixel is not known")
        }
    }

    /// Returns the channel masks. A bitmap without masks has 5 bits per channel in 16-bit pixels, and 8 otherwise; masks together
    /// with BI_RGB are ignored.
    private static func fields(_ compression: Int, bits: Int, _ values: BMPHeaderFields) throws(ImageError) -> BMPColorMasks {
        guard compression == bitFields || compression == alphaBitFields else { return bits == 16 ? .five : .eight }
        let hasAlpha = compression == alphaBitFields || values.hasAlphaMask
        let fields = BMPColorMasks(
            red: values.mask(0), green: values.mask(1), blue: values.mask(2), alpha: hasAlpha ? values.mask(3) : 0)
        guard fields.isSound else { throw ImageError(.badData, "bmp: bits of a color mask are not contiguous") }
        return fields
    }

    /// Returns the location of the table of `colors` entries (0 = 2 to the power of the bits per pixel). It is cut at the start of
    /// the image data.
    private static func palette(
        from start: Int, to data: Int, entryLength: Int, bits: Int, colors: Int, end: Int
    ) throws(ImageError) -> Range<Int> {
        guard (1...8).contains(bits) else { return start..<start }
        var length = (colors == 0 ? 1 << bits : colors) * entryLength
        guard colors == 0 || length <= end - start else {
            throw ImageError(.badData, "bmp: palette of \(colors) colors is longer than the data")
        }
        if data > start { length = min(length, data - start) }
        return start..<start + length
    }
}

extension ImageError {
    static let bitmapEndsEarly = ImageError(.truncated, "bmp: data ends early")
}
