import SDImage

/// Decodes the first frame of every format of the core. It takes over when the coder of an animated format was unregistered
/// (docs/decisions.md, "Coders that are registered"). Stateless: any number of threads may call it.
package final class BasicCoder: ImageCoder {
    private let coders: [any ImageCoder]

    /// `coders` decode one format each.
    package init(_ coders: [any ImageCoder]) { self.coders = coders }

    package var name: String { "basic" }
    package var libraryVersion: String { "" }
    package var decodableFormats: [ImageFormat] { coders.flatMap(\.decodableFormats) }
    package var encodableFormats: [ImageFormat] { coders.flatMap(\.encodableFormats) }

    package func canDecode(_ bytes: Bytes) -> Bool { coders.contains { $0.canDecode(bytes) } }

    /// The properties of the file, with all its frames.
    package func info(_ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> ImageInfo {
        try coder(for: bytes, options).info(bytes, options: options, stop: stop)
    }

    package func decode(_ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> Image {
        try coder(for: bytes, options).decode(bytes, options: BasicCoder.still(options), stop: stop)
    }

    /// The format is not known yet: the decoder chooses a coder with the first bytes.
    package func open(options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> (any ImageDecoder)? {
        StreamDecoder(BasicStream(self, options: BasicCoder.still(options)))
    }

    /// Encodes only the first frame.
    package func encode(
        _ image: Image, format: ImageFormat, options: EncodeOptions, stop: CancellationToken
    ) throws(ImageError) -> Bytes {
        guard let coder = coders.first(where: { $0.canEncode(format) }) else {
            throw ImageError(.unsupported, "\(name): cannot encode \(format.name)")
        }
        return try coder.encode(image.frames == nil ? image : image.still, format: format, options: options, stop: stop)
    }

    /// Returns the coder that recognizes the bytes, or the one for the format named by the caller.
    func coder(for bytes: Bytes, _ options: DecodeOptions) throws(ImageError) -> any ImageCoder {
        if let coder = coders.first(where: { $0.canDecode(bytes) }) { return coder }
        if let coder = coders.first(where: { $0.decodableFormats.contains(options.formatHint) }) { return coder }
        throw ImageError(.notAnImage, "decoder: no coder recognizes the bytes")
    }

    /// The options for the first frame alone.
    private static func still(_ options: DecodeOptions) -> DecodeOptions {
        var options = options
        options.firstFrameOnly = true
        return options
    }
}

/// Progressive decode of an image whose coder is chosen by its first bytes. Used under the lock of its `StreamDecoder`.
private struct BasicStream: ImageStream {
    private let coder: BasicCoder
    private let options: DecodeOptions
    /// The decoder of the chosen coder; nil before the first bytes.
    private var chosen: (any ImageDecoder)?

    init(_ coder: BasicCoder, options: DecodeOptions) {
        self.coder = coder
        self.options = options
    }

    var properties: StreamProperties {
        var properties = StreamProperties()
        properties.size = chosen?.size ?? properties.size
        // At most one frame: this coder does not animate.
        properties.frameCount = min(chosen?.frameCount ?? 0, 1)
        properties.isSatisfied = chosen?.isSatisfied ?? false
        return properties
    }

    mutating func update(_ bytes: Bytes, isFinished: Bool, stop: CancellationToken) throws(ImageError) {
        if chosen == nil {
            let coder = try coder.coder(for: bytes, options)
            // Coders without progressive decoding decode the complete bytes.
            chosen = try coder.open(options: options, stop: stop) ?? coder.whole(options: options)
        }
        try chosen?.update(bytes, isFinished: isFinished, stop: stop)
    }

    mutating func image(stop: CancellationToken) throws(ImageError) -> Image? { try chosen?.image(stop: stop) }
}
