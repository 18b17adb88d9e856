import SDImage

/// An image whose header was read, and the plan for decoding it.
struct PNGImage {
    /// The image without its parts; for an early thumbnail, only the first pass.
    let data: PNGImageData
    /// True when the first pass of an interlaced image is enough, with the chunks before it.
    let isEarly: Bool
    let plan: DecodePlan
    let output: PixelFormat
    let options: DecodeOptions
    private let metadata: PNGMetadata
    private let transform: (any RowTransform)?

    init(_ header: PNGHeader, _ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) {
        if let early = try PNGImage.early(header, bytes, options, stop) {
            (metadata, plan) = early
            data = header.imageData.firstPass
            isEarly = true
        } else {
            data = header.imageData
            metadata = try PNGMetadata(bytes, limits: options.limits, stop: stop)
            plan = try DecodePlan(storedSize: data.size, orientation: metadata.orientation, options: options)
            isEarly = false
        }
        output = PixelFormat.resolved(source: data.format, wanted: options.pixelFormat)
        transform =
            options.convertToSRGB
            ? PNGColor.transform(metadata, format: data.format, isGray: data.isGray, output: output) : nil
        self.options = options
    }

    /// Returns metadata and plan when one pixel of eight by eight is enough. Chunks after the start of the data must not change
    /// the result.
    private static func early(
        _ header: PNGHeader, _ bytes: Bytes, _ options: DecodeOptions, _ stop: CancellationToken
    ) throws(ImageError) -> (metadata: PNGMetadata, plan: DecodePlan)? {
        guard options.earlyThumbnail, header.isInterlaced, let start = bytes.slice(0..<header.data.offset) else { return nil }
        let metadata = try PNGMetadata(start, limits: options.limits, stop: stop)
        let plan = try DecodePlan(storedSize: header.size, orientation: metadata.orientation, options: options)
        return plan.shrinksToAnEighth ? (metadata, plan) : nil
    }

    /// Size of the result.
    var size: PixelSize { plan.turn.swapsAxes ? plan.scaledSize.swapped : plan.scaledSize }

    func decode(_ header: PNGHeader, _ bytes: Bytes, stop: CancellationToken) throws(ImageError) -> Image {
        if isEarly, var progress = PNGProgress(self, data: header.data), try progress.advanceToEnd(bytes, stop: stop) {
            return try finishEarly(progress, bytes, stop: stop)
        }
        let run = PNGDecode(data: try header.filled(data, from: bytes, limits: options.limits), coded: self, stop: stop)
        return image(try run.decode())
    }

    /// Returns the thumbnail of a complete first pass.
    func finishEarly(_ progress: PNGProgress, _ bytes: Bytes, stop: CancellationToken) throws(ImageError) -> Image {
        image(try finish(progress.buffer, stop: stop), consumedBytes: progress.consumedBytes(of: bytes))
    }

    func image(_ pixels: PixelBuffer, isIncremental: Bool = false, consumedBytes: Int? = nil) -> Image {
        var result = plan.metadata(
            format: .png, pixels: pixels.format, hasAlpha: data.hasAlpha, orientation: metadata.orientation, options: options)
        result.isIncremental = isIncremental
        result.consumedBytes = consumedBytes
        result.setColor(profile: metadata.profile, codePoints: metadata.codePoints, options: options)
        return Image(pixels: pixels, metadata: result)
    }

    /// Returns a writer for the rows of the image in order.
    func makeWriter(_ layout: PixelFormat, acceptsPartial: Bool = false) throws(ImageError) -> ScanlineWriter {
        var options = options
        options.acceptPartial = options.acceptPartial || acceptsPartial
        return try ScanlineWriter(
            rowSize: data.size, sourceFormat: layout, plan: plan, output: output, transform: transform, options: options,
            extent: isEarly ? extentOfFirstPass : nil)
    }

    /// The last pixels of the pass may cover less than eight image pixels.
    private var extentOfFirstPass: ScanlineWriter.Extent {
        ScanlineWriter.Extent(width: Double(plan.storedSize.width) / 8, height: Double(plan.storedSize.height) / 8)
    }

    // MARK: Held in memory

    /// True when pixels held in memory need neither scaling nor colour conversion.
    private var isConverted: Bool { transform == nil && !plan.shrinks }
    private var isFinal: Bool { isConverted && plan.turn == .up }

    var wholeFormat: PixelFormat { isConverted ? output : data.format }

    /// Returns a buffer for the whole image in its stored orientation.
    func makeWhole(zeroed: Bool) throws(ImageError) -> PixelBuffer {
        let limits = options.limits
        guard let area = data.size.pixelCount, area <= limits.heldPixels else {
            throw .tooLarge("png: interlaced image of \(data.size.width)x\(data.size.height) pixels", limit: limits.heldPixels)
        }
        return try PixelBuffer(
            size: data.size, format: wholeFormat, limit: isFinal ? limits.outputBytes : limits.workingBytes, zeroed: zeroed)
    }

    /// Returns the result from a complete buffer that is no longer modified.
    func finish(_ whole: PixelBuffer, stop: CancellationToken) throws(ImageError) -> PixelBuffer {
        isFinal ? whole : try write(whole, rows: whole.size.height, to: try makeWriter(whole.format), stop: stop)
    }

    /// Returns an image of the first rows while more are to come.
    func preview(_ whole: PixelBuffer, rows: Int, stop: CancellationToken) throws(ImageError) -> PixelBuffer {
        try write(whole, rows: rows, to: try makeWriter(whole.format, acceptsPartial: true), stop: stop)
    }

    private func write(
        _ whole: PixelBuffer, rows: Int, to writer: consuming ScanlineWriter, stop: CancellationToken
    ) throws(ImageError) -> PixelBuffer {
        for y in 0..<rows {
            if y % 16 == 0 { try stop.check() }
            guard let row = unsafe whole.row(y) else { break }
            if let target = unsafe writer.directRow(y) {
                unsafe target.copyMemory(from: row)
            } else {
                unsafe try writer.write(row)
            }
        }
        return try writer.finish()
    }
}
