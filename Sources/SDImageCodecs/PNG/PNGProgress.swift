import SDImage

/// A still that is decoded as far as its bytes have arrived.
struct PNGProgress {
    let coded: PNGImage
    private let inflater: PNGInflater
    private let rows: PNGRows
    private let painter: PNGPainter
    private var chunks: PNGDataChunks
    /// Number of decoded rows, of all passes.
    private(set) var rowsDone = 0

    /// nil when the image is too large to be held in memory: it is then decoded in one step from the complete data.
    init?(_ coded: PNGImage, data: PNGDataChunks) {
        do throws(ImageError) {
            let limits = coded.options.limits
            let total = PNGRows.byteCount(coded.data, try PNGSamples(coded.data, limits: limits))
            inflater = try PNGInflater([])
            rows = try PNGRows(coded.data, limits: limits, source: try PNGWindow(inflater, total: total))
            // Must come last, because rows that exceed the working memory are refused before the image is allocated.
            painter = try PNGPainter(try coded.makeWhole(zeroed: true), source: rows.format, limits: limits)
        } catch { return nil }
        self.coded = coded
        chunks = data
    }

    /// True when every row is decoded.
    var hasAllRows: Bool { rows.position == nil }
    /// False after a wrong check sum.
    var isSound: Bool { chunks.ending != .damaged }
    /// The image in its stored orientation. Missing rows are transparent, or repeat known pixels of an interlaced image.
    var buffer: PixelBuffer { painter.buffer }

    /// Number of bytes used.
    func consumedBytes(of bytes: Bytes) -> Int { chunks.end(ofFirst: inflater.usedBytes, in: bytes) }

    /// Decodes the rows received so far.
    mutating func advance(_ bytes: Bytes, stop: CancellationToken) throws(ImageError) {
        for part in try chunks.read(bytes, limits: coded.options.limits) { inflater.append(part) }
        while let position = rows.position {
            if position.isCheckpoint { try stop.check() }
            guard try painter.paint(rows, at: position, fills: true) else { break }
            rowsDone += 1
        }
    }

    /// Decodes all rows from the start of the bytes, reading little more than needed; false when data are missing or damaged.
    mutating func advanceToEnd(_ bytes: Bytes, stop: CancellationToken) throws(ImageError) -> Bool {
        while !hasAllRows, chunks.ending == nil, chunks.offset < bytes.count {
            let end = min(bytes.count, chunks.offset + PNGWindow.piece)
            let before = chunks.offset
            try advance(bytes.slice(0..<end) ?? bytes, stop: stop)
            if chunks.offset == before { break }
        }
        return hasAllRows
    }
}
