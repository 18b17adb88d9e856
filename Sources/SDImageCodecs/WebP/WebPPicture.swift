import Glibc
import SDImage

/// The way of one picture from libwebp's buffer to the finished one.
@safe struct WebPPicture {
    private let frame: WebPStream.Frame
    private let canvas: PixelSize
    private let plan: DecodePlan
    private let options: DecodeOptions
    private let output: PixelFormat
    private let transform: (any RowTransform)?
    /// Some pixel may be transparent.
    let hasAlpha: Bool

    /// The colours were converted to sRGB.
    var isConverted: Bool { transform != nil }

    init(stream: WebPStream, plan: DecodePlan, profile: Bytes?, options: DecodeOptions) throws(ImageError) {
        frame = try stream.firstFrame()
        canvas = stream.canvas
        self.plan = plan
        self.options = options
        hasAlpha = stream.hasAlpha || frame.hasAlpha || frame.size != canvas
        output = .resolved(source: hasAlpha ? .rgba8 : .rgb8, wanted: options.pixelFormat)
        transform = nil
        try WebPPicture.checkLimits(frame, options.limits)
    }

    func read(stop: StopSignal) throws(ImageError) -> PixelBuffer {
        guard frame.size == canvas else { return try readPlaced(stop: stop) }
        let rowSize = WebPPicture.rowSize(stored: canvas, scaled: plan.scaledSize)
        let isPlain = rowSize == plan.scaledSize && transform == nil
        let own: PixelFormat = hasAlpha ? .rgba8 : .rgb8
        let format = isPlain && output.bytesPerChannel == 1 && output != .gray8 ? output : own
        var writer = try ScanlineWriter(
            rowSize: rowSize, sourceFormat: format, plan: plan, output: output, transform: transform, options: options)
        if plan.turn == .up, let first = unsafe writer.directRow(0)?.baseAddress {
            let stride = try PixelBuffer.stride(width: rowSize.width, format: format)
            let target = unsafe WebPStream.Target(base: first, stride: stride, size: rowSize, format: format)
            _ = unsafe try WebPStream.decode(frame, to: target, tolerant: options.acceptPartial, stop: stop)
            return try writer.finish()
        }
        let buffer = try PixelBuffer(size: rowSize, format: format, limit: options.limits.workingBytes)
        let rows = try decode(into: buffer, stop: stop)
        for y in 0..<rows {
            if y & 15 == 0 { try stop.check() }
            if let row = unsafe buffer.row(y) { unsafe try writer.write(row) }
        }
        return try writer.finish()
    }

    /// The first frame of an animation where it covers only a part of the canvas; the rest is transparent.
    private func readPlaced(stop: StopSignal) throws(ImageError) -> PixelBuffer {
        var writer = try ScanlineWriter(
            rowSize: canvas, sourceFormat: .rgba8, plan: plan, output: output, transform: transform, options: options)
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
        return try writer.finish()
    }

    private func decode(into buffer: PixelBuffer, stop: StopSignal) throws(ImageError) -> Int {
        let target = unsafe WebPStream.Target(
            base: buffer.mutablePixels, stride: buffer.stride, size: buffer.size, format: buffer.format)
        return unsafe try WebPStream.decode(frame, to: target, tolerant: options.acceptPartial, stop: stop)
    }

    /// libwebp's own scaler averages areas: it goes to twice the wanted size, and the sharper filter does the rest.
    private static func rowSize(stored: PixelSize, scaled: PixelSize) -> PixelSize {
        PixelSize(
            width: max(scaled.width, min(stored.width, scaled.width * 2)),
            height: max(scaled.height, min(stored.height, scaled.height * 2)))
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
