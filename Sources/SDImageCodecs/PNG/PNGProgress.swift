import SDImage

/// A still that is decoded as far as its bytes are there.
struct PNGProgress {
    let picture: PNGPicture
    private let inflater: PNGInflater
    private let rows: PNGRows
    private let painter: PNGPainter
    private var chunks: PNGDataChunks
    /// Rows that are there, of all passes.
    private(set) var rowsDone = 0

    /// nil where the picture is too large to be held: it is decoded at once, when all of it is there.
    init?(_ picture: PNGPicture, data: PNGDataChunks) {
        do throws(ImageError) {
            let limits = picture.options.limits
            let total = PNGRows.byteCount(picture.data, try PNGSamples(picture.data, limits: limits))
            inflater = try PNGInflater([])
            rows = try PNGRows(picture.data, limits: limits, source: try PNGWindow(inflater, total: total))
            // Last, because rows that exceed the working memory are refused before the picture takes any.
            painter = try PNGPainter(try picture.makeWhole(zeroed: true), source: rows.format, limits: limits)
        } catch { return nil }
        self.picture = picture
        chunks = data
    }

    /// Every row is there.
    var hasAllRows: Bool { rows.place == nil }
    /// No check sum so far was wrong.
    var isSound: Bool { chunks.ending != .damaged }
    /// In the stored direction; rows that have not come are transparent, or repeat what is known of an interlaced picture.
    var buffer: PixelBuffer { painter.buffer }

    /// How many of the bytes were needed.
    func consumedBytes(of bytes: Bytes) -> Int { chunks.end(ofFirst: inflater.usedBytes, in: bytes) }

    /// Makes rows of what has come.
    mutating func advance(_ bytes: Bytes, stop: StopSignal) throws(ImageError) {
        for part in try chunks.read(bytes, limits: picture.options.limits) { inflater.append(part) }
        while let place = rows.place {
            if place.isCheckpoint { try stop.check() }
            guard try painter.paint(rows, at: place, fills: true) else { break }
            rowsDone += 1
        }
    }

    /// Makes all rows of the beginning of the bytes, reading no further than about as far as they need; false where
    /// something is missing or damaged.
    mutating func advanceToEnd(_ bytes: Bytes, stop: StopSignal) throws(ImageError) -> Bool {
        while !hasAllRows, chunks.ending == nil, chunks.offset < bytes.count {
            let end = min(bytes.count, chunks.offset + PNGWindow.piece)
            let before = chunks.offset
            try advance(bytes.slice(0..<end) ?? bytes, stop: stop)
            if chunks.offset == before { break }
        }
        return hasAllRows
    }
}
