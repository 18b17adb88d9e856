import Glibc
import SDImage
import SDImagePixels

/// The way of one picture from libwebp's buffer to the finished one.
@safe struct WebPPicture {
    private let frame: WebPStream.Frame
    private let canvas: PixelSize
    private let plan: DecodePlan
    private let options: DecodeOptions
    private let output: PixelFormat
    /// The profile to convert from.
    private let profile: Bytes?
    /// Some pixel may be transparent.
    let hasAlpha: Bool

    init(stream: WebPStream, plan: DecodePlan, profile: Bytes?, options: DecodeOptions) throws(ImageError) {
        frame = try stream.firstFrame()
        canvas = stream.canvas
        self.plan = plan
        self.options = options
        hasAlpha = stream.hasAlpha || frame.hasAlpha || frame.size != canvas
        output = .resolved(source: hasAlpha ? .rgba8 : .rgb8, wanted: options.pixelFormat)
        self.profile = options.convertToSRGB ? profile : nil
        try WebPPicture.checkLimits(frame, options.limits)
    }

    /// The pixels, and whether every row of them was there.
    func read(stop: StopSignal) throws(ImageError) -> (pixels: PixelBuffer, isWhole: Bool) {
        guard frame.size == canvas else { return try readPlaced(stop: stop) }
        let rowSize = rowSize
        guard frame.isLossless, !hasAlpha, rowSize != canvas else { return try readWhole(rowSize, stop: stop) }
        // libwebp multiplies by alpha while it scales, also by one that the header declares meaningless.
        let buffer = try PixelBuffer(size: rowSize, format: .rgba8, limit: options.limits.workingBytes)
        let rows = try decode(into: buffer, stop: stop)
        for y in 0..<rows {
            guard let row = unsafe buffer.row(y)?.baseAddress else { continue }
            if unsafe sdpx_is_opaque(row.assumingMemoryBound(to: UInt8.self), rowSize.width) == 0 {
                return try readWhole(canvas, stop: stop)
            }
        }
        return try write(buffer, rows: rows, stop: stop)
    }

    /// Rows of one size from libwebp, straight into the result where nothing else is to be done.
    private func readWhole(_ rowSize: PixelSize, stop: StopSignal) throws(ImageError) -> (PixelBuffer, Bool) {
        let own: PixelFormat = hasAlpha ? .rgba8 : .rgb8
        let isPlain = rowSize == plan.scaledSize && transform(own) == nil
        let format = isPlain && output.bytesPerChannel == 1 && output != .gray8 ? output : own
        if isPlain, format == output, plan.turn == .up {
            let buffer = try PixelBuffer(
                size: rowSize, format: format, limit: options.limits.outputBytes, zeroed: options.acceptPartial)
            let rows = try decode(into: buffer, stop: stop)
            if format.hasAlpha, !hasAlpha { makeOpaque(buffer, rows: rows) }
            return (buffer, rows == rowSize.height)
        }
        let buffer = try PixelBuffer(size: rowSize, format: own, limit: options.limits.workingBytes)
        return try write(buffer, rows: try decode(into: buffer, stop: stop), stop: stop)
    }

    private func write(_ buffer: PixelBuffer, rows: Int, stop: StopSignal) throws(ImageError) -> (PixelBuffer, Bool) {
        var writer = try ScanlineWriter(
            rowSize: buffer.size, sourceFormat: buffer.format, plan: plan, output: output,
            transform: transform(buffer.format), options: options)
        for y in 0..<rows {
            if y & 15 == 0 { try stop.check() }
            if let row = unsafe buffer.row(y) { unsafe try writer.write(row) }
        }
        return (try writer.finish(), rows == buffer.size.height)
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
        profile.flatMap { ColorConverter.transform(profile: $0, format: format, isGray: false, output: output) }
    }

    /// The first frame of an animation where it covers only a part of the canvas; the rest is transparent.
    private func readPlaced(stop: StopSignal) throws(ImageError) -> (PixelBuffer, Bool) {
        var writer = try ScanlineWriter(
            rowSize: canvas, sourceFormat: .rgba8, plan: plan, output: output, transform: transform(.rgba8),
            options: options)
        let buffer = try PixelBuffer(size: frame.size, format: .rgba8, limit: options.limits.workingBytes)
        let rows = try decode(into: buffer, stop: stop)
        let line = try ScratchMemory(canvas.width * 4, of: UInt8.self, limit: options.limits.workingBytes)
        guard frame.x >= 0, frame.y >= 0, frame.x + frame.size.width <= canvas.width, let base = unsafe line.bytes.baseAddress
        else { throw ImageError(.badData, "WebP frame outside its canvas") }
        for y in 0..<canvas.height {
            if y & 15 == 0 { try stop.check() }
            let isCovered = y >= frame.y && y - frame.y < rows
            if isCovered, let row = unsafe buffer.row(y - frame.y), let from = row.baseAddress {
                unsafe memcpy(base + frame.x * 4, from, row.count)
            } else {
                unsafe memset(base, 0, line.count)
            }
            unsafe try writer.write(UnsafeRawBufferPointer(line.bytes))
        }
        return (try writer.finish(), rows == frame.size.height)
    }

    private func decode(into buffer: PixelBuffer, stop: StopSignal) throws(ImageError) -> Int {
        let target = unsafe WebPStream.Target(
            base: buffer.mutablePixels, stride: buffer.stride, size: buffer.size, format: buffer.format, hasAlpha: hasAlpha)
        return unsafe try WebPStream.decode(frame, to: target, tolerant: options.acceptPartial, stop: stop)
    }

    /// The size to ask of libwebp, whose own scaler averages areas: twice the wanted one, and the sharper filter does the
    /// rest. What does not fit the working memory it scales alone.
    private var rowSize: PixelSize {
        let scaled = plan.scaledSize
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

    /// libwebp holds the whole picture when it is lossless, and its alpha plane otherwise.
    private static func checkLimits(_ frame: WebPStream.Frame, _ limits: DecodeLimits) throws(ImageError) {
        let pixels = frame.size.pixelCount ?? Int.max
        if frame.isLossless || frame.hasAlpha, pixels > limits.heldPixels {
            throw .tooLarge("picture area in pixels", limit: limits.heldPixels)
        }
        let (bytes, overflow) = pixels.multipliedReportingOverflow(by: frame.isLossless ? 4 : frame.hasAlpha ? 1 : 0)
        guard !overflow, bytes <= limits.workingBytes else {
            throw .tooLarge("working memory in bytes", limit: limits.workingBytes)
        }
    }
}
