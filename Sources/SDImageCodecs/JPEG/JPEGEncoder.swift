import SDImage

/// Writes an image as JPEG. Holds everything that is independent of the quality, because a maximum file size needs several
/// attempts. Runs on the thread of the encode; `JPEGParallelEncoder` adds an idle worker.
struct JPEGEncoder {
    /// Effort from which Huffman codes are optimized for the image: takes a second pass and saves a few per cent.
    static let effortForOwnCodes = 5

    private let image: Image
    private let options: EncodeOptions
    private let stop: CancellationToken
    /// Segments after JFIF, in order: EXIF, XMP, profile, additional ones.
    private let markers: [(marker: Int32, bytes: Bytes)]

    /// `additional`: further markers, after those of the metadata.
    init(
        _ image: Image, options: EncodeOptions, additional: [(marker: Int32, bytes: Bytes)] = [], stop: CancellationToken
    ) throws(ImageError) {
        guard !options.isLossless else { throw ImageError(.unsupported, "jpeg: lossless encoding is not available") }
        guard max(image.size.width, image.size.height) <= JPEGRowEncoder.longestSide else {
            throw .tooLarge(
                "jpeg: longer side of \(image.size.width)x\(image.size.height) pixels", limit: JPEGRowEncoder.longestSide)
        }
        // JPEG has profiles, but no code points and no range above white.
        let image = try image.withoutCodePoints(stop: stop).inStandardRange()
        self.image = image
        self.options = options
        self.stop = stop
        markers = try JPEGEncoder.markers(image, options, stop) + additional
    }

    /// Encodes with the quality of the options, or the highest that keeps their maximum file size.
    func encode(pool: () -> WorkPool? = WorkPool.idle) throws(ImageError) -> Bytes {
        try options.keepingFileSize { quality throws(ImageError) in try encode(quality: quality, pool: pool) }
    }

    private func encode(quality: Double, pool: () -> WorkPool?) throws(ImageError) -> Bytes {
        let source = try JPEGRowSource(image, background: options.background)
        var parameters = JPEGRowEncoder.Parameters(size: image.size, rows: source.rows, quality: Int((quality * 100).rounded()))
        parameters.chroma = options.chroma
        parameters.isProgressive = options.isProgressive
        parameters.hasOwnCodes = options.effort ?? 0 >= JPEGEncoder.effortForOwnCodes
        parameters.hasRestarts = options.restartMarkers
        parameters.account = options.account
        if let halves = JPEGParallelEncoder(parameters, image, background: options.background, stop: stop, pool: pool) {
            return try halves.encode(source, markers: markers)
        }
        let encoder = try JPEGEncoder.start(parameters, markers)
        try encoder.encode(source, rows: 0..<image.size.height, stop: stop)
        return try encoder.output.finish()
    }

    /// Opens an encoder and writes its markers; the rows come next.
    static func start(
        _ parameters: JPEGRowEncoder.Parameters, _ markers: [(marker: Int32, bytes: Bytes)]
    ) throws(ImageError) -> JPEGRowEncoder {
        let encoder = try JPEGRowEncoder(parameters)
        for (marker, bytes) in markers { try encoder.writeMarker(marker, bytes) }
        return encoder
    }

    // MARK: Markers

    private static let exifLabel = Array("Exif\0\0".utf8)
    private static let packetLabel = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
    /// Bytes of an XMP packet that fit a marker segment.
    static let longestPacket = JPEGRowEncoder.markerBytes - packetLabel.count
    private static let profileLabel = Array("ICC_PROFILE\0".utf8)

    private static func markers(
        _ image: Image, _ options: EncodeOptions, _ stop: CancellationToken
    ) throws(ImageError) -> [(marker: Int32, bytes: Bytes)] {
        var markers: [(marker: Int32, bytes: Bytes)] = []
        if let exif = try exif(image, options, stop) { markers.append((0xE1, try labeled(exifLabel, exif))) }
        if let xmp = options.xmp { markers.append((0xE1, try labeled(packetLabel, xmp))) }
        for piece in try pieces(image.metadata.colorProfile) { markers.append((0xE2, piece)) }
        return markers
    }

    /// Returns the EXIF block of the options, or a new one; nil if nothing is to be stored.
    private static func exif(
        _ image: Image, _ options: EncodeOptions, _ stop: CancellationToken
    ) throws(ImageError) -> Bytes? {
        let writer = try ExifWriter(options.exif, orientation: image.metadata.orientation)
        guard options.embedsThumbnail else { return try writer.block() }
        // Block and preview share one segment.
        let room = JPEGRowEncoder.markerBytes - exifLabel.count - writer.givenBytes - ExifWriter.overhead
        return try writer.block(preview: try preview(image, options, room: room, stop))
    }

    /// Encodes the preview from the pixels as stored: readers rotate it like the image.
    /// `room` is the number of bytes left in the segment.
    private static func preview(
        _ image: Image, _ options: EncodeOptions, room: Int, _ stop: CancellationToken
    ) throws(ImageError) -> Bytes {
        let small = try image.preview(stop: stop)
        var plain = EncodeOptions()
        plain.background = options.background
        // A marker segment holds less than 64 KiB, so a detailed preview needs a lower quality.
        for quality in [0.8, 0.6, 0.4, 0.2, 0] {
            plain.quality = quality
            let file = try JPEGEncoder(small, options: plain, stop: stop).encode(pool: { nil })
            if file.count <= room { return file }
        }
        throw ImageError(.tooLarge, "jpeg: no thumbnail fits beside the EXIF block (limit \(room) bytes)")
    }

    /// Returns the content of a marker segment; throws `tooLarge` if the block does not fit into one.
    private static func labeled(_ label: [UInt8], _ block: Bytes) throws(ImageError) -> Bytes {
        guard block.count <= JPEGRowEncoder.markerBytes - label.count else {
            throw .tooLarge("jpeg: metadata block of \(block.count) bytes", limit: JPEGRowEncoder.markerBytes - label.count)
        }
        let output = try OutputBytes(expecting: label.count + block.count)
        try output.append(label)
        try output.append(block)
        return try output.finish()
    }

    /// Splits a profile into numbered pieces, at most 255 of them (ICC.1:2010, B.4).
    private static func pieces(_ profile: Bytes?) throws(ImageError) -> [Bytes] {
        guard let profile, !profile.isEmpty else { return [] }
        // Each piece follows the label, its number and the number of pieces.
        let size = JPEGRowEncoder.markerBytes - profileLabel.count - 2
        let count = (profile.count + size - 1) / size
        // Number and count have one byte each.
        guard count <= 255 else { throw .tooLarge("jpeg: color profile of \(profile.count) bytes", limit: size * 255) }
        var pieces: [Bytes] = []
        for index in 0..<count {
            guard let piece = profile.slice(index * size..<min(profile.count, (index + 1) * size)) else { continue }
            pieces.append(try labeled(profileLabel + [UInt8(clamping: index + 1), UInt8(clamping: count)], piece))
        }
        return pieces
    }
}

extension JPEGRowEncoder {
    /// Encodes all rows of this file, which are a range of the source's rows, and ends the file. `check` is called every 16 rows
    /// and ends the encode by throwing.
    func encode(
        _ source: JPEGRowSource, rows: Range<Int>, stop: CancellationToken, check: () throws(ImageError) -> Void = {}
    ) throws(ImageError) {
        var pointers: [UnsafePointer<UInt8>?] = unsafe []
        for y in stride(from: rows.lowerBound, to: rows.upperBound, by: JPEGRowSource.rowsAtOnce) {
            try stop.check()
            try check()
            unsafe source.replace(&pointers, with: y..<min(rows.upperBound, y + JPEGRowSource.rowsAtOnce))
            unsafe try write(pointers)
        }
        try finish(stop: stop)
    }
}
