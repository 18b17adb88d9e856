import SDImage

/// Progressive decode of a WebP still: decoded rows from the top, the rest transparent.
struct WebPStill: PictureStream {
    private let options: DecodeOptions
    private var bytes = Bytes.empty
    private var picture: WebPPicture?
    private var progress: Progress?
    private var isFinished = false
    private var headerGate = GrowthGate()
    private var result: Image?
    private(set) var properties = StreamProperties()

    /// The decoder state between two pieces of data.
    private struct Progress {
        let buffer: PixelBuffer
        let rows: WebPRows

        var layout: WebPPicture.Layout { WebPPicture.Layout(size: buffer.size, format: buffer.format) }
    }

    init(_ options: DecodeOptions) { self.options = options }

    mutating func update(_ bytes: Bytes, isFinished: Bool, stop: StopSignal) throws(ImageError) {
        guard !self.isFinished, !properties.isSatisfied else { return }
        self.bytes = try bytes.copiedIfLent()
        self.isFinished = isFinished
        // The orientation comes last in the file.
        guard picture == nil && headerGate.opens(at: bytes.count) || isFinished else { return }
        do throws(ImageError) {
            let stream = try WebPStream(bytes)
            let picture = try WebPPicture(stream, options: options)
            self.picture = picture
            properties.size = picture.size
            properties.frameCount = 1
        } catch {
            // The bitstream header may contradict the one of the container, which is damage and not a violation of limits.
            if isFinished || error.status != .truncated && WebPChunkWalk.reachesPicture(bytes) { throw error }
        }
    }

    mutating func image(stop: StopSignal) throws(ImageError) -> Image? {
        if let result { return result }
        guard let picture else { return nil }
        if !isFinished, let progress = try advance(picture, stop: stop) {
            // A file without VP8X has nothing after the bitstream.
            properties.isSatisfied = progress.rows.isComplete && !bytes.reader.matches("VP8X", at: 12)
            guard properties.isSatisfied else {
                let rows = progress.rows.rows
                return rows > 0 ? try picture.preview(progress.buffer, rows: rows, stop: stop) : nil
            }
        }
        let image = try finish(picture, stop: stop)
        result = image
        progress = nil
        return image
    }

    private mutating func advance(_ picture: WebPPicture, stop: StopSignal) throws(ImageError) -> Progress? {
        if progress == nil {
            let buffer = try picture.buffer(picture.layout)
            progress = Progress(buffer: buffer, rows: try picture.rows(into: buffer))
        }
        try progress?.rows.feed(bytes, stop: stop)
        return progress
    }

    /// Returns the same result as decoding all bytes at once; continues with the available rows if they match it.
    private func finish(_ picture: WebPPicture, stop: StopSignal) throws(ImageError) -> Image {
        guard let progress, !picture.isDoubtful, !picture.hasPlanes, progress.layout == picture.layout else {
            return try picture.read(bytes, stop: stop)
        }
        try progress.rows.feed(bytes, stop: stop)
        let rows = try progress.rows.finish(tolerant: options.acceptPartial)
        return try picture.finish(progress.buffer, rows: rows, stop: stop)
    }
}
