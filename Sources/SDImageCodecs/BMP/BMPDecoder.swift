import Glibc
import SDImage

/// One decode: from the rows of a bitmap to the finished buffer. `BMPCoder` and `ICOCoder` make one for each, on their thread.
struct BMPDecoder {
    /// Rows between two checks of the token.
    static let rowsPerCheck = 16

    private let rows: BMPRowDecoder
    private let plan: DecodePlan
    /// The AND mask of an icon; nil for bitmaps, and when the pixels have alpha of their own.
    private let mask: ICOMask?
    private let transform: (any RowTransform)?
    private let options: DecodeOptions
    private let stop: CancellationToken
    /// Format of the finished image.
    let output: PixelFormat
    /// True when a pixel may be transparent.
    let hasAlpha: Bool

    /// `isIcon`: the AND mask after the pixels determines transparency if the pixels have no alpha of their own.
    init(
        _ bytes: Bytes, _ header: BMPHeader, isIcon: Bool, options: DecodeOptions, stop: CancellationToken
    ) throws(ImageError) {
        plan = try DecodePlan(storedSize: header.size, orientation: .up, options: options)
        func transform(_ format: PixelFormat, to output: PixelFormat) -> (any RowTransform)? {
            guard options.convertToSRGB else { return nil }
            return header.color.transform(in: bytes, format: format, output: output, limits: options.limits)
        }
        // Colors are converted once, in the palette.
        let palette = header.hasPalette ? BMPPalette(bytes, header, transform: transform(.rgb8, to: .rgb8)) : nil
        var rows = try BMPRowDecoder(bytes, header, palette: palette, limits: options.limits, stop: stop)
        guard rows.isComplete || (options.acceptPartial && rows.hasRows) else { throw .bitmapEndsEarly }
        // Icons with 32 bits have alpha in the fourth byte, which their header does not announce.
        if isIcon, header.bits == 32, rows.fields == .eight { rows.fields = .eightWithAlpha }
        // Writers without alpha support store zeros: a completely transparent image is treated as opaque.
        let isSeen = rows.fields.alpha != 0 ? try rows.contains(rows.fields.alpha, stop: stop) : false
        if !isSeen { rows.fields = rows.fields.with(alpha: 0) }
        // The mask of an icon makes pixels transparent.
        hasAlpha = isSeen || isIcon
        rows.layout = hasAlpha ? .rgba8 : palette?.isGray == true ? .gray8 : .rgb8
        mask = isIcon && !isSeen ? ICOMask(bytes, size: header.size, start: rows.end) : nil
        output = options.outputFormat(of: rows.layout)
        self.transform = palette == nil ? transform(rows.layout, to: output) : nil
        self.rows = rows
        self.options = options
        self.stop = stop
    }

    /// `format` is that of the file: BMP or ICO.
    func decode(format: ImageFormat) throws(ImageError) -> Image {
        let pixels = try readRows()
        var metadata = plan.metadata(format: format, pixels: output, hasAlpha: hasAlpha, orientation: .up, options: options)
        metadata.isIncremental = !rows.isComplete
        return Image(pixels: pixels, metadata: metadata)
    }

    /// Reads the rows from top to bottom, in whichever order they are stored.
    private func readRows() throws(ImageError) -> PixelBuffer {
        let size = plan.storedSize
        var writer = try ScanlineWriter(
            rowSize: size, sourceFormat: rows.layout, plan: plan, output: output, transform: transform, options: options)
        // Rows that need no conversion are read into the result.
        let isDirect = unsafe writer.directRow(0) != nil
        let length = size.width * rows.layout.bytesPerPixel
        let scratch = isDirect ? nil : try ScratchMemory(length, of: UInt8.self, account: options.limits.account)
        for y in 0..<size.height {
            if y % BMPDecoder.rowsPerCheck == 0 { try stop.check() }
            guard let row = unsafe isDirect ? writer.directRow(y) : scratch?.bytes, let base = row.baseAddress else {
                break
            }
            if unsafe rows.read(y, into: row) {
                unsafe mask?.cut(row, y: y)
            } else {
                // Missing rows of a partial image.
                unsafe memset(base, 0, row.count)
            }
            if !isDirect { unsafe try writer.write(UnsafeRawBufferPointer(row)) }
        }
        return try writer.finish()
    }
}
