import SDImage

/// An image whose header was read, and the plan for decoding it. `PNGCoder` creates one for each decode of a complete file;
/// `PNGProgressiveStill` creates one when the header has arrived, and another for the complete file.
struct PNGDecoder {
    /// The image without its parts; for an early thumbnail, only the first pass.
    let data: PNGEncodedImage
    /// True when the first pass of an interlaced image is enough, with the chunks before it.
    let isEarly: Bool
    let plan: DecodePlan
    let output: PixelFormat
    /// The options of the decode; those of `unconverted` if a tone mapping follows.
    let options: DecodeOptions
    private let metadata: PNGDecodeMetadata
    /// Converts rows to sRGB; nil when none is needed.
    private let transform: (any RowTransform)?
    /// The options of the tone mapping that follows the decode of samples in PQ or HLG; it depends on all pixels.
    private let mapping: DecodeOptions?

    /// Plans the decode. Reads all metadata in `bytes`, unless an early thumbnail does without those after the start of the data.
    init(_ header: PNGHeader, _ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) {
        if let early = try PNGDecoder.early(header, bytes, options, stop) {
            (metadata, plan) = early
            data = header.encodedImage.firstPass
            isEarly = true
        } else {
            data = header.encodedImage
            metadata = try PNGDecodeMetadata(bytes, limits: options.limits, stop: stop)
            plan = try DecodePlan(
                storedSize: data.size, orientation: metadata.orientation, options: options.withFloats(for: metadata.codePoints),
                source: data.format)
            isEarly = false
        }
        // With a tone mapping, the decode itself leaves the samples as they are in the file.
        mapping = try options.toneMapping(of: metadata.codePoints, data.format, plan.scaledSize)
        self.options = mapping == nil ? options.withFloats(for: metadata.codePoints) : options.unconverted
        output = self.options.outputFormat(of: data.format)
        transform =
            self.options.convertToSRGB
            ? metadata.transform(format: data.format, isGray: data.isGray, output: output) : nil
    }

    /// Returns metadata and plan when one pixel of eight by eight is enough. Chunks after the start of the data must not change
    /// the result.
    private static func early(
        _ header: PNGHeader, _ bytes: Bytes, _ options: DecodeOptions, _ stop: CancellationToken
    ) throws(ImageError) -> (metadata: PNGDecodeMetadata, plan: DecodePlan)? {
        // The file may lack everything after the first pass, so later chunks do not count.
        guard options.earlyThumbnail, header.isInterlaced, let start = bytes.slice(0..<header.data.offset) else { return nil }
        let metadata = try PNGDecodeMetadata(start, limits: options.limits, stop: stop)
        let plan = try DecodePlan(
            storedSize: header.size, orientation: metadata.orientation, options: options.withFloats(for: metadata.codePoints),
            source: header.encodedImage.format)
        return plan.shrinksToAnEighth ? (metadata, plan) : nil
    }

    /// Size of the result.
    var size: PixelSize { plan.turn.swapsAxes ? plan.scaledSize.swapped : plan.scaledSize }

    /// Decodes complete bytes: the first pass alone if an early thumbnail is enough, otherwise all data.
    func decode(_ header: PNGHeader, _ bytes: Bytes, stop: CancellationToken) throws(ImageError) -> Image {
        // A damaged or incomplete first pass takes the path that reports it.
        if isEarly, var progress = PNGPartialImage(self, data: header.data), try progress.advanceToEnd(bytes, stop: stop) {
            return try finishEarly(progress, bytes, stop: stop)
        }
        return try image(try decode(try header.filled(data, from: bytes, limits: options.limits), stop: stop), stop: stop)
    }

    /// Returns the thumbnail of a complete first pass.
    func finishEarly(_ progress: PNGPartialImage, _ bytes: Bytes, stop: CancellationToken) throws(ImageError) -> Image {
        try image(try finish(progress.buffer, stop: stop), consumedBytes: progress.consumedBytes(of: bytes), stop: stop)
    }

    /// Adds the metadata to decoded pixels, and maps tones if needed. `hasMissingRows` means that blank rows are transparent.
    func image(
        _ pixels: PixelBuffer, isIncremental: Bool = false, hasMissingRows: Bool = false, consumedBytes: Int? = nil,
        stop: CancellationToken
    ) throws(ImageError) -> Image {
        var result = plan.metadata(
            format: .png, pixels: pixels.format, hasAlpha: data.hasAlpha || hasMissingRows, orientation: metadata.orientation,
            options: options)
        result.isIncremental = isIncremental
        result.consumedBytes = consumedBytes
        result.setColor(profile: metadata.profile, codePoints: metadata.codePoints, options: options)
        let image = Image(pixels: pixels, metadata: result)
        guard let mapping else { return image }
        return try image.convertedToSRGB(mapping, stop: stop).marked(isThumbnail: result.isThumbnail)
    }

    /// Returns a writer for the rows of the image in order.
    /// `layout` is the format of the rows. `acceptsPartial` leaves missing rows blank.
    func makeWriter(
        _ layout: PixelFormat, acceptsPartial: Bool = false, hasMissingRows: Bool = false
    ) throws(ImageError) -> ScanlineWriter {
        var options = options
        options.acceptPartial = options.acceptPartial || acceptsPartial
        return try ScanlineWriter(
            rowSize: data.size, sourceFormat: layout, plan: plan,
            output: hasMissingRows ? options.partialFormat(of: output) : output, transform: transform, options: options,
            extent: isEarly ? extentOfFirstPass : nil)
    }

    /// The last pixels of the pass may cover less than eight image pixels.
    private var extentOfFirstPass: ScanlineWriter.Extent {
        ScanlineWriter.Extent(width: Double(plan.storedSize.width) / 8, height: Double(plan.storedSize.height) / 8)
    }

    // MARK: Held in memory

    /// True when pixels held in memory need neither scaling nor color conversion.
    private var isConverted: Bool { transform == nil && !plan.shrinks }
    /// True when pixels held in memory are the result.
    private var isFinal: Bool { isConverted && plan.turn == .up }

    /// Format of the buffer of `makeWhole`.
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
        let writer = try makeWriter(whole.format, acceptsPartial: true, hasMissingRows: rows < whole.size.height)
        return try write(whole, rows: rows, to: writer, stop: stop)
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

// MARK: From compressed data to the finished buffer

extension PNGDecoder {
    /// Returns the pixels of the image with its data. `pool` is called last.
    func decode(
        _ data: PNGEncodedImage, stop: CancellationToken, pool: () -> WorkPool? = WorkPool.idle
    ) throws(ImageError) -> PixelBuffer {
        let samples = try PNGSampleExpander(data, limits: options.limits)
        let total = PNGRowDecoder.byteCount(data, samples)
        let inflater = try PNGInflater(data.parts, limits: options.limits)
        let parallel = try PNGParallelInflate(inflater, total: total, stop: stop, pool: pool)
        // The worker uses the compressed bytes, so it must have ended before this function returns or throws.
        defer { parallel?.end() }
        let source: any PNGInflateSource = if let parallel { parallel } else { try PNGSerialInflate(inflater, total: total) }
        let rows = try PNGRowDecoder(data, limits: options.limits, expander: samples, source: source)
        let pixels = data.isInterlaced ? try decodePasses(rows, stop) : try decodeRows(rows, stop)
        // Data may end after the last row, because every pixel is decoded.
        guard rows.position != nil || data.ending != .damaged || options.acceptPartial else {
            throw ImageError(.badData, "png: chunk has a wrong CRC")
        }
        return pixels
    }

    /// Decodes rows from top to bottom.
    private func decodeRows(_ rows: PNGRowDecoder, _ stop: CancellationToken) throws(ImageError) -> PixelBuffer {
        var writer = try makeWriter(rows.format)
        let isDirect = unsafe writer.directRow(0) != nil
        let count = data.size.width * rows.format.bytesPerPixel
        while let position = rows.position {
            if position.isCheckpoint { try stop.check() }
            let target = unsafe isDirect ? writer.directRow(position.y)?.baseAddress : nil
            guard let row = unsafe try rows.next(into: target, stop: stop) else {
                // A partial image has at least one row.
                guard options.acceptPartial, position.row > 0 else { throw rows.missing }
                break
            }
            if !isDirect { unsafe try writer.write(UnsafeRawBufferPointer(start: row, count: count)) }
        }
        return try writer.finish()
    }

    /// Decodes Adam7 passes. Each pass is scattered over the whole image, which must therefore be held in memory.
    /// Complete passes overwrite every pixel, so only a partial image needs zeros.
    private func decodePasses(_ rows: PNGRowDecoder, _ stop: CancellationToken) throws(ImageError) -> PixelBuffer {
        let whole = try makeWhole(zeroed: options.acceptPartial)
        let bitmap = try PNGBitmapWriter(whole, source: rows.format, limits: options.limits)
        var isEmpty = true
        while let position = rows.position {
            if position.isCheckpoint { try stop.check() }
            guard try bitmap.write(rows, at: position, fills: options.acceptPartial, stop: stop) else {
                guard options.acceptPartial, !isEmpty else { throw rows.missing }
                break
            }
            isEmpty = false
        }
        return try finish(whole, stop: stop)
    }
}

// MARK: Tone mapping

extension DecodeOptions {
    /// Options that leave the samples as they are in the file.
    fileprivate var unconverted: DecodeOptions {
        var options = self
        (options.convertToSRGB, options.keepsDepth, options.pixelFormat) = (false, true, nil)
        return options
    }

    /// The options that convert decoded samples of these code points; nil if no tone mapping is needed, and for samples that exceed
    /// the limit of the result: their rows are mapped while they are decoded, for a peak of 1000 cd/m².
    fileprivate func toneMapping(
        of codePoints: CodePoints?, _ format: PixelFormat, _ size: PixelSize
    ) throws(ImageError) -> DecodeOptions? {
        var options = withFloats(for: codePoints)
        guard convertToSRGB, codePoints?.isHighDynamicRange ?? false,
            options.mappedHeadroom(options.outputFormat(of: format)) != nil
        else { return nil }
        // Tone mapping needs the peak of the whole image, and therefore all samples in memory.
        let stride = try PixelBuffer.stride(width: size.width, format: format)
        guard size.height <= limits.outputBytes / stride else { return nil }
        // The decode before it scales and turns.
        (options.thumbnailSize, options.limitBytes, options.applyOrientation) = (nil, 0, false)
        return options
    }
}

extension Image {
    fileprivate func marked(isThumbnail: Bool) -> Image {
        var metadata = metadata
        metadata.isThumbnail = isThumbnail
        return with(metadata)
    }
}
