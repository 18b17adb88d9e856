import SDImage

/// WebP with libwebp: lossy, lossless and animated (RFC 9649).
///
/// - Header: `WebPContainer` reads the container with libwebp's demuxer, `WebPChunkReader` finds the frames. `WebPDecoder`
///   holds the plan of one decode of a still.
/// - Rows: `WebPRowDecoder` has libwebp write pixels into the result or into a bitmap; libwebp may use a thread of its own.
///   `ScanlineWriter` scales, converts and turns the bitmap.
/// - Thumbnails: libwebp scales lossless images. Lossy ones are decoded to `WebPYUVPlanes`, which are scaled before the
///   conversion.
/// - Progressive: `WebPProgressiveDecoder` chooses `WebPProgressiveStill`, which shows the rows so far, or
///   `WebPAnimationDecoder`.
/// - Animated: `FrameCompositor` draws the frames with `WebPFramePainter`, `CanvasOutput` converts canvases.
package final class WebPCoder: ImageCoder {
    package let name = "webp"
    package let decodableFormats: [ImageFormat] = [.webp]
    package let encodableFormats: [ImageFormat] = [.webp]
    package var libraryVersion: String { WebPContainer.libraryVersion }

    /// libwebp takes static mutexes for a moment whenever it chooses its kernels, which is several times for each image.
    package static let forkGate = ForkGate()

    package init() {}

    package func canDecode(_ bytes: Bytes) -> Bool {
        let reader = bytes.reader
        return reader.matches("RIFF", at: 0) && reader.matches("WEBP", at: 8)
    }

    package func info(_ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> ImageInfo {
        // libwebp walks the file without checks, so all of it counts in advance.
        try stop.spend(bytes.count)
        let container = try WebPContainer(bytes, stop: stop)
        var info = ImageInfo()
        info.format = .webp
        info.storedSize = container.canvas
        info.orientation = container.orientation(limit: options.limits.metadataBytes)
        info.frameCount = min(container.frameCount, options.limits.frames)
        info.loopCount = container.loopCount
        let layouts = try WebPCoder.layouts(container, bytes, options, stop)
        info.durationMilliseconds = layouts.reduce(0) { $0 + $1.durationMilliseconds }
        // The canvas is transparent around the first frame, whatever the header announces.
        let isOpaque = layouts.first.map { $0.isOpaque && $0.covers(container.canvas) } ?? true
        info.hasAlpha = container.hasAlpha || !isOpaque
        info.channels = info.hasAlpha ? 4 : 3
        let metadata = WebPCoder.metadata(container, limit: options.limits.metadataBytes)
        info.hasColorProfile = metadata.colorProfile != nil
        metadata.fill(&info)
        return info
    }

    package func decode(_ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> Image {
        // A still needs no state between calls.
        guard WebPProgressiveDecoder.isAnimated(bytes) else {
            return try WebPDecoder(try WebPContainer(bytes, stop: stop), options: options).read(bytes, stop: stop)
        }
        var animation = WebPAnimationDecoder(options)
        try animation.update(bytes, isFinished: true, stop: stop)
        guard let image = try animation.image(stop: stop) else { throw ImageError(.truncated, "webp: data ends early") }
        return image
    }

    package func open(options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> (any ImageDecoder)? {
        StreamDecoder(WebPProgressiveDecoder(options))
    }

    package func encode(
        _ image: Image, format: ImageFormat, options: EncodeOptions, stop: CancellationToken
    ) throws(ImageError) -> Bytes {
        try options.refuseGainMap(format)
        return try WebPEncoder(image, options: options, stop: stop).encode()
    }

    private static func metadata(_ container: WebPContainer, limit: Int) -> EncodedMetadata {
        var metadata = EncodedMetadata(limit: limit)
        metadata.setExif(container.chunk("EXIF", limit: limit))
        metadata.setXMP(container.chunk("XMP ", limit: limit))
        metadata.setColorProfile(container.chunk("ICCP", limit: limit))
        return metadata
    }

    /// Returns the layouts of the frames of an animation; none for a still.
    private static func layouts(
        _ container: WebPContainer, _ bytes: Bytes, _ options: DecodeOptions, _ stop: CancellationToken
    ) throws(ImageError) -> [FrameLayout] {
        guard container.isAnimated else { return [] }
        var chunks = WebPChunkReader(frameLimit: options.limits.frames)
        try chunks.advance(bytes, stop: stop)
        return try container.frames(chunks, from: 0, limit: options.limits.frames).map { $0.layout }
    }
}
