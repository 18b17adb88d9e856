import SDImage
import SDImagePixels

/// The way of one picture from libjpeg's rows to the finished buffer.
@safe struct JPEGPicture {
    private let decoder: JPEGDecoder
    private let plan: DecodePlan
    private let options: DecodeOptions
    private let output: PixelFormat
    private let rows: JPEGDecoder.Rows
    /// Layout of the rows given to the writer.
    private let rowFormat: PixelFormat
    private let scale: JPEGDecoder.Scale
    private let transform: (any RowTransform)?
    /// From ink to RGB by the file's own profile; products of inks serve without one.
    private let inks: CMYKTransform?

    init(decoder: JPEGDecoder, plan: DecodePlan, profile: Bytes?, options: DecodeOptions) throws(ImageError) {
        self.decoder = decoder
        self.plan = plan
        self.options = options
        scale = decoder.scale(covering: plan.scaledSize)
        let own: PixelFormat = decoder.kind == .gray ? .gray8 : .rgb8
        output = .resolved(source: own, wanted: options.pixelFormat)
        let profile = options.convertToSRGB ? profile : nil
        let wanted = output
        transform =
            decoder.kind == .cmyk
            ? nil : profile.flatMap { ColorConverter.transform(profile: $0, format: own, isGray: own == .gray8, output: wanted) }
        // All software that writes CMYK into JPEG inverts it, as Adobe's did first.
        inks = decoder.kind == .cmyk ? profile.flatMap { ColorConverter.cmykTransform(profile: $0, isInverted: true) } : nil
        // Where nothing else is to be done libjpeg writes the wanted format itself.
        (rows, rowFormat) = JPEGPicture.layout(
            kind: decoder.kind, output: output, isConverted: transform != nil,
            isPlain: transform == nil && scale.size == plan.scaledSize)
    }

    /// What to ask of libjpeg, and the layout of the rows that the writer gets.
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

    func read(stop: StopSignal) throws(ImageError) -> PixelBuffer {
        var writer = try ScanlineWriter(
            rowSize: rowSize, sourceFormat: rowFormat, plan: plan, output: output, transform: transform, options: options,
            extent: decoder.extent(eighths: scale.eighths))
        try decoder.start(rows, scale: scale, limits: options.limits, stop: stop)
        if rows != .cmyk, let destination = JPEGDestination(writer, height: rowSize.height) {
            try decoder.readAll(rows, into: destination, options: options, stop: stop)
        } else {
            try readThrough(&writer, stop: stop)
        }
        return try writer.finish()
    }

    private func readThrough(_ writer: inout ScanlineWriter, stop: StopSignal) throws(ImageError) {
        let bytesPerRow = rowSize.width * rows.bytesPerPixel
        let memory = try ScratchMemory(
            bytesPerRow * JPEGDecoder.rowsAtOnce, of: UInt8.self, limit: options.limits.workingBytes)
        guard let base = unsafe memory.bytes.baseAddress else { throw .noMemory(memory.count) }
        let pointers = unsafe (0..<JPEGDecoder.rowsAtOnce).map { index in
            unsafe Optional((base + index * bytesPerRow).assumingMemoryBound(to: UInt8.self))
        }
        let colors = rows == .cmyk ? try ScratchMemory(rowSize.width * 3) : nil
        var y = 0
        while y < rowSize.height {
            try stop.check()
            let count = unsafe try decoder.read(into: pointers)
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
    }

    /// A row of CMYK to RGB.
    private func mix(_ row: UnsafeRawBufferPointer, into colors: UnsafeMutableRawBufferPointer) {
        if let inks { return unsafe inks.apply(row, to: colors, pixels: rowSize.width) }
        guard let from = row.baseAddress, let to = colors.baseAddress else { return }
        unsafe sdpx_cmyk_to_rgb(
            to.assumingMemoryBound(to: UInt8.self), from.assumingMemoryBound(to: UInt8.self), rowSize.width)
    }
}
