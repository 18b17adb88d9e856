import SDImagePixels

/// Three box blurs in both directions: first along rows, in small transposed groups, then along strips of columns.
/// The kernel blurs strips of `width` bytes across all rows of memory, whatever the format of the pixels.
@safe final class BoxBlur: @unchecked Sendable {
    // Unchecked: each thread writes its own rows, and later its own columns.
    private let source: PixelBuffer
    private let target: PixelBuffer
    private let box: Int
    /// Sample type that the kernel reads.
    private let kind: sdpx_blur_kind
    /// Limits the working memory of all threads together.
    private let account = DecodeLimits.standard.account
    /// True when color must be weighted by alpha.
    private let isStraight: Bool

    /// Width of a strip in bytes.
    private static let width = Int(SDPX_BLUR_WIDTH)

    /// Creates a blur. `box`: width of the boxes in pixels, odd.
    init(_ source: PixelBuffer, into target: PixelBuffer, box: Int, isOpaque: Bool) {
        self.source = source
        self.target = target
        self.box = box
        isStraight = source.format.hasAlpha && !source.format.isPremultiplied && !isOpaque
        kind =
            switch source.format.bytesPerChannel {
            case 1: SDPX_BLUR_U8
            case 2: SDPX_BLUR_U16
            default: SDPX_BLUR_F32
            }
    }

    /// Blurs into the target; the source stays unchanged. Throws when stopped or without memory.
    func run(stop: CancellationToken) throws(ImageError) {
        // Strips of bytes may cut a pixel in two: each sample is blurred by itself.
        let strips = (source.size.width * source.format.bytesPerPixel + BoxBlur.width - 1) / BoxBlur.width
        // All rows must be finished before the columns, which read across bands.
        try RowBands.run(source.size.height, rowBytes: source.stride, stop: stop) { [self] rows throws(ImageError) in
            try blurRows(rows)
        }
        try RowBands.run(strips, rowBytes: BoxBlur.width * source.size.height, stop: stop) { [self] strips throws(ImageError) in
            try blurStrips(strips)
        }
        // The target was blurred with premultiplied color and returns to straight alpha.
        guard isStraight else { return }
        try RowBands.run(source.size.height, rowBytes: source.stride, stop: stop) { [self] rows throws(ImageError) in
            for y in rows {
                unsafe sdpx_straighten_row(target.mutableRow(y)?.baseAddress, source.size.width, source.format.rawValue)
            }
        }
    }

    private func scratch(length: Int) throws(ImageError) -> ScratchMemory {
        try ScratchMemory(sdpx_blur_scratch(kind, length, box), account: account)
    }

    /// Blurs rows along x: the kernel works along columns, so that groups of rows are transposed, blurred and
    /// transposed back.
    private func blurRows(_ rows: Range<Int>) throws(ImageError) {
        let size = source.size
        let bytes = Int32(source.format.bytesPerPixel)
        // A transposed group is one strip wide.
        let atOnce = BoxBlur.width / source.format.bytesPerPixel
        let scratch = try scratch(length: size.width)
        let turned = try ScratchMemory(size.width * BoxBlur.width, account: account)
        guard let strip = unsafe turned.bytes.baseAddress, let working = unsafe scratch.bytes.baseAddress else { return }
        for y in stride(from: rows.lowerBound, to: rows.upperBound, by: atOnce) {
            let count = min(atOnce, rows.upperBound - y)
            let to = unsafe target.mutablePixels + y * target.stride
            // The target row serves as the copy, because the source must not change.
            if isStraight { premultiply(y..<y + count) }
            let from = unsafe isStraight ? UnsafeRawPointer(to) : source.pixels + y * source.stride
            let fromStride = isStraight ? target.stride : source.stride
            unsafe sdpx_transpose(strip, BoxBlur.width, from, fromStride, size.width, count, bytes)
            unsafe sdpx_blur_strip(strip, BoxBlur.width, size.width, box, kind, working)
            unsafe sdpx_transpose(to, target.stride, strip, BoxBlur.width, count, size.width, bytes)
        }
    }

    /// Copies rows to the target with color multiplied by alpha.
    private func premultiply(_ rows: Range<Int>) {
        for y in rows {
            guard let from = unsafe source.row(y), let to = unsafe target.mutableRow(y) else { continue }
            unsafe to.copyMemory(from: from)
            unsafe sdpx_premultiply_row(to.baseAddress, source.size.width, source.format.rawValue)
        }
    }

    /// Blurs strips of byte columns. The last strip may extend into the row padding of the target.
    private func blurStrips(_ strips: Range<Int>) throws(ImageError) {
        let scratch = try scratch(length: source.size.height)
        for strip in strips {
            unsafe sdpx_blur_strip(
                target.mutablePixels + strip * BoxBlur.width, target.stride, source.size.height, box, kind,
                scratch.bytes.baseAddress)
        }
    }
}
