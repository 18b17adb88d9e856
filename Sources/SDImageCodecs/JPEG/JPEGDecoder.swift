import SDImage
import SDImagePixels

/// One decode of a JPEG whose header was read: the plan, the rows from libjpeg or from DC coefficients, and the finished image.
///
/// `JPEGCoder` and `JPEGProgressiveDecoder` create one for a complete file or an early thumbnail. `JPEGPartialImage` creates one
/// for a file that is arriving, and `JPEGRendition` for the base image of a file with a gain map. It runs on the thread of its
/// creator.
@safe struct JPEGDecoder {
    let rowDecoder: JPEGRowDecoder
    /// True when the first DC scans are enough.
    let isEarly: Bool
    /// True when the file has luma, and neither the caller nor `DisabledParsers` excludes the DC decoder.
    private let allowsDCThumbnail: Bool
    private let plan: DecodePlan
    private let metadata: JPEGDecodeMetadata
    /// The embedded profile.
    let profile: Bytes?
    private let options: DecodeOptions
    /// Format of the finished image.
    private let output: PixelFormat
    /// Format of the rows from libjpeg.
    private let rows: JPEGRowDecoder.Rows
    /// Layout of the rows passed to the writer.
    private let rowFormat: PixelFormat
    /// Reduction by libjpeg; `ScanlineWriter` reduces the rest.
    private let scale: JPEGRowDecoder.Scale
    /// Converts rows from the profile to sRGB; nil when no conversion is requested or needed, and for CMYK.
    private let transform: (any RowTransform)?
    /// Converts CMYK to RGB with the embedded profile; without one, inks are multiplied.
    private let inks: CMYKTransform?

    /// With `keepsYCC` the pixels of a YCbCr file are not converted: the samples of RGB8 are Y, Cb and Cr.
    init(
        _ rowDecoder: JPEGRowDecoder, options: DecodeOptions, keepsYCC: Bool = false, stop: CancellationToken
    ) throws(ImageError) {
        metadata = try JPEGDecodeMetadata(rowDecoder.bytes, limit: options.limits.metadataBytes, stop: stop)
        profile = metadata.colorProfile()
        plan = try DecodePlan(storedSize: rowDecoder.size, orientation: metadata.orientation, options: options)
        self.rowDecoder = rowDecoder
        self.options = options
        let isUnconverted = keepsYCC && rowDecoder.isYCC
        let allowsDCThumbnail =
            rowDecoder.allowsDCThumbnail && !isUnconverted && !options.limits.disabledParsers.contains(.jpegDC)
        self.allowsDCThumbnail = allowsDCThumbnail
        // Early thumbnails are made of the first DC scans, so they need what a DC thumbnail needs.
        isEarly =
            options.earlyThumbnail && rowDecoder.isProgressive && allowsDCThumbnail && plan.shrinksToAnEighth
        scale = isEarly ? rowDecoder.smallestScale : rowDecoder.scale(covering: plan.scaledSize)
        // Converted CMYK counts as RGB.
        let own: PixelFormat = rowDecoder.kind == .gray ? .gray8 : .rgb8
        output = options.outputFormat(of: own)
        let profile = options.convertToSRGB ? profile : nil
        // A closure of an initializer cannot use properties of self.
        let wanted = output
        transform =
            rowDecoder.kind == .cmyk
            ? nil : profile.flatMap { ColorConverter.transform(profile: $0, format: own, isGray: own == .gray8, output: wanted) }
        // All software that writes CMYK JPEG inverts it, as Adobe's did first.
        inks = rowDecoder.kind == .cmyk ? profile.flatMap { ColorConverter.cmykTransform(profile: $0, isInverted: true) } : nil
        // If no other conversion is needed, libjpeg writes the requested format itself.
        let layout = JPEGDecoder.layout(
            kind: rowDecoder.kind, output: output, isConverted: transform != nil,
            isPlain: transform == nil && scale.size == plan.scaledSize)
        (rows, rowFormat) = isUnconverted ? (.ycc, .rgb8) : layout
    }

    /// Returns the row format of libjpeg and the layout of the rows passed to the writer.
    private static func layout(
        kind: JPEGRowDecoder.Kind, output: PixelFormat, isConverted: Bool, isPlain: Bool
    ) -> (JPEGRowDecoder.Rows, PixelFormat) {
        switch (kind, output) {
        // `mix` turns rows of CMYK into RGB before the writer sees them.
        case (.cmyk, _): (.cmyk, .rgb8)
        case (.gray, _) where !isPlain: (.gray, .gray8)
        // For gray results libjpeg leaves out chroma. A profile needs all three channels.
        case (_, .gray8) where !isConverted, (_, .gray16) where !isConverted: (.gray, .gray8)
        case (_, .rgba8) where isPlain, (_, .rgba8Premultiplied) where isPlain: (.rgba, output)
        case (_, .bgra8Premultiplied) where isPlain: (.bgra, output)
        case (_, .rgb8) where isPlain: (.rgb, .rgb8)
        case (.gray, _): (.gray, .gray8)
        case (.color, _): (.rgb, .rgb8)
        }
    }

    private var rowSize: PixelSize { scale.size }

    /// Size of the decoded images.
    var size: PixelSize { plan.turn.swapsAxes ? plan.scaledSize.swapped : plan.scaledSize }

    // MARK: Complete files

    /// Throws `truncated` for a file that ends before its image does, unless partial images are accepted. Other damage in the
    /// data only marks the result.
    func decode(stop: CancellationToken) throws(ImageError) -> Image {
        if let image = try decodeDCThumbnail(stop: stop) { return image }
        let pixels = try read(stop: stop)
        // Damaged data that reach the end marker give an image with wrong pixels; without that marker, rows may be missing.
        guard rowDecoder.isDamaged else { return image(pixels) }
        let hasEnd = rowDecoder.hasEnd
        guard hasEnd || options.acceptPartial else {
            throw ImageError(.truncated, "jpeg: data is damaged and has no end-of-image marker")
        }
        let size = rowDecoder.size
        Log.write(.warning, "jpeg: data of image of \(size.width)x\(size.height) pixels is damaged, some pixels are wrong")
        return image(pixels, isIncremental: !hasEnd)
    }

    /// Decodes a thumbnail from the lowest coefficients; nil when libjpeg must decode.
    func decodeDCThumbnail(stop: CancellationToken) throws(ImageError) -> Image? {
        guard let thumbnail = try readDCThumbnail(stop: stop) else { return nil }
        return image(thumbnail.pixels, consumedBytes: isEarly ? thumbnail.consumedBytes : nil)
    }

    /// Adds the metadata to decoded pixels. `hasMissingRows` means that blank rows are transparent. `consumedBytes` is the number
    /// of bytes that an early thumbnail used; nil for all.
    func image(
        _ pixels: PixelBuffer, isIncremental: Bool = false, hasMissingRows: Bool = false, consumedBytes: Int? = nil
    ) -> Image {
        var result = plan.metadata(
            format: .jpeg, pixels: pixels.format, hasAlpha: hasMissingRows, orientation: metadata.orientation, options: options)
        result.isIncremental = isIncremental
        result.isDamaged = rowDecoder.isCorrupt
        result.consumedBytes = consumedBytes
        result.bitsPerChannel = 8
        result.channels = rowDecoder.kind == .gray ? 1 : 3
        result.isProgressive = rowDecoder.isProgressive
        // A CMYK profile does not describe the decoded RGB.
        result.setColor(profile: rowDecoder.kind == .cmyk ? nil : profile, options: options)
        return Image(pixels: pixels, metadata: result)
    }

    /// True when the image is small enough for `readDCThumbnail`, if the file allows it.
    var isDCThumbnail: Bool { allowsDCThumbnail && scale.eighths <= 2 }

    /// Decodes all rows with libjpeg, directly to the result if it needs no conversion.
    private func read(stop: CancellationToken) throws(ImageError) -> PixelBuffer {
        var writer = try makeWriter(rowFormat)
        try rowDecoder.start(rows, scale: scale, limits: options.limits, stop: stop)
        // Rows of CMYK need `mix`, although the writer would take their RGB directly.
        if rows != .cmyk, let destination = JPEGRowDestination(writer, height: rowSize.height) {
            try rowDecoder.readAll(rows, into: destination, options: options, stop: stop)
        } else {
            _ = try read(from: 0, to: &writer, stop: stop)
        }
        return try writer.finish()
    }

    /// Decodes a thumbnail from the lowest coefficients, and returns the number of bytes used; nil when libjpeg must decode.
    private func readDCThumbnail(
        stop: CancellationToken
    ) throws(ImageError) -> (pixels: PixelBuffer, consumedBytes: Int)? {
        guard isDCThumbnail else { return nil }
        // Subsampled chroma must have at least as many samples as the result.
        var reader = DCThumbnailDecoder(
            rowDecoder, detail: scale.eighths, wanted: isEarly ? PixelSize(width: 1, height: 1) : plan.scaledSize,
            isEarly: isEarly, limits: options.limits)
        guard let planes = try reader.read(stop: stop, pool: WorkPool.idle) else { return nil }
        let isColor = rowDecoder.kind == .color && rows != .gray
        var writer = try makeWriter(isColor ? .rgb8 : .gray8)
        let rows = try DCThumbnailRows(planes, size: rowSize, isColor: isColor, account: options.limits.account)
        try rows.write(to: &writer, stop: stop)
        return (try writer.finish(), reader.consumedBytes)
    }

    /// Prepares the rowDecoder of a file that is still arriving.
    func prepare() throws(ImageError) { try rowDecoder.prepare(rows, scale: scale, limits: options.limits) }

    /// Creates the writer for the rows of `read`.
    func makeWriter() throws(ImageError) -> ScanlineWriter { try makeWriter(rowFormat) }

    private func makeWriter(_ format: PixelFormat) throws(ImageError) -> ScanlineWriter {
        try ScanlineWriter(
            rowSize: rowSize, sourceFormat: format, plan: plan, output: output, transform: transform, options: options,
            extent: rowDecoder.extent(eighths: scale.eighths))
    }

    /// True when this number of rows is the complete image.
    func isWhole(rows count: Int) -> Bool { count >= rowSize.height }

    /// Passes the rows from `first`, the next row, to a writer as far as they are available. Returns the index of the row after
    /// them.
    func read(from first: Int, to writer: inout ScanlineWriter, stop: CancellationToken) throws(ImageError) -> Int {
        let bytesPerRow = rowSize.width * rows.bytesPerPixel
        let memory = try ScratchMemory(
            bytesPerRow * JPEGRowDecoder.rowsAtOnce, of: UInt8.self, account: options.limits.account)
        guard let base = unsafe memory.bytes.baseAddress else { throw .noMemory(memory.count) }
        let pointers = unsafe (0..<JPEGRowDecoder.rowsAtOnce).map { index in
            unsafe Optional((base + index * bytesPerRow).assumingMemoryBound(to: UInt8.self))
        }
        // RGB of one row of CMYK.
        let colors = rows == .cmyk ? try ScratchMemory(rowSize.width * 3, account: options.limits.account) : nil
        var y = first
        while y < rowSize.height {
            try stop.check()
            let count = unsafe try rowDecoder.read(into: pointers)
            // A file that is arriving has no more rows yet.
            guard count > 0 else { break }
            for index in 0..<count {
                let row = unsafe UnsafeRawBufferPointer(start: base + index * bytesPerRow, count: bytesPerRow)
                guard let colors else {
                    unsafe try writer.write(row)
                    continue
                }
                unsafe mix(row, into: colors.bytes)
                unsafe try writer.write(UnsafeRawBufferPointer(colors.bytes))
            }
            y += count
        }
        return y
    }

    /// Converts a row of CMYK to RGB.
    private func mix(_ row: UnsafeRawBufferPointer, into colors: UnsafeMutableRawBufferPointer) {
        if let inks { return unsafe inks.apply(row, to: colors, pixels: rowSize.width) }
        guard let from = row.baseAddress, let to = colors.baseAddress else { return }
        unsafe sdpx_cmyk_to_rgb(
            to.assumingMemoryBound(to: UInt8.self), from.assumingMemoryBound(to: UInt8.self), rowSize.width)
    }
}
