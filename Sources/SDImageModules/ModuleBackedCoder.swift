import SDImage

/// A coder whose work is done by the coder in a module, which is opened by the first call. Isolated operations open it in the
/// worker instead, by its path (`CoderName`).
protocol ModuleBackedCoder: ImageCoder {
    /// The formats that the module may decode or encode, known without opening it.
    var formats: [ImageFormat] { get }
    var module: Module { get }
}

extension ModuleBackedCoder {
    package var origin: CoderOrigin { .module(path: module.path) }
    package var isRisky: Bool { true }

    /// The version of the library, or the reason why there is none.
    package var libraryVersion: String { module.report }

    /// Empty before the module is opened: the formats that it encodes depend on the libraries that it finds.
    package var encodableFormats: [ImageFormat] { module.opened.map { coder in formats.filter(coder.canEncode) } ?? [] }

    package func info(_ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> ImageInfo {
        try module.coder().info(bytes, options: options, stop: stop)
    }

    package func decode(_ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> Image {
        try module.coder().decode(bytes, options: options, stop: stop)
    }

    package func open(options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> (any ImageDecoder)? {
        try module.coder().open(options: options, stop: stop)
    }

    package func encode(
        _ image: Image, format: ImageFormat, options: EncodeOptions, stop: CancellationToken
    ) throws(ImageError) -> Bytes {
        try module.coder().encode(image, format: format, options: options, stop: stop)
    }
}
