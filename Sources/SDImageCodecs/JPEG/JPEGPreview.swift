import SDImage

/// A JPEG that is decoded while it arrives: of files with one scan the rows as they come, of others a picture after each
/// scan.
final class JPEGPreview {
    private let file: JPEGFile
    /// Rows of a file with one scan; nil once all of them are in `image`. Each pass over several scans has a writer of its own.
    private var writer: ScanlineWriter?
    private var rows = 0
    private var scans = 0
    private var hasAllScans = false
    /// The picture as it was shown last.
    private(set) var image: Image?

    /// Throws while the header is not whole. Of `bytes` more may follow.
    init(_ bytes: Bytes, options: DecodeOptions, stop: StopSignal) throws(ImageError) {
        var options = options
        // What has not come is blank.
        options.acceptPartial = true
        options.earlyThumbnail = false
        file = try JPEGFile(try JPEGDecoder(growing: bytes), options: options, stop: stop)
        try file.picture.prepare()
        writer = file.picture.decoder.hasMultipleScans ? nil : try file.picture.makeWriter()
    }

    private var picture: JPEGPicture { file.picture }
    private var decoder: JPEGDecoder { file.picture.decoder }

    /// Of the pictures that are made.
    var size: PixelSize { file.size }

    /// All bytes so far.
    func feed(_ bytes: Bytes) { decoder.feed(bytes) }

    /// Decodes what has come.
    func advance(stop: StopSignal) throws(ImageError) {
        if decoder.hasMultipleScans { try advanceScans(stop: stop) } else { try advanceRows(stop: stop) }
    }

    private func advanceRows(stop: StopSignal) throws(ImageError) {
        guard var writer = writer.take() else { return }
        let next: Int
        do throws(ImageError) { next = try picture.read(from: rows, to: &writer, stop: stop) } catch {
            self.writer = consume writer
            throw error
        }
        if next > rows {
            rows = next
            // Frees the memory of the last image before the next is allocated.
            image = nil
            if picture.isWhole(rows: rows) {
                image = file.image(try writer.finish(), isIncremental: true)
                return
            }
            image = file.image(try writer.copy(), isIncremental: true)
        }
        self.writer = consume writer
    }

    private func advanceScans(stop: StopSignal) throws(ImageError) {
        let (whole, isAll) = try decoder.takeScans(stop: stop)
        guard whole > scans || (isAll && !hasAllScans) else { return }
        image = nil
        var writer = try picture.makeWriter()
        try decoder.beginPass()
        _ = try picture.read(from: 0, to: &writer, stop: stop)
        try decoder.endPass()
        image = file.image(try writer.finish(), isIncremental: true)
        (scans, hasAllScans) = (whole, isAll)
    }

    /// The finished picture, where it is the one that decoding all bytes at once gives.
    var finished: Image? {
        let isWhole = decoder.hasMultipleScans ? hasAllScans : picture.isWhole(rows: rows)
        guard isWhole, !decoder.isDamaged, !picture.isDraft, let image else { return nil }
        var metadata = image.metadata
        metadata.isIncremental = false
        return image.with(metadata)
    }
}
