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
        let rowSize = scale.size
        let own: PixelFormat = decoder.kind == .gray ? .gray8 : .rgb8
        output = .resolved(source: own, wanted: options.pixelFormat)
        let profile = options.convertToSRGB ? profile : nil
        transform =
            decoder.kind == .cmyk
            ? nil : profile.flatMap { ColorConverter.transform(profile: $0, format: own, isGray: own == .gray8) }
        // All software that writes CMYK into JPEG inverts it, as Adobe's did first.
        inks = decoder.kind == .cmyk ? profile.flatMap { ColorConverter.cmykTransform(profile: $0, isInverted: true) } : nil
        guard decoder.kind != .cmyk else {
            rows = .cmyk
            rowFormat = .rgb8
            return
        }
        // Where nothing else is to be done libjpeg writes the wanted format itself.
        let isPlain = transform == nil && rowSize == plan.scaledSize
        switch output {
        case .gray8, .gray16:
            rows = transform == nil ? .gray : own == .gray8 ? .gray : .rgb
            rowFormat = rows == .gray ? .gray8 : .rgb8
        case .rgba8 where isPlain, .rgba8Premultiplied where isPlain:
            rows = .rgba
            rowFormat = output
        case .bgra8Premultiplied where isPlain:
            rows = .bgra
            rowFormat = output
        case .rgb8 where isPlain:
            rows = .rgb
            rowFormat = .rgb8
        default:
            rows = own == .gray8 ? .gray : .rgb
            rowFormat = own
        }
    }

    private var rowSize: PixelSize { scale.size }

    func read(stop: StopSignal) throws(ImageError) -> PixelBuffer {
        var writer = try ScanlineWriter(
            rowSize: rowSize, sourceFormat: rowFormat, plan: plan, output: output, transform: transform, options: options,
            extent: decoder.extent(eighths: scale.eighths))
        try decoder.start(rows, scale: scale, limits: options.limits, stop: stop)
        if rows != .cmyk, unsafe writer.directRow(0) != nil {
            try readDirectly(into: writer, stop: stop)
        } else {
            try readThrough(&writer, stop: stop)
        }
        return try writer.finish()
    }

    private func readDirectly(into writer: borrowing ScanlineWriter, stop: StopSignal) throws(ImageError) {
        var y = 0
        var pointers: [UnsafeMutablePointer<UInt8>?] = unsafe []
        while y < rowSize.height {
            try stop.check()
            unsafe pointers.removeAll(keepingCapacity: true)
            for row in y..<min(rowSize.height, y + JPEGDecoder.rowsAtOnce) {
                unsafe pointers.append(writer.directRow(row)?.baseAddress?.assumingMemoryBound(to: UInt8.self))
            }
            y += unsafe try decoder.read(into: pointers)
        }
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
