import SDImage

/// Progressive decode of a JPEG: rows as they arrive for files with one scan, otherwise an image after each scan.
///
/// `JPEGProgressiveDecoder` owns it, under the lock of its `StreamDecoder`. libjpeg suspends where bytes are missing and resumes
/// there, so nothing is decoded twice in a file with one scan.
final class JPEGPartialImage {
    private let decoder: JPEGDecoder
    /// Format of the finished image. Images with missing rows may have alpha.
    private let wholeFormat: PixelFormat
    /// Writer of a file with one scan; nil once `image` contains all rows. For several scans, each pass has its own writer.
    private var writer: ScanlineWriter?
    /// Number of rows passed to `writer`.
    private var rows = 0
    /// Number of complete scans in `image`.
    private var scans = 0
    /// True when `image` contains all scans of the file.
    private var hasAllScans = false
    /// The latest partial image.
    private(set) var image: Image?

    /// Throws while the header is incomplete. More bytes may follow `bytes`.
    /// Early thumbnails are decoded by `JPEGProgressiveDecoder`.
    init(_ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) {
        var options = options
        // Rows that have not arrived are blank.
        options.acceptPartial = true
        options.earlyThumbnail = false
        let rows = try JPEGRowDecoder(growing: bytes)
        wholeFormat = options.outputFormat(of: rows.kind == .gray ? .gray8 : .rgb8)
        // Several scans have no missing rows.
        if !rows.hasMultipleScans { options.pixelFormat = options.partialFormat(of: wholeFormat) }
        decoder = try JPEGDecoder(rows, options: options, stop: stop)
        try decoder.prepare()
        writer = decoder.rowDecoder.hasMultipleScans ? nil : try decoder.makeWriter()
    }

    private var rowDecoder: JPEGRowDecoder { decoder.rowDecoder }

    /// Size of the decoded images.
    var size: PixelSize { decoder.size }

    /// Passes all bytes so far.
    func feed(_ bytes: Bytes) { rowDecoder.feed(bytes) }

    /// Decodes the bytes received so far.
    func advance(stop: CancellationToken) throws(ImageError) {
        if rowDecoder.hasMultipleScans { try advanceScans(stop: stop) } else { try advanceRows(stop: stop) }
    }

    /// Decodes further rows. The image is final when the last one has arrived.
    private func advanceRows(stop: CancellationToken) throws(ImageError) {
        // The writer is not copyable: it leaves the property, and returns to it unless the image is complete.
        guard var writer = writer.take() else { return }
        let next: Int
        do throws(ImageError) { next = try decoder.read(from: rows, to: &writer, stop: stop) } catch {
            self.writer = consume writer
            throw error
        }
        if next > rows {
            rows = next
            // Frees the memory of the last image before the next is allocated.
            image = nil
            if decoder.isWhole(rows: rows) {
                image = decoder.image(try writer.finish(), isIncremental: true)
                return
            }
            image = decoder.image(try writer.copy(), isIncremental: true, hasMissingRows: true)
        }
        self.writer = consume writer
    }

    /// Makes an image of the complete scans; keeps the latest one if no further scan is complete.
    private func advanceScans(stop: CancellationToken) throws(ImageError) {
        let (whole, isAll) = try rowDecoder.takeScans(stop: stop)
        guard whole > scans || (isAll && !hasAllScans) else { return }
        image = nil
        var writer = try decoder.makeWriter()
        // Each pass starts at row 0, and converts all coefficients so far.
        try rowDecoder.beginPass()
        _ = try decoder.read(from: 0, to: &writer, stop: stop)
        try rowDecoder.endPass()
        image = decoder.image(try writer.finish(), isIncremental: true)
        (scans, hasAllScans) = (whole, isAll)
    }

    /// The finished image; nil unless it equals the result of decoding all bytes at once.
    var finished: Image? {
        let isWhole = rowDecoder.hasMultipleScans ? hasAllScans : decoder.isWhole(rows: rows)
        // A decode of the whole file reports damage, and makes small thumbnails of DC coefficients.
        guard isWhole, !rowDecoder.isDamaged, !decoder.isDCThumbnail, let image else { return nil }
        guard let converted = try? image.converted(to: wholeFormat) else { return nil }
        var metadata = converted.metadata
        metadata.isIncremental = false
        return converted.with(metadata)
    }
}
