import SDImage
import SDImagePixels

/// Writes animations. Each frame stores the rectangle that changed, either as it is or with unchanged pixels transparent, if all
/// changed pixels are opaque and that compresses better. All frames are RGBA with 8 bits, or 16 if the first frame has them.
/// `APNGCoder` creates one for each encode, on its thread. Frames are encoded one after another, and two of them are in memory.
struct APNGEncoder {
    private let png: PNGEncoder
    private let options: EncodeOptions
    private let stop: CancellationToken

    /// Values of blend_op in fcTL.
    private static let source: UInt8 = 0, over: UInt8 = 1

    init(_ options: EncodeOptions, stop: CancellationToken) throws(ImageError) {
        png = try PNGEncoder(options, stop: stop)
        self.options = options
        self.stop = stop
    }

    /// Throws `invalidArgument` for a frame of another size than the image.
    func encode(_ image: Image, _ frames: any FrameProvider) throws(ImageError) -> Bytes {
        try PNGEncoder.check(image.size)
        guard frames.frameCount <= Int32.max else {
            throw .tooLarge("apng: frame count of \(frames.frameCount)", limit: Int(Int32.max))
        }
        let isDeep = image.pixels.format.bytesPerChannel > 1
        let format = isDeep ? PixelFormat.rgba16 : .rgba8
        var file = try PNGWriter()
        try file.chunk("IHDR", PNGColorType.header(image.size, depth: isDeep ? 16 : 8, colorType: 6))
        let loops = min(options.loopCount ?? image.metadata.loopCount, Int(Int32.max))
        try file.chunk("acTL", frames.frameCount.pngBytes + loops.pngBytes)
        try png.writePrelude(image.metadata, &file)
        // fcTL and fdAT share one sequence of numbers; IDAT, which holds the first frame, has none.
        var sequence = 0
        // The pixels shown before: disposal is none, so that each frame starts from them.
        var before: PixelBuffer?
        for index in 0..<frames.frameCount {
            // One format for all frames: the header is written before the other frames are known.
            let shown = try image.frame(at: index, stop: stop).withoutIdleAlpha().converted(to: format).pixels
            guard shown.size == image.size else {
                throw ImageError(
                    .invalidArgument,
                    "apng: frame \(index) is \(shown.size.width)x\(shown.size.height) pixels, unlike the first")
            }
            let frame = try frame(shown, before)
            let control = APNGEncoder.control(frame, milliseconds: frames.durationMilliseconds(at: index))
            try file.chunk("fcTL", sequence.pngBytes + control)
            sequence += 1
            if index == 0 {
                try png.write(frame.rows, "IDAT", [], filter: frame.filter, to: &file)
            } else {
                try png.write(frame.rows, "fdAT", sequence.pngBytes, filter: frame.filter, to: &file)
                sequence += 1
            }
            before = shown
        }
        return try file.finish()
    }

    // MARK: Content of a frame

    /// The stored form of a frame.
    private struct Frame {
        let area: PixelArea
        let rows: PNGScanlineSource
        let filter: PNGFilterType
        var blend = APNGEncoder.source
    }

    /// Chooses the smaller form of a frame, as estimated from samples.
    private func frame(_ shown: PixelBuffer, _ before: PixelBuffer?) throws(ImageError) -> Frame {
        // A frame without changes stores one pixel.
        let changed = before.map { PixelArea(from: $0, to: shown) ?? PixelArea(columns: 0..<1, rows: 0..<1) }
        let area = changed ?? PixelArea(shown.size)
        let rows = try PNGScanlineSource(ImageRows(shown, as: shown.format), area: area)
        let asIs = try png.bestFilter(rows)
        guard let before, let sparse = try onlyChanged(shown, before, area) else {
            return Frame(area: area, rows: rows, filter: asIs.filter)
        }
        let sparseRows = try PNGScanlineSource(ImageRows(sparse, as: sparse.format))
        let sparseBest = try png.bestFilter(sparseRows)
        guard sparseBest.cost < asIs.cost else { return Frame(area: area, rows: rows, filter: asIs.filter) }
        return Frame(area: area, rows: sparseRows, filter: sparseBest.filter, blend: APNGEncoder.over)
    }

    /// Returns the rectangle with unchanged pixels transparent; nil when a changed pixel is not opaque.
    private func onlyChanged(
        _ shown: PixelBuffer, _ before: PixelBuffer, _ area: PixelArea
    ) throws(ImageError) -> PixelBuffer? {
        let buffer = try PixelBuffer(size: area.size, format: shown.format, limit: Int.max, account: options.account)
        let pixel = shown.format.bytesPerPixel
        let offset = area.left * pixel
        for y in 0..<area.size.height {
            if y % 64 == 0 { try stop.check() }
            guard let to = unsafe buffer.mutableRow(y)?.assumingMemoryBound(to: UInt8.self).baseAddress,
                let new = unsafe shown.row(area.top + y)?.assumingMemoryBound(to: UInt8.self).baseAddress,
                let old = unsafe before.row(area.top + y)?.assumingMemoryBound(to: UInt8.self).baseAddress
            else { continue }
            let isOpaque = unsafe sdpx_only_changed(to, new + offset, old + offset, area.size.width, pixel)
            // Blending would mix a transparent pixel with the old one.
            guard isOpaque != 0 else { return nil }
        }
        return buffer
    }

    /// Returns the fcTL data after the sequence number (PNG, third edition, section 11.3.6.2); the disposal is none.
    private static func control(_ frame: Frame, milliseconds: Int) -> [UInt8] {
        let (numerator, denominator) = delay(milliseconds)
        let rectangle = frame.area.size.width.pngBytes + frame.area.size.height.pngBytes + frame.area.left.pngBytes
        return rectangle + frame.area.top.pngBytes
            + [numerator, denominator].flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] } + [0, frame.blend]
    }

    /// Returns the delay as a fraction of 16-bit numbers: exact up to 65 seconds, then as precise as possible.
    private static func delay(_ milliseconds: Int) -> (Int, Int) {
        let limit = Int(UInt16.max)
        // `parts` is the denominator: the fractions of a second to count in, from the finest.
        for parts in [1000, 100, 10, 1] where milliseconds <= limit * (1000 / parts) {
            let unit = 1000 / parts
            return (min(limit, (max(0, milliseconds) + unit / 2) / unit), parts)
        }
        return (limit, 1)
    }
}
