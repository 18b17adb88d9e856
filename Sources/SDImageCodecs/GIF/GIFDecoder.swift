import Glibc
import SDImage

/// One decode of a still: from its indices to the finished buffer, row by row when downscaling. `GIFProgressiveDecoder` makes one
/// for the only frame of a file, and the first frame where animation is not wanted.
///
/// A line is a row as stored; in an interlaced frame the lines are in another order than the rows.
struct GIFDecoder {
    /// Lines decoded before they are drawn, small enough to stay in the cache; also the interval of checks of the token.
    private static let linesPerStep = 16

    private let bytes: Bytes
    private let indices: GIFRowDecoder
    private let frame: GIFFrame
    private let plan: DecodePlan
    /// Format of the rows passed to the writer.
    private let layout: PixelFormat
    /// Format of the finished image.
    private let output: PixelFormat
    private let palette: GIFPalette
    private let options: DecodeOptions
    private let stop: CancellationToken

    init(
        bytes: Bytes, container: GIFContainer, frame: GIFFrame, indices: GIFRowDecoder, plan: DecodePlan, hasAlpha: Bool,
        output: PixelFormat, options: DecodeOptions, stop: CancellationToken
    ) {
        // The palette can hold the pixels of any 4-byte format, so that rows need no second conversion.
        let isFinal = !plan.shrinks && output.bytesPerPixel == 4 && output.bytesPerChannel == 1
        layout = isFinal ? output : hasAlpha ? .rgba8 : .rgb8
        palette = GIFPalette(
            bytes, frame.palette, transparentIndex: frame.transparentIndex, format: layout, replaces: true)
        self.bytes = bytes
        self.indices = indices
        self.frame = frame
        self.plan = plan
        self.output = output
        self.options = options
        self.stop = stop
    }

    private var canvas: PixelSize { plan.storedSize }

    /// Returns the pixels; `isWhole` is false when data are missing or damaged.
    func decode() throws(ImageError) -> (PixelBuffer, isWhole: Bool) {
        guard let area = canvas.pixelCount, area <= options.limits.heldPixels else {
            throw .tooLarge("gif: canvas of \(canvas.width)x\(canvas.height) pixels", limit: options.limits.heldPixels)
        }
        var writer = try ScanlineWriter(
            rowSize: canvas, sourceFormat: layout, plan: plan, output: output, transform: nil, options: options)
        if unsafe writer.directRow(0) != nil {
            try decodeDirect(&writer)
        } else {
            try decodeStreamed(&writer)
        }
        return (try writer.finish(), !indices.isStarved && !indices.isDamaged)
    }

    // MARK: Line order

    /// Writes rows directly to their final memory, in the order of the lines.
    private func decodeDirect(_ writer: inout ScanlineWriter) throws(ImageError) {
        // Clears the memory only if some pixel may not be drawn.
        let isFilled = !frame.layout.covers(canvas) || options.acceptPartial
        if isFilled { clearCanvas(&writer) }
        try drawLines(&writer)
        // A stream that ends early with its end code is no error. Its missing pixels are blank, so the canvas is cleared and
        // drawn again.
        guard !isFilled, !indices.isWhole else { return }
        clearCanvas(&writer)
        try drawLines(&writer)
    }

    /// Decodes and draws all lines; throws for missing or damaged data unless they are accepted.
    private func drawLines(_ writer: inout ScanlineWriter) throws(ImageError) {
        for start in stride(from: 0, to: indices.lineCount, by: GIFDecoder.linesPerStep) {
            let end = min(start + GIFDecoder.linesPerStep, indices.lineCount)
            try decode(lines: end)
            for line in start..<end {
                if let row = unsafe writer.directRow(frame.layout.top + indices.row(ofLine: line)) {
                    unsafe draw(line, onto: row)
                }
            }
        }
        try check()
    }

    /// Writes rows from top to bottom, as the writer requires. For interlaced images, all lines are decoded first.
    private func decodeStreamed(_ writer: inout ScanlineWriter) throws(ImageError) {
        let row = try ScratchMemory(canvas.width, of: UInt32.self, account: options.limits.account)
        let lines = frame.isInterlaced ? linesOfRows : []
        for y in 0..<canvas.height {
            unsafe clear(row.bytes)
            let own = y - frame.layout.top
            if own >= 0, own < frame.visibleRows(of: canvas) {
                // Rows of an interlaced frame come in another order: its lines are all decoded before the first row.
                if own % GIFDecoder.linesPerStep == 0 {
                    try decode(lines: frame.isInterlaced ? indices.lineCount : own + GIFDecoder.linesPerStep)
                }
                unsafe draw(frame.isInterlaced ? lines[own] : own, onto: row.bytes)
            }
            unsafe try writer.write(UnsafeRawBufferPointer(row.bytes))
        }
        try check()
    }

    /// The line of each row of an interlaced frame.
    private var linesOfRows: [Int] {
        var lines = [Int](repeating: 0, count: indices.lineCount)
        for line in 0..<indices.lineCount { lines[indices.row(ofLine: line)] = line }
        return lines
    }

    // MARK: Lines

    /// Decodes up to that many lines.
    private func decode(lines: Int) throws(ImageError) {
        try stop.check()
        indices.decode(bytes, lines: lines)
        if indices.isDamaged || indices.isStarved { try check() }
    }

    /// Throws for missing or damaged data, unless partial images are accepted and at least one row was decoded.
    private func check() throws(ImageError) {
        if indices.isWhole || indices.lineCount == 0 || options.acceptPartial && indices.count >= max(indices.width, 1) { return }
        if indices.isDamaged { throw .damagedGIF }
        if indices.isStarved { throw .truncatedGIF }
        if indices.count == 0 { throw ImageError(.badData, "gif: frame has no data") }
    }

    /// Draws a line, clipped to the canvas.
    private func draw(_ line: Int, onto row: UnsafeMutableRawBufferPointer) {
        let left = frame.layout.left * layout.bytesPerPixel
        guard left < canvas.width * layout.bytesPerPixel, let pixels = unsafe indices.line(line) else { return }
        let right = canvas.width * layout.bytesPerPixel
        unsafe palette.draw(pixels, onto: UnsafeMutableRawBufferPointer(rebasing: row[left..<right]))
    }

    /// Makes the final memory transparent, or black without alpha.
    private func clearCanvas(_ writer: inout ScanlineWriter) {
        for y in 0..<canvas.height {
            if let row = unsafe writer.directRow(y) { unsafe clear(row) }
        }
    }

    private func clear(_ row: UnsafeMutableRawBufferPointer) {
        if let base = row.baseAddress { unsafe memset(base, 0, row.count) }
    }
}
