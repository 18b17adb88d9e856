import SDImage

/// A still that is decoded as far as its bytes have arrived. `PNGProgressiveStill` owns it; a complete file with an early
/// thumbnail uses it, too. A copy shares rows and bitmap, so only one copy may advance.
struct PNGPartialImage {
    let decoder: PNGDecoder
    private let inflater: PNGInflater
    private let rows: PNGRowDecoder
    private let bitmap: PNGBitmapWriter
    /// Position in the image data.
    private var chunks: PNGDataReader
    /// Number of decoded rows, of all passes.
    private(set) var rowsDone = 0

    /// nil when the image is too large to be held in memory: it is then decoded in one step from the complete data.
    init?(_ decoder: PNGDecoder, data: PNGDataReader) {
        do throws(ImageError) {
            let limits = decoder.options.limits
            let samples = try PNGSampleExpander(decoder.data, limits: limits)
            inflater = try PNGInflater([], limits: limits)
            let source = try PNGSerialInflate(inflater, total: PNGRowDecoder.byteCount(decoder.data, samples))
            rows = try PNGRowDecoder(decoder.data, limits: limits, expander: samples, source: source)
            // Must come last, because rows that exceed the working memory are refused before the image is allocated.
            bitmap = try PNGBitmapWriter(try decoder.makeWhole(zeroed: true), source: rows.format, limits: limits)
        } catch { return nil }
        self.decoder = decoder
        chunks = data
    }

    /// True when every row is decoded.
    var hasAllRows: Bool { rows.position == nil }
    /// False after a wrong check sum.
    var isSound: Bool { chunks.ending != .damaged }
    /// The image in its stored orientation. Missing rows are transparent, or repeat known pixels of an interlaced image.
    var buffer: PixelBuffer { bitmap.buffer }

    /// Number of rows from the top that have pixels. A row of the first pass of an interlaced image fills eight, the height of its
    /// blocks (PNG, section 8.2).
    var rowsFilled: Int {
        decoder.data.isInterlaced ? min(8 * rowsDone, buffer.size.height) : rowsDone
    }

    /// Number of bytes used.
    func consumedBytes(of bytes: Bytes) -> Int { chunks.end(ofFirst: inflater.usedBytes, in: bytes) }

    /// Decodes the rows received so far.
    mutating func advance(_ bytes: Bytes, stop: CancellationToken) throws(ImageError) {
        for part in try chunks.read(bytes, limits: decoder.options.limits) { inflater.append(part) }
        // A row that lacks bytes is asked for again by the next call.
        while let position = rows.position {
            if position.isCheckpoint { try stop.check() }
            guard try bitmap.write(rows, at: position, fills: true, stop: stop) else { break }
            rowsDone += 1
        }
    }

    /// Decodes all rows from the start of the bytes, reading little more than needed; false when data are missing or damaged.
    mutating func advanceToEnd(_ bytes: Bytes, stop: CancellationToken) throws(ImageError) -> Bool {
        while !hasAllRows, chunks.ending == nil, chunks.offset < bytes.count {
            // Small steps: the first pass has only a sixty-fourth of the pixels.
            let end = min(bytes.count, chunks.offset + PNGSerialInflate.piece)
            let before = chunks.offset
            try advance(bytes.slice(0..<end) ?? bytes, stop: stop)
            // An incomplete chunk header at the end of the file.
            if chunks.offset == before { break }
        }
        return hasAllRows
    }
}
