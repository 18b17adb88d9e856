import SDImage

/// Progressive decode of a WebP, still or animated according to its first chunk. `WebPCoder.open` wraps it in a `StreamDecoder`,
/// whose lock serializes all calls.
struct WebPProgressiveDecoder: ImageStream {
    private let options: DecodeOptions
    /// One of the two; both are nil before the first chunk has arrived.
    private var still: WebPProgressiveStill?
    private var animation: WebPAnimationDecoder?

    init(_ options: DecodeOptions) { self.options = options }

    var properties: StreamProperties { animation?.properties ?? still?.properties ?? StreamProperties() }

    mutating func update(_ bytes: Bytes, isFinished: Bool, stop: CancellationToken) throws(ImageError) {
        if still == nil, animation == nil {
            guard isFinished || bytes.count >= WebPProgressiveDecoder.bytesToTell else { return }
            if WebPProgressiveDecoder.isAnimated(bytes) {
                animation = WebPAnimationDecoder(options)
            } else {
                still = WebPProgressiveStill(options)
            }
        }
        try animation?.update(bytes, isFinished: isFinished, stop: stop)
        try still?.update(bytes, isFinished: isFinished, stop: stop)
    }

    mutating func image(stop: CancellationToken) throws(ImageError) -> Image? {
        try animation == nil ? still?.image(stop: stop) : animation?.image(stop: stop)
    }

    mutating func frame(at index: Int, isCached: Bool, stop: CancellationToken) throws(ImageError) -> CachedFrame {
        if let frame = try animation?.frame(at: index, isCached: isCached, stop: stop) { return frame }
        guard index == 0, let image = try still?.image(stop: stop) else { throw .noFrame(index, of: properties.frameCount) }
        return CachedFrame(image)
    }

    mutating func rest() { animation?.rest() }

    /// Bytes up to the flags of VP8X.
    private static let bytesToTell = 21

    /// Reads the animation flag of the extended header (RFC 9649, section 2.7).
    static func isAnimated(_ bytes: Bytes) -> Bool {
        let reader = bytes.reader
        return reader.matches("VP8X", at: 12) && (reader.byte(at: 20) ?? 0) & 2 != 0
    }
}
