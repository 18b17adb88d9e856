/// Stream of a coder that requires the complete data: no image before that, then the result of one decode.
/// Made by `ImageCoder.whole`, for coders without progressive decoding.
struct WholeStream: ImageStream {
    private let coder: any ImageCoder
    private let options: DecodeOptions
    /// nil before the last bytes.
    private var result: Image?
    private(set) var properties = StreamProperties()

    init(_ coder: any ImageCoder, _ options: DecodeOptions) {
        self.coder = coder
        self.options = options
    }

    /// Errors of the decode are thrown with the last bytes.
    mutating func update(_ bytes: Bytes, isFinished: Bool, stop: CancellationToken) throws(ImageError) {
        guard isFinished, result == nil else { return }
        let decoded = try coder.decode(bytes, options: options, stop: stop)
        result = decoded
        properties.size = decoded.size
        properties.frameCount = decoded.metadata.frameCount
        properties.loopCount = decoded.metadata.loopCount
        guard let frames = decoded.frames else { return }
        properties.durations = (0..<frames.frameCount).map { Int32(clamping: frames.durationMilliseconds(at: $0)) }
    }

    mutating func image(stop: CancellationToken) throws(ImageError) -> Image? { result }

    mutating func frame(at index: Int, isCached: Bool, stop: CancellationToken) throws(ImageError) -> CachedFrame {
        guard let result else { throw .noFrame(index, of: 0) }
        guard isCached, index > 0, let frames = result.frames else {
            return CachedFrame(try result.frame(at: index, stop: stop))
        }
        return try frames.cachedFrame(at: index, stop: stop)
    }

    mutating func rest() { result?.frames?.rest() }
}

/// The result of `CoderRegistry.open` for such coders.
extension ImageCoder {
    /// Returns a decoder that waits for the complete data.
    package func whole(options: DecodeOptions) -> any ImageDecoder { StreamDecoder(WholeStream(self, options)) }
}
