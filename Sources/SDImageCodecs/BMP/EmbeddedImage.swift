import SDImage

/// A PNG or JPEG inside a bitmap or an icon. Its own header determines the properties, and it is always a still. `BMPCoder` and
/// `ICOCoder` pass decodes through it.
struct EmbeddedImage {
    /// The embedded file, up to the end of the outer one.
    private let bytes: Bytes
    private let coder: any ImageCoder

    /// A complete PNG, as stored in icons.
    init(png bytes: Bytes) {
        self.bytes = bytes
        coder = PNGCoder()
    }

    /// The PNG or JPEG in the data of a bitmap; nil when the data are pixels.
    init?(_ bytes: Bytes, _ header: BMPHeader) throws(ImageError) {
        switch header.packing {
        case .rows, .runs: return nil
        case .jpeg: coder = JPEGCoder()
        case .png: coder = PNGCoder()
        }
        guard header.data < bytes.count, let inner = bytes.slice(header.data..<bytes.count) else { throw .bitmapEndsEarly }
        guard coder.canDecode(inner) else { throw ImageError(.badData, "bmp: embedded image is not \(coder.name)") }
        self.bytes = inner
    }

    /// `format` is that of the outer file.
    func info(format: ImageFormat, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> ImageInfo {
        var info = try coder.info(bytes, options: options, stop: stop)
        info.format = format
        info.frameCount = 1
        info.loopCount = 0
        info.durationMilliseconds = 0
        return info
    }

    /// Decodes the still with the coder of its own format; the result has that of the outer file.
    func decode(format: ImageFormat, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> Image {
        var options = options
        options.firstFrameOnly = true
        let image = try coder.decode(bytes, options: options, stop: stop).still
        var metadata = image.metadata
        metadata.format = format
        return image.with(metadata)
    }
}
