import SDImage
import SDImagePixels

/// Converts libjpeg's rows to the finished buffer.
@safe struct JPEGImage {
    let decoder: JPEGDecoder
    /// True when the first DC scans are enough.
    let isEarly: Bool
    private let plan: DecodePlan
    private let options: DecodeOptions
    private let output: PixelFormat
    private let rows: JPEGDecoder.Rows
    /// Layout of the rows passed to the writer.
    private let rowFormat: PixelFormat
    private let scale: JPEGDecoder.Scale
    private let transform: (any RowTransform)?
    /// Converts CMYK to RGB with the embedded profile; without one, inks are multiplied.
    private let inks: CMYKTransform?

    init(decoder: JPEGDecoder, plan: DecodePlan, profile: Bytes?, options: DecodeOptions) throws(ImageError) {
        self.decoder = decoder
        self.plan = plan
        self.options = options
        isEarly =
            options.earlyThumbnail && decoder.isProgressive && decoder.hasDrafts && plan.shrinksToAnEighth
        scale = isEarly ? decoder.smallestScale : decoder.scale(covering: plan.scaledSize)
        let own: PixelFormat = decoder.kind == .gray ? .gray8 : .rgb8
        output = .resolved(source: own, wanted: options.pixelFormat)
        let profile = options.convertToSRGB ? profile : nil
        let wanted = output
        transform =
            decoder.kind == .cmyk
            ? nil : profile.flatMap { ColorConverter.transform(profile: $0, format: own, isGray: own == .gray8, output: wanted) }
        // All software that writes CMYK JPEG inverts it, as Adobe's did first.
        inks = decoder.kind == .cmyk ? profile.flatMap { ColorConverter.cmykTransform(profile: $0, isInverted: true) } : nil
        // If no other conversion is needed, libjpeg writes the requested format itself.
        (rows, rowFormat) = JPEGImage.layout(
            kind: decoder.kind, output: output, isConverted: transform != nil,
            isPlain: transform == nil && scale.size == plan.scaledSize)
    }

    /// Returns the row format of libjpeg and the layout of the rows passed to the writer.
    private static func layout(
        kind: JPEGDecoder.Kind, output: PixelFormat, isConverted: Bool, isPlain: Bool
    ) -> (JPEGDecoder.Rows, PixelFormat) {
        switch (kind, output) {
        case (.cmyk, _): (.cmyk, .rgb8)
        case (.gray, _) where !isPlain: (.gray, .gray8)
        case (_, .gray8) where !isConverted, (_, .gray16) where !isConverted: (.gray, .gray8)
        case (_, .rgba8) where isPlain, (_, .rgba8Premultiplied) where isPlain: (.rgba, output)
        case (_, .bgra8Premultiplied) where isPlain: (.bgra, output)
        case (_, .rgb8) where isPlain: (.rgb, .rgb8)
        case (.gray, _): (.gray, .gray8)
        case (.color, _): (.rgb, .rgb8)
        }
    }

    private var rowSize: PixelSize { scale.size }

    /// True when the image is small enough for `readDraft`, if the file allows it.
    var isDraft: Bool { decoder.hasDrafts && scale.eighths <= 2 }

    func read(stop: CancellationToken) throws(ImageError) -> PixelBuffer {
        var writer = try makeWriter(rowFormat)
        try decoder.start(rows, scale: scale, limits: options.limits, stop: stop)
        if rows != .cmyk, let destination = JPEGDestination(writer, height: rowSize.height) {
            try decoder.readAll(rows, into: destination, options: options, stop: stop)
        } else {
            _ = try read(from: 0, to: &writer, stop: stop)
        }
        return try writer.finish()
    }

    /// Decodes a thumbnail from the lowest coefficients, and returns the number of bytes used; nil when libjpeg must decode.
    func readDraft(stop: CancellationToken) throws(ImageError) -> (pixels: PixelBuffer, consumedBytes: Int)? {
        guard isDraft else { return nil }
        // Subsampled chroma must have at least as many samples as the result.
        var reader = DCThumbnailReader(
            decoder, detail: scale.eighths, wanted: isEarly ? PixelSize(width: 1, height: 1) : plan.scaledSize,
            isEarly: isEarly, limits: options.limits)
        guard let draft = try reader.read(stop: stop, pool: WorkPool.idle) else { return nil }
        let isColor = decoder.kind == .color && rows != .gray
        var writer = try makeWriter(isColor ? .rgb8 : .gray8)
        let rows = try DCThumbnailRows(draft, size: rowSize, isColor: isColor, account: options.limits.account)
        try rows.write(to: &writer, stop: stop)
        return (try writer.finish(), reader.consumedBytes)
    }

    /// Prepares the decoder of a file that is still arriving.
    func prepare() throws(ImageError) { try decoder.prepare(rows, scale: scale, limits: options.limits) }

    /// Creates the writer for the rows of `read`.
    func makeWriter() throws(ImageError) -> ScanlineWriter { try makeWriter(rowFormat) }

    private func makeWriter(_ format: PixelFormat) throws(ImageError) -> ScanlineWriter {
        try ScanlineWriter(
            rowSize: rowSize, sourceFormat: format, plan: plan, output: output, transform: transform, options: options,
            extent: decoder.extent(eighths: scale.eighths))
    }

    /// True when this number of rows is the complete image.
    func isWhole(rows count: Int) -> Bool { count >= rowSize.height }

    /// Passes the rows from `first`, the next row, to a writer as far as they are available. Returns the index of the row after
    /// them.
    func read(from first: Int, to writer: inout ScanlineWriter, stop: CancellationToken) throws(ImageError) -> Int {
        let bytesPerRow = rowSize.width * rows.bytesPerPixel
        let memory = try ScratchMemory(
            bytesPerRow * JPEGDecoder.rowsAtOnce, of: UInt8.self, account: options.limits.account)
        guard let base = unsafe memory.bytes.baseAddress else { throw .noMemory(memory.count) }
        let pointers = unsafe (0..<JPEGDecoder.rowsAtOnce).map { index in
            unsafe Optional((base + index * bytesPerRow).assumingMemoryBound(to: UInt8.self))
        }
        let colors = rows == .cmyk ? try ScratchMemory(rowSize.width * 3, account: options.limits.account) : nil
        var y = first
        while y < rowSize.height {
            try stop.check()
            let count = unsafe try decoder.read(into: pointers)
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
