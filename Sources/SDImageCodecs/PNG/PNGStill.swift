import SDImage

/// A still while its bytes arrive: rows from the top, or all of an interlaced picture, first in large blocks (spec COD-45).
struct PNGStill: PictureStream {
    private let options: DecodeOptions
    private var bytes = Bytes.empty
    private var progress: Progress?
    private var isFinished = false
    private var result: Image?
    private(set) var facts = StreamFacts()

    /// The decode between two pieces.
    private struct Progress {
        let picture: PNGPicture
        let inflater: PNGInflater
        let rows: PNGRows
        let painter: PNGPainter
        var chunks: PNGDataChunks
        var rowsDone = 0
        /// The last preview, of so many rows.
        var preview: (rows: Int, image: Image)?
    }

    init(_ options: DecodeOptions) { self.options = options }

    mutating func update(_ bytes: Bytes, isFinished: Bool) throws(ImageError) {
        guard !self.isFinished else { return }
        self.bytes = try bytes.kept()
        self.isFinished = isFinished
        guard progress == nil, facts.frameCount == 0, isFinished || PNGStill.hasHeader(bytes) else { return }
        let header = try PNGHeader(bytes)
        let picture = try PNGPicture(header, bytes, options: options)
        facts.size = picture.size
        facts.frameCount = 1
        if !isFinished { progress = PNGStill.begin(picture, data: header.data) }
    }

    mutating func image(stop: StopSignal) throws(ImageError) -> Image? {
        if let result { return result }
        guard isFinished else { return try preview(stop: stop) }
        let image = try finish(stop: stop)
        result = image
        progress = nil
        bytes = .empty
        return image
    }

    /// libpng reads a header that is there as a whole; to try before would be to do so with every piece.
    private static func hasHeader(_ bytes: Bytes) -> Bool {
        var chunks = PNGChunks(bytes)
        while chunks.next() != nil { if chunks.isAtData { return true } }
        return false
    }

    /// nil where the picture is too large to be held: it is decoded at once, when all of it is there.
    private static func begin(_ picture: PNGPicture, data: PNGDataChunks) -> Progress? {
        do throws(ImageError) {
            let limits = picture.options.limits
            let whole = try picture.makeWhole(zeroed: true)
            let total = PNGRows.byteCount(picture.data, try PNGSamples(picture.data, limits: limits))
            let inflater = try PNGInflater([])
            let rows = try PNGRows(picture.data, limits: limits, source: try PNGWindow(inflater, total: total))
            return Progress(
                picture: picture, inflater: inflater, rows: rows,
                painter: try PNGPainter(whole, source: rows.format, limits: limits), chunks: data)
        } catch { return nil }
    }

    /// Makes rows of what has come.
    private mutating func advance(stop: StopSignal) throws(ImageError) {
        guard var now = progress else { return }
        // A second owner would copy what is changed here.
        progress = nil
        defer { progress = now }
        for part in try now.chunks.read(bytes, limits: options.limits) { now.inflater.append(part) }
        while let place = now.rows.place {
            if place.isCheckpoint { try stop.check() }
            guard try now.painter.paint(now.rows, at: place, fills: true) else { break }
            now.rowsDone += 1
        }
    }

    private mutating func preview(stop: StopSignal) throws(ImageError) -> Image? {
        try advance(stop: stop)
        guard let now = progress, now.rowsDone > 0 else { return nil }
        if let preview = now.preview, preview.rows == now.rowsDone { return preview.image }
        let rows = now.picture.data.isInterlaced ? now.painter.buffer.size.height : now.rowsDone
        let pixels = try now.picture.preview(now.painter.buffer, rows: rows, stop: stop)
        let image = now.picture.image(pixels, isIncremental: true)
        progress?.preview = (now.rowsDone, image)
        return image
    }

    /// What one decode of all bytes gives: it is done wherever the rows that are there are not those that it would make.
    private mutating func finish(stop: StopSignal) throws(ImageError) -> Image {
        if progress != nil { try advance(stop: stop) }
        let header = try PNGHeader(bytes)
        let picture = try PNGPicture(header, bytes, options: options)
        facts.size = picture.size
        facts.frameCount = 1
        guard let now = progress, now.rows.place == nil, now.chunks.ending != .damaged,
            now.painter.buffer.format == picture.wholeFormat
        else { return try picture.decode(header, bytes, stop: stop) }
        return picture.image(try picture.finish(now.painter.buffer, stop: stop))
    }
}
