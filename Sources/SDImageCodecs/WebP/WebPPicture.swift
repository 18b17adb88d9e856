import Glibc
import SDImage
import SDImagePixels

/// The way of a still from libwebp's buffer to the finished picture.
@safe struct WebPPicture {
    /// How rows leave libwebp.
    struct Layout: Equatable {
        let size: PixelSize
        let format: PixelFormat
    }

    private let plan: DecodePlan
    /// Some pixel may be transparent.
    private let hasAlpha: Bool
    private let frame: WebPStream.Frame
    private let options: DecodeOptions
    private let output: PixelFormat
    private let orientation: Orientation
    /// As embedded.
    private let profile: Bytes?

    init(_ stream: WebPStream, options: DecodeOptions) throws(ImageError) {
        orientation = stream.orientation(limit: options.limits.metadataBytes)
        plan = try DecodePlan(storedSize: stream.canvas, orientation: orientation, options: options)
        frame = stream.still
        self.options = options
        hasAlpha = stream.hasAlpha
        output = .resolved(source: hasAlpha ? .rgba8 : .rgb8, wanted: options.pixelFormat)
        profile = stream.chunk("ICCP", limit: options.limits.metadataBytes)
        try frame.checkLimits(options.limits)
    }

    /// As displayed, or turned later.
    var size: PixelSize { plan.turn.swapsAxes ? plan.scaledSize.swapped : plan.scaledSize }

    /// All of it at once.
    func read(_ bytes: Bytes, stop: StopSignal) throws(ImageError) -> Image {
        if hasPlanes { return try readPlanes(bytes, stop: stop) }
        guard isDoubtful else { return try read(bytes, layout, stop: stop) }
        // libwebp multiplies by alpha while it scales, also by one that the header declares meaningless.
        let layout = Layout(size: rowSize, format: .rgba8)
        let buffer = try buffer(layout)
        let rows = try decode(bytes, into: buffer, stop: stop)
        for y in 0..<rows {
            guard let row = unsafe buffer.row(y)?.baseAddress else { continue }
            if unsafe sdpx_is_opaque(row.assumingMemoryBound(to: UInt8.self), buffer.size.width) == 0 {
                return try read(bytes, self.layout(rowSize: frame.size), stop: stop)
            }
        }
        return try write(buffer, rows: rows, stop: stop)
    }

    /// Shrunk before its colours are made, which is faster than what libwebp does while it decodes, and sharper.
    private func readPlanes(_ bytes: Bytes, stop: StopSignal) throws(ImageError) -> Image {
        let planes = try WebPPlanes(frame.size, account: options.limits.account)
        let rows = try WebPRows(frame, into: planes, shown: layout(rowSize: rowSize).size)
        try rows.feed(bytes, stop: stop)
        let count = try withExtendedLifetime(planes) { () throws(ImageError) in try rows.finish(tolerant: false) }
        guard count == frame.size.height else { throw ImageError(.internalError, "libwebp left rows out") }
        let picture = try planes.shrunk(to: plan.scaledSize, limits: options.limits, stop: stop)
        return try finish(picture, rows: picture.size.height, stop: stop)
    }

    private func read(_ bytes: Bytes, _ layout: Layout, stop: StopSignal) throws(ImageError) -> Image {
        let buffer = try buffer(layout)
        return try finish(buffer, rows: try decode(bytes, into: buffer, stop: stop), stop: stop)
    }

    private func decode(_ bytes: Bytes, into buffer: PixelBuffer, stop: StopSignal) throws(ImageError) -> Int {
        let rows = try rows(into: buffer)
        try rows.feed(bytes, stop: stop)
        return try withExtendedLifetime(buffer) { () throws(ImageError) in try rows.finish(tolerant: options.acceptPartial) }
    }

    // MARK: In pieces

    /// Only after the last row it is known whether the picture may be scaled by libwebp.
    var isDoubtful: Bool { frame.isLossless && !hasAlpha && rowSize != frame.size }

    /// A small picture of a lossy one that is read at once. What is kept of it meanwhile is less than half of a bitmap.
    var hasPlanes: Bool {
        let isSmall = frame.size.width / 4 >= plan.scaledSize.width && frame.size.height / 4 >= plan.scaledSize.height
        let limit = min(WebPPicture.mostPlaneBytes, options.limits.workingBytes / 2)
        return isSmall && !frame.isLossless && !hasAlpha && !options.acceptPartial && WebPPlanes.byteCount(frame.size) <= limit
    }

    /// Of larger pictures libwebp keeps only the rows that it is scaling.
    private static let mostPlaneBytes = 32 << 20

    /// What `rows` is to be given. Of a doubtful picture the full size.
    var layout: Layout { layout(rowSize: isDoubtful ? frame.size : rowSize) }

    func buffer(_ layout: Layout) throws(ImageError) -> PixelBuffer {
        let isResult = layout.format == output && layout.size == plan.scaledSize && transform(layout.format) == nil
        let limit = isResult ? options.limits.outputBytes : options.limits.workingBytes
        return try PixelBuffer(size: layout.size, format: layout.format, limit: limit, zeroed: options.acceptPartial)
    }

    func rows(into buffer: PixelBuffer) throws(ImageError) -> WebPRows {
        let target = unsafe WebPRows.Target(
            base: buffer.mutablePixels, stride: buffer.stride, size: buffer.size, format: buffer.format)
        return unsafe try WebPRows(frame, into: target, hasAlpha: hasAlpha)
    }

    /// The picture of a buffer that is not used any more; rows behind the first `rows` are missing.
    func finish(_ buffer: PixelBuffer, rows: Int, stop: StopSignal) throws(ImageError) -> Image {
        guard isFinal(buffer) else { return try write(buffer, rows: rows, stop: stop) }
        if buffer.format.hasAlpha, !hasAlpha { makeOpaque(buffer, rows: rows) }
        return image(buffer, isWhole: rows == buffer.size.height)
    }

    /// The picture as it is while more rows are to come.
    func preview(_ buffer: PixelBuffer, rows: Int, stop: StopSignal) throws(ImageError) -> Image {
        // A buffer that is converted on the way needs no copy.
        let image = try finish(isFinal(buffer) ? try copy(buffer, rows: rows) : buffer, rows: rows, stop: stop)
        var metadata = image.metadata
        metadata.isIncremental = true
        return image.with(metadata)
    }

    private func copy(_ buffer: PixelBuffer, rows: Int) throws(ImageError) -> PixelBuffer {
        let copy = try PixelBuffer(size: buffer.size, format: buffer.format, limit: options.limits.outputBytes, zeroed: true)
        for y in 0..<rows {
            if let from = unsafe buffer.row(y), let to = unsafe copy.mutableRow(y) { unsafe to.copyMemory(from: from) }
        }
        return copy
    }

    // MARK: Steps

    /// Straight into the result where nothing else is to be done.
    private func isFinal(_ buffer: PixelBuffer) -> Bool {
        buffer.format == output && buffer.size == plan.scaledSize && plan.turn == .up && transform(buffer.format) == nil
    }

    private func write(_ buffer: PixelBuffer, rows: Int, stop: StopSignal) throws(ImageError) -> Image {
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

    /// The alpha that a lossless picture carries although its header says that it means nothing.
    private func makeOpaque(_ buffer: PixelBuffer, rows: Int) {
        guard frame.isLossless else { return }
        for y in 0..<rows {
            guard let row = unsafe buffer.mutableRow(y)?.baseAddress else { continue }
            unsafe sdpx_make_opaque(row.assumingMemoryBound(to: UInt8.self), buffer.size.width)
        }
    }

    private func transform(_ format: PixelFormat) -> (any RowTransform)? {
        guard options.convertToSRGB, !format.isPremultiplied else { return nil }
        return profile.flatMap { ColorConverter.transform(profile: $0, format: format, isGray: false, output: output) }
    }

    private func layout(rowSize: PixelSize) -> Layout {
        let own: PixelFormat = hasAlpha ? .rgba8 : .rgb8
        let isPlain = rowSize == plan.scaledSize && transform(own) == nil && plan.turn == .up
        return Layout(size: rowSize, format: isPlain && output.bytesPerChannel == 1 && output != .gray8 ? output : own)
    }

    /// The size to ask of libwebp, whose own scaler averages areas: twice the wanted one, and the sharper filter does the
    /// rest. What does not fit the working memory it scales alone.
    private var rowSize: PixelSize {
        let (canvas, scaled) = (frame.size, plan.scaledSize)
        // Means of one and a fraction pixels blur unevenly, and lossy pictures it scales without regard to alpha.
        let isScaledWell = canvas.width / 3 >= scaled.width && canvas.height / 3 >= scaled.height
        if !isScaledWell || hasAlpha && !frame.isLossless, fits(canvas) { return canvas }
        let double = PixelSize(
            width: max(scaled.width, min(canvas.width, scaled.width * 2)),
            height: max(scaled.height, min(canvas.height, scaled.height * 2)))
        return fits(double) ? double : scaled
    }

    private func fits(_ size: PixelSize) -> Bool {
        (size.pixelCount ?? Int.max) <= options.limits.workingBytes / 4
    }
}

extension WebPStream.Frame {
    /// libwebp holds the whole picture when it is lossless, and its alpha plane otherwise.
    func checkLimits(_ limits: DecodeLimits) throws(ImageError) {
        let pixels = size.pixelCount ?? Int.max
        if isLossless || hasAlpha, pixels > limits.heldPixels {
            throw .tooLarge("picture area in pixels", limit: limits.heldPixels)
        }
        let (bytes, overflow) = pixels.multipliedReportingOverflow(by: isLossless ? 4 : hasAlpha ? 1 : 0)
        guard !overflow, bytes <= limits.workingBytes else {
            throw .tooLarge("working memory in bytes", limit: limits.workingBytes)
        }
    }
}
