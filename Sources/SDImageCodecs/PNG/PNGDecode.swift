import SDImage

/// One decode: from the compressed data to the finished buffer.
struct PNGDecode {
    /// The image data, including its parts.
    let data: PNGImageData
    let coded: PNGImage
    let stop: CancellationToken
    var pool: () -> WorkPool? = WorkPool.idle

    private var options: DecodeOptions { coded.options }

    func decode() throws(ImageError) -> PixelBuffer {
        let samples = try PNGSamples(data, limits: options.limits)
        let total = PNGRows.byteCount(data, samples)
        let inflater = try PNGInflater(data.parts)
        let pipeline = try PNGPipeline(inflater, total: total, pool: pool)
        defer { pipeline?.end() }
        let source: any PNGByteSource = if let pipeline { pipeline } else { try PNGWindow(inflater, total: total) }
        let rows = try PNGRows(data, limits: options.limits, source: source)
        return data.isInterlaced ? try decodePasses(rows) : try decodeRows(rows)
    }

    /// Throws for errors after the last row. Data may end there, because every pixel is decoded.
    private func checkEnding() throws(ImageError) {
        guard data.ending != .damaged || options.acceptPartial else { throw ImageError(.badData, "png: chunk has a wrong CRC") }
    }

    // MARK: Top to bottom

    private func decodeRows(_ rows: PNGRows) throws(ImageError) -> PixelBuffer {
        var writer = try coded.makeWriter(rows.format)
        let isDirect = unsafe writer.directRow(0) != nil
        let count = data.size.width * rows.format.bytesPerPixel
        while let position = rows.position {
            if position.isCheckpoint { try stop.check() }
            guard let row = unsafe rows.next(into: isDirect ? writer.directRow(position.y)?.baseAddress : nil) else {
                // A partial image has at least one row.
                guard options.acceptPartial, position.row > 0 else { throw rows.missing }
                return try writer.finish()
            }
            if !isDirect { unsafe try writer.write(UnsafeRawBufferPointer(start: row, count: count)) }
        }
        try checkEnding()
        return try writer.finish()
    }

    // MARK: Interlaced

    /// Decodes Adam7 passes. Each pass is scattered over the whole image, which must therefore be held in memory.
    private func decodePasses(_ rows: PNGRows) throws(ImageError) -> PixelBuffer {
        let whole = try coded.makeWhole(zeroed: options.acceptPartial)
        try paint(rows, PNGPainter(whole, source: rows.format, limits: options.limits))
        return try coded.finish(whole, stop: stop)
    }

    private func paint(_ rows: PNGRows, _ painter: PNGPainter) throws(ImageError) {
        var isEmpty = true
        while let position = rows.position {
            if position.isCheckpoint { try stop.check() }
            guard try painter.paint(rows, at: position, fills: options.acceptPartial) else {
                guard options.acceptPartial, !isEmpty else { throw rows.missing }
                return
            }
            isEmpty = false
        }
        try checkEnding()
    }
}
