import SDImage

/// Windows icons and cursors. Decodes the image in the file that best matches the requested size.
///
/// - Header: `ICODirectory` lists the images by the headers of the images themselves (`ICOEntry`).
/// - Rows: a PNG is an `EmbeddedImage`; a bitmap is decoded by `BMPDecoder`, with `ICOMask` for transparency.
/// - Progressive: none; the image is decoded when it is complete (`WholeStream`). Everything runs on the calling thread.
package final class ICOCoder: ImageCoder {
    package init() {}

    package var name: String { "ico" }
    package var libraryVersion: String { "built in" }
    package var decodableFormats: [ImageFormat] { [.ico] }
    package var encodableFormats: [ImageFormat] { [.ico] }

    package func canDecode(_ bytes: Bytes) -> Bool { FormatSniffer.format(of: bytes) == .ico }

    /// Returns the properties of the largest image.
    package func info(_ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> ImageInfo {
        try firstGood(ICODirectory(bytes, limits: options.limits, stop: stop).ordered(for: nil), stop) {
            entry throws(ImageError) in
            switch entry.content {
            case .png: return try EmbeddedImage(png: entry.bytes).info(format: .ico, options: options, stop: stop)
            case .bitmap(let header):
                var info = header.info(entry.bytes, limits: options.limits)
                info.format = .ico
                // Transparency comes from the mask, which the header does not describe.
                info.hasAlpha = true
                info.channels = 4
                return info
            }
        }
    }

    package func decode(_ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> Image {
        let box = options.wantsThumbnail && options.limitBytes == 0 ? options.thumbnailSize : nil
        let entries = try ICODirectory(bytes, limits: options.limits, stop: stop).ordered(for: box)
        return try firstGood(entries, stop) { entry throws(ImageError) in
            switch entry.content {
            case .png: return try EmbeddedImage(png: entry.bytes).decode(format: .ico, options: options, stop: stop)
            case .bitmap(let header):
                return try BMPDecoder(entry.bytes, header, isIcon: true, options: options, stop: stop).decode(format: .ico)
            }
        }
    }

    package func encode(
        _ image: Image, format: ImageFormat, options: EncodeOptions, stop: CancellationToken
    ) throws(ImageError) -> Bytes {
        try options.refuseGainMap(format)
        return try ICOEncoder(options, stop: stop).encode(image)
    }

    /// Number of entries tried before the file counts as damaged.
    private static let mostTries = 8

    /// Returns the first success. A damaged image is replaced by the next best one; limits and cancellation are final.
    private func firstGood<R>(
        _ entries: [ICOEntry], _ stop: CancellationToken, _ body: (ICOEntry) throws(ImageError) -> R
    ) throws(ImageError) -> R {
        var failure: ImageError?
        for entry in entries.prefix(ICOCoder.mostTries) {
            try stop.check()
            do throws(ImageError) { return try body(entry) } catch {
                guard [.badData, .truncated, .unsupported].contains(error.status) else { throw error }
                failure = failure ?? error
            }
        }
        throw failure ?? ImageError(.badData, "ico: directory has no entry")
    }
}
