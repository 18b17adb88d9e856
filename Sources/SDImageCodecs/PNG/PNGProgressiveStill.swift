import SDImage

/// Progressive decode of a still: rows from the top, or the whole of an interlaced image, first in large blocks.
/// `PNGProgressiveDecoder` owns it, under the lock of its `StreamDecoder`. `update` parses, `image` decodes.
struct PNGProgressiveStill: ImageStream {
    private let options: DecodeOptions
    private var bytes = Bytes.empty
    /// nil before the header has arrived, for images that cannot be held in memory, and once there is a result.
    private var progress: PNGPartialImage?
    /// The last preview and the number of rows that it was made from.
    private var preview: (rows: Int, image: Image)?
    private var isFinished = false
    /// Offset of the end of the chunks skipped so far on the way to the image data.
    private var searched = 8
    /// The final image.
    private var result: Image?
    private(set) var properties = StreamProperties()

    init(_ options: DecodeOptions) { self.options = options }

    mutating func update(_ bytes: Bytes, isFinished: Bool, stop: CancellationToken) throws(ImageError) {
        guard !self.isFinished, result == nil else { return }
        self.bytes = try bytes.copiedIfLent()
        self.isFinished = isFinished
        // The complete file reports a missing or damaged header.
        if progress == nil, properties.frameCount == 0, try isFinished ? true : hasHeader(bytes, stop) {
            let header = try PNGHeader(bytes)
            let decoder = try PNGDecoder(header, bytes, options: options, stop: stop)
            properties.size = decoder.size
            properties.frameCount = 1
            if !isFinished { progress = PNGPartialImage(decoder, data: header.data) }
        }
        // The only case in which `update` decodes: an early thumbnail makes further bytes unnecessary.
        if progress?.decoder.isEarly ?? false { try finishEarly(stop: stop) }
    }

    mutating func image(stop: CancellationToken) throws(ImageError) -> Image? {
        if let result { return result }
        return isFinished ? keep(try finish(stop: stop)) : try preview(stop: stop)
    }

    /// True when libpng can read the complete header; avoids an attempt with every piece of data.
    private mutating func hasHeader(_ bytes: Bytes, _ stop: CancellationToken) throws(ImageError) -> Bool {
        var chunks = PNGChunkReader(bytes, from: searched, stop: stop)
        while !chunks.isAtData { if try chunks.next() == nil { break } }
        searched = chunks.offset
        return chunks.isAtData
    }

    /// Decodes the rows received so far.
    private mutating func advance(stop: CancellationToken) throws(ImageError) {
        guard var now = progress else { return }
        // A second owner would cause a copy of the state changed here.
        progress = nil
        defer { progress = now }
        try now.advance(bytes, stop: stop)
    }

    /// Finishes a thumbnail that needs no more bytes.
    private mutating func finishEarly(stop: CancellationToken) throws(ImageError) {
        try advance(stop: stop)
        guard let now = progress, now.hasAllRows else { return }
        _ = keep(try now.decoder.finishEarly(now, bytes, stop: stop))
        properties.isSatisfied = true
    }

    /// Sets the result, and releases everything else.
    private mutating func keep(_ image: Image) -> Image {
        result = image
        (progress, preview) = (nil, nil)
        bytes = .empty
        return image
    }

    /// Returns an image of the rows so far; nil before the first.
    private mutating func preview(stop: CancellationToken) throws(ImageError) -> Image? {
        try advance(stop: stop)
        guard let now = progress, now.rowsDone > 0 else { return nil }
        if let preview, preview.rows == now.rowsDone { return preview.image }
        let rows = now.rowsFilled
        // Frees the memory of the last preview before the next is allocated.
        preview = nil
        let pixels = try now.decoder.preview(now.buffer, rows: rows, stop: stop)
        let image = try now.decoder.image(
            pixels, isIncremental: true, hasMissingRows: rows < now.buffer.size.height, stop: stop)
        preview = (now.rowsDone, image)
        return image
    }

    /// Returns the same result as decoding all bytes at once; decodes again if the available rows would differ from it.
    private mutating func finish(stop: CancellationToken) throws(ImageError) -> Image {
        preview = nil
        if progress != nil { try advance(stop: stop) }
        let header = try PNGHeader(bytes)
        let decoder = try PNGDecoder(header, bytes, options: options, stop: stop)
        properties.size = decoder.size
        properties.frameCount = 1
        // Chunks after the image data may have changed color or orientation, and with them the format.
        guard let now = progress, now.hasAllRows, now.isSound, now.buffer.format == decoder.wholeFormat else {
            progress = nil
            return try decoder.decode(header, bytes, stop: stop)
        }
        return try decoder.image(try decoder.finish(now.buffer, stop: stop), stop: stop)
    }
}
