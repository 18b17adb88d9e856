import SDImage

/// Progressive decode of a WebP still: decoded rows from the top, the rest transparent. `WebPProgressiveDecoder` owns it, under
/// the lock of its `StreamDecoder`. `update` parses, `image` decodes.
struct WebPProgressiveStill: ImageStream {
    private let options: DecodeOptions
    private var bytes = Bytes.empty
    /// nil before the header has arrived.
    private var decoder: WebPDecoder?
    /// nil before the first call of `image`, and once there is a result.
    private var partial: PartialImage?
    private var isFinished = false
    /// Limits the attempts to read the header.
    private var headerGate = GrowthGate()
    /// The final image.
    private var result: Image?
    private(set) var properties = StreamProperties()

    /// The decoder state between two pieces of data.
    private struct PartialImage {
        let buffer: PixelBuffer
        let rows: WebPRowDecoder

        var layout: WebPDecoder.Layout { WebPDecoder.Layout(size: buffer.size, format: buffer.format) }
    }

    init(_ options: DecodeOptions) { self.options = options }

    mutating func update(_ bytes: Bytes, isFinished: Bool, stop: CancellationToken) throws(ImageError) {
        guard !self.isFinished, !properties.isSatisfied else { return }
        self.bytes = try bytes.copiedIfLent()
        self.isFinished = isFinished
        // The orientation comes last in the file.
        guard decoder == nil && headerGate.opens(at: bytes.count) || isFinished else { return }
        do throws(ImageError) {
            let container = try WebPContainer(bytes, stop: stop)
            let decoder = try WebPDecoder(container, options: options)
            self.decoder = decoder
            properties.size = decoder.size
            properties.frameCount = 1
        } catch {
            // The bitstream header may contradict the one of the container, which is damage and not a violation of limits.
            if isFinished || error.status != .truncated && WebPChunkReader.reachesImage(bytes) { throw error }
        }
    }

    mutating func image(stop: CancellationToken) throws(ImageError) -> Image? {
        if let result { return result }
        guard let decoder else { return nil }
        if !isFinished, let partial = try advance(decoder, stop: stop) {
            // A file without VP8X has nothing after the bitstream.
            properties.isSatisfied = partial.rows.isComplete && !bytes.reader.matches("VP8X", at: 12)
            guard properties.isSatisfied else {
                let rows = partial.rows.rows
                return rows > 0 ? try decoder.preview(partial.buffer, rows: rows, stop: stop) : nil
            }
        }
        let image = try finish(decoder, stop: stop)
        result = image
        partial = nil
        return image
    }

    /// Decodes the rows received so far.
    private mutating func advance(_ decoder: WebPDecoder, stop: CancellationToken) throws(ImageError) -> PartialImage? {
        if partial == nil {
            let buffer = try decoder.buffer(decoder.layout)
            partial = PartialImage(buffer: buffer, rows: try decoder.rows(into: buffer))
        }
        try partial?.rows.feed(bytes, stop: stop)
        return partial
    }

    /// Returns the same result as decoding all bytes at once; continues with the available rows if they match it.
    private func finish(_ decoder: WebPDecoder, stop: CancellationToken) throws(ImageError) -> Image {
        // Metadata after the image may have changed the plan, and some images are decoded in another way when they are complete.
        guard let partial, !decoder.isDoubtful, !decoder.hasPlanes, partial.layout == decoder.layout else {
            return try decoder.read(bytes, stop: stop)
        }
        do throws(ImageError) { try partial.rows.feed(bytes, stop: stop) } catch {
            // libwebp may refuse damaged data in pieces that it decodes as a whole.
            guard partial.rows.isDamaged else { throw error }
            return try decoder.read(bytes, stop: stop)
        }
        let rows = try partial.rows.finish(tolerant: options.acceptPartial)
        return try decoder.finish(partial.buffer, rows: rows, stop: stop)
    }
}
