import SDImage

/// Progressive decode of a WebP still: decoded rows from the top, the rest transparent.
struct WebPStill: ImageStream {
    private let options: DecodeOptions
    private var bytes = Bytes.empty
    private var coded: WebPImage?
    private var progress: Progress?
    private var isFinished = false
    private var headerGate = GrowthGate()
    private var result: Image?
    private(set) var properties = StreamProperties()

    /// The decoder state between two pieces of data.
    private struct Progress {
        let buffer: PixelBuffer
        let rows: WebPRows

        var layout: WebPImage.Layout { WebPImage.Layout(size: buffer.size, format: buffer.format) }
    }

    init(_ options: DecodeOptions) { self.options = options }

    mutating func update(_ bytes: Bytes, isFinished: Bool, stop: CancellationToken) throws(ImageError) {
        guard !self.isFinished, !properties.isSatisfied else { return }
        self.bytes = try bytes.copiedIfLent()
        self.isFinished = isFinished
        // The orientation comes last in the file.
        guard coded == nil && headerGate.opens(at: bytes.count) || isFinished else { return }
        do throws(ImageError) {
            let stream = try WebPStream(bytes)
            let coded = try WebPImage(stream, options: options)
            self.coded = coded
            properties.size = coded.size
            properties.frameCount = 1
        } catch {
            // The bitstream header may contradict the one of the container, which is damage and not a violation of limits.
            if isFinished || error.status != .truncated && WebPChunkWalk.reachesImage(bytes) { throw error }
        }
    }

    mutating func image(stop: CancellationToken) throws(ImageError) -> Image? {
        if let result { return result }
        guard let coded else { return nil }
        if !isFinished, let progress = try advance(coded, stop: stop) {
            // A file without VP8X has nothing after the bitstream.
            properties.isSatisfied = progress.rows.isComplete && !bytes.reader.matches("VP8X", at: 12)
            guard properties.isSatisfied else {
                let rows = progress.rows.rows
                return rows > 0 ? try coded.preview(progress.buffer, rows: rows, stop: stop) : nil
            }
        }
        let image = try finish(coded, stop: stop)
        result = image
        progress = nil
        return image
    }

    private mutating func advance(_ coded: WebPImage, stop: CancellationToken) throws(ImageError) -> Progress? {
        if progress == nil {
            let buffer = try coded.buffer(coded.layout)
            progress = Progress(buffer: buffer, rows: try coded.rows(into: buffer))
        }
        try progress?.rows.feed(bytes, stop: stop)
        return progress
    }

    /// Returns the same result as decoding all bytes at once; continues with the available rows if they match it.
    private func finish(_ coded: WebPImage, stop: CancellationToken) throws(ImageError) -> Image {
        guard let progress, !coded.isDoubtful, !coded.hasPlanes, progress.layout == coded.layout else {
            return try coded.read(bytes, stop: stop)
        }
        try progress.rows.feed(bytes, stop: stop)
        let rows = try progress.rows.finish(tolerant: options.acceptPartial)
        return try coded.finish(progress.buffer, rows: rows, stop: stop)
    }
}
