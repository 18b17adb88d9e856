import Glibc
import SDImage
import SDImagePixels

/// Converts a still from libwebp's buffer to the finished image. `WebPCoder` creates one for a complete file,
/// `WebPProgressiveStill` one when the header has arrived and another at the end. It runs on the thread of its creator.
@safe struct WebPDecoder {
    /// Size and format of the rows written by libwebp.
    struct Layout: Equatable {
        let size: PixelSize
        let format: PixelFormat
    }

    private let plan: DecodePlan
    /// True when a pixel may be transparent.
    private let hasAlpha: Bool
    private let frame: WebPContainer.Frame
    private let options: DecodeOptions
    /// Format of the finished image.
    private let output: PixelFormat
    private let orientation: Orientation
    /// The embedded profile.
    private let profile: Bytes?

    init(_ container: WebPContainer, options: DecodeOptions) throws(ImageError) {
        orientation = container.orientation(limit: options.limits.metadataBytes)
        plan = try DecodePlan(storedSize: container.canvas, orientation: orientation, options: options)
        frame = container.still
        self.options = options
        hasAlpha = container.hasAlpha
        output = options.outputFormat(of: hasAlpha ? .rgba8 : .rgb8)
        profile = container.chunk("ICCP", limit: options.limits.metadataBytes)
        try frame.checkLimits(options.limits)
    }

    /// Size as displayed, after rotation.
    var size: PixelSize { plan.turn.swapsAxes ? plan.scaledSize.swapped : plan.scaledSize }

    /// Decodes the complete data in one step: as planes, scaled by libwebp, or as a whole, whichever suits the image.
    func read(_ bytes: Bytes, stop: CancellationToken) throws(ImageError) -> Image {
        if hasPlanes { return try readPlanes(bytes, stop: stop) }
        guard isDoubtful else { return try read(bytes, layout, stop: stop) }
        // libwebp premultiplies while it scales, even by alpha that the header declares meaningless.
        let layout = Layout(size: rowSize, format: .rgba8)
        let buffer = try buffer(layout)
        let rows = try decode(bytes, into: buffer, stop: stop)
        for y in 0..<rows {
            guard let row = unsafe buffer.row(y)?.baseAddress else { continue }
            // Alpha that the header denies has changed the scaled colors: decodes again without scaling.
            if unsafe sdpx_is_opaque(row.assumingMemoryBound(to: UInt8.self), buffer.size.width) == 0 {
                return try read(bytes, self.layout(rowSize: frame.size), stop: stop)
            }
        }
        return try write(buffer, rows: rows, to: output, stop: stop)
    }

    /// Downscales before color conversion, which is faster and sharper than scaling in libwebp.
    private func readPlanes(_ bytes: Bytes, stop: CancellationToken) throws(ImageError) -> Image {
        let planes = try WebPYUVPlanes(frame.size, account: options.limits.account)
        let rows = try WebPRowDecoder(frame, into: planes, shown: layout(rowSize: rowSize).size)
        try rows.feed(bytes, stop: stop)
        let count = try withExtendedLifetime(planes) { () throws(ImageError) in try rows.finish(tolerant: false) }
        guard count == frame.size.height else {
            throw ImageError(.internalError, "webp: \(count) rows decoded, expected \(frame.size.height)")
        }
        let pixels = try planes.shrunk(to: plan.scaledSize, limits: options.limits, stop: stop)
        return try finish(pixels, rows: pixels.size.height, stop: stop)
    }

    /// Decodes to a buffer of the given layout and converts that.
    private func read(_ bytes: Bytes, _ layout: Layout, stop: CancellationToken) throws(ImageError) -> Image {
        let buffer = try buffer(layout)
        return try finish(buffer, rows: try decode(bytes, into: buffer, stop: stop), stop: stop)
    }

    /// Returns the number of decoded rows; throws if some are missing, unless partial images are accepted.
    private func decode(_ bytes: Bytes, into buffer: PixelBuffer, stop: CancellationToken) throws(ImageError) -> Int {
        let rows = try rows(into: buffer)
        try rows.feed(bytes, stop: stop)
        return try withExtendedLifetime(buffer) { () throws(ImageError) in try rows.finish(tolerant: options.acceptPartial) }
    }

    // MARK: Progressive

    /// True when only the last row decides whether libwebp may scale the image.
    var isDoubtful: Bool { frame.isLossless && !hasAlpha && rowSize != frame.size }

    /// True for thumbnails of lossy images decoded in one step, from a third on: larger ones are closer to a full decode with
    /// interpolated chroma. The planes take less than half of a bitmap.
    var hasPlanes: Bool {
        let isSmall = frame.size.width / 3 >= plan.scaledSize.width && frame.size.height / 3 >= plan.scaledSize.height
        let limit = min(WebPDecoder.mostPlaneBytes, options.limits.workingBytes / 2)
        return isSmall && !frame.isLossless && !hasAlpha && !options.acceptPartial && WebPYUVPlanes.byteCount(frame.size) <= limit
    }

    /// Maximum bytes of planes. For larger images, libwebp holds only the rows that it is scaling.
    private static let mostPlaneBytes = 32 << 20

    /// Layout of the buffer for `rows`; full size when `isDoubtful`.
    var layout: Layout { layout(rowSize: isDoubtful ? frame.size : rowSize) }

    /// Allocates a buffer. The limit of the output applies if the buffer becomes the result, otherwise that of working memory.
    func buffer(_ layout: Layout) throws(ImageError) -> PixelBuffer {
        let isResult = layout.format == output && layout.size == plan.scaledSize && transform(layout.format) == nil
        let limit = isResult ? options.limits.outputBytes : options.limits.workingBytes
        return try PixelBuffer(size: layout.size, format: layout.format, limit: limit, zeroed: options.acceptPartial)
    }

    /// Returns a decoder that writes into the buffer, which must outlive it.
    func rows(into buffer: PixelBuffer) throws(ImageError) -> WebPRowDecoder {
        let target = unsafe WebPRowDecoder.Target(
            base: buffer.mutablePixels, stride: buffer.stride, size: buffer.size, format: buffer.format)
        return unsafe try WebPRowDecoder(frame, into: target, hasAlpha: hasAlpha)
    }

    /// Returns the image of a buffer that is no longer used; rows after the first `rows` are missing.
    func finish(_ buffer: PixelBuffer, rows: Int, stop: CancellationToken) throws(ImageError) -> Image {
        guard isFinal(buffer) else { return try write(buffer, rows: rows, to: output, stop: stop) }
        if buffer.format.hasAlpha, !hasAlpha { makeOpaque(buffer, rows: rows) }
        return image(buffer, isWhole: rows == buffer.size.height)
    }

    /// Returns the partial image while more rows are to come.
    func preview(_ buffer: PixelBuffer, rows: Int, stop: CancellationToken) throws(ImageError) -> Image {
        let hasMissingRows = rows < buffer.size.height
        let format = hasMissingRows ? options.partialFormat(of: output) : output
        let image: Image
        if format == output {
            // A buffer that is converted needs no copy.
            image = try finish(isFinal(buffer) ? try copy(buffer, rows: rows) : buffer, rows: rows, stop: stop)
        } else {
            image = try write(buffer, rows: rows, to: format, stop: stop)
        }
        var metadata = image.metadata
        metadata.isIncremental = true
        metadata.hasAlpha = metadata.hasAlpha || hasMissingRows && format.hasAlpha
        return image.with(metadata)
    }

    /// Copies the first rows; the rest is zero. libwebp continues to write into the original.
    private func copy(_ buffer: PixelBuffer, rows: Int) throws(ImageError) -> PixelBuffer {
        let copy = try PixelBuffer(size: buffer.size, format: buffer.format, limit: options.limits.outputBytes, zeroed: true)
        for y in 0..<rows {
            if let from = unsafe buffer.row(y), let to = unsafe copy.mutableRow(y) { unsafe to.copyMemory(from: from) }
        }
        return copy
    }

    // MARK: Steps

    /// True when the buffer is the result without further conversion.
    private func isFinal(_ buffer: PixelBuffer) -> Bool {
        buffer.format == output && buffer.size == plan.scaledSize && plan.turn == .up && transform(buffer.format) == nil
    }

    /// Scales, converts and turns the first rows of a buffer.
    private func write(
        _ buffer: PixelBuffer, rows: Int, to output: PixelFormat, stop: CancellationToken
    ) throws(ImageError) -> Image {
        var options = options
        options.acceptPartial = options.acceptPartial || rows < buffer.size.height
        var writer = try ScanlineWriter(
            rowSize: buffer.size, sourceFormat: buffer.format, plan: plan, output: output,
            transform: transform(buffer.format), options: options)
        for y in 0..<rows {
            if y & 15 == 0 { try stop.check() }
            if let row = unsafe buffer.row(y) { unsafe try writer.write(row) }
        }
        return image(try writer.finish(), isWhole: rows == buffer.size.height)
    }

    private func image(_ pixels: PixelBuffer, isWhole: Bool) -> Image {
        var metadata = plan.metadata(
            format: .webp, pixels: pixels.format, hasAlpha: hasAlpha, orientation: orientation, options: options)
        metadata.isIncremental = !isWhole
        metadata.setColor(profile: profile, options: options)
        return Image(pixels: pixels, metadata: metadata)
    }

    /// Overwrites the alpha of lossless data whose header declares alpha meaningless.
    private func makeOpaque(_ buffer: PixelBuffer, rows: Int) {
        guard frame.isLossless else { return }
        for y in 0..<rows {
            guard let row = unsafe buffer.mutableRow(y)?.baseAddress else { continue }
            unsafe sdpx_make_opaque(row.assumingMemoryBound(to: UInt8.self), buffer.size.width)
        }
    }

    /// Returns the conversion to sRGB for rows of this format; nil when none is needed.
    private func transform(_ format: PixelFormat) -> (any RowTransform)? {
        guard options.convertToSRGB, !format.isPremultiplied else { return nil }
        return profile.flatMap { ColorConverter.transform(profile: $0, format: format, isGray: false, output: output) }
    }

    /// Returns the layout for rows of this size: the requested format if libwebp can write it and no other step needs the own
    /// one.
    private func layout(rowSize: PixelSize) -> Layout {
        let own: PixelFormat = hasAlpha ? .rgba8 : .rgb8
        let isPlain = rowSize == plan.scaledSize && transform(own) == nil && plan.turn == .up
        return Layout(size: rowSize, format: isPlain && output.bytesPerChannel == 1 && output != .gray8 ? output : own)
    }

    /// The size to request of libwebp, whose scaler averages areas: twice the target size, so that the sharper filter does the
    /// rest. If that does not fit the working memory, libwebp scales to the target size.
    private var rowSize: PixelSize {
        let (canvas, scaled) = (frame.size, plan.scaledSize)
        // Averages over a fractional number of pixels blur unevenly, and libwebp scales lossy images without regard to alpha.
        let isScaledWell = canvas.width / 3 >= scaled.width && canvas.height / 3 >= scaled.height
        if !isScaledWell || hasAlpha && !frame.isLossless, fits(canvas) { return canvas }
        let double = PixelSize(
            width: max(scaled.width, min(canvas.width, scaled.width * 2)),
            height: max(scaled.height, min(canvas.height, scaled.height * 2)))
        return fits(double) ? double : scaled
    }

    /// True when a bitmap of four bytes per pixel fits the working memory.
    private func fits(_ size: PixelSize) -> Bool {
        (size.pixelCount ?? Int.max) <= options.limits.workingBytes / 4
    }
}

extension WebPContainer.Frame {
    /// Checks the limits. libwebp holds the whole image if it is lossless, otherwise its alpha plane.
    func checkLimits(_ limits: DecodeLimits) throws(ImageError) {
        let pixels = size.pixelCount ?? Int.max
        if isLossless || hasAlpha, pixels > limits.heldPixels {
            throw .tooLarge("webp: image of \(size.width)x\(size.height) pixels", limit: limits.heldPixels)
        }
        let (bytes, overflow) = pixels.multipliedReportingOverflow(by: isLossless ? 4 : hasAlpha ? 1 : 0)
        guard !overflow, bytes <= limits.workingBytes else {
            throw .tooLarge("webp: working memory in bytes", limit: limits.workingBytes)
        }
    }
}
