import SDImage

/// WebP by libwebp: lossy, lossless, and the first picture of an animation (RFC 9649).
package final class WebPCoder: ImageCoder {
    package let name = "webp"
    package let decodableFormats: [ImageFormat] = [.webp]
    package var libraryVersion: String { WebPStream.libraryVersion }

    package init() {}

    package func canDecode(_ bytes: Bytes) -> Bool {
        let reader = bytes.reader
        return reader.matches("RIFF", at: 0) && reader.matches("WEBP", at: 8)
    }

    package func info(_ bytes: Bytes, options: DecodeOptions) throws(ImageError) -> ImageInfo {
        let stream = try WebPStream(bytes)
        var info = ImageInfo()
        info.format = .webp
        info.storedSize = stream.canvas
        info.orientation = WebPCoder.orientation(stream, options)
        info.frameCount = stream.frameCount
        info.loopCount = stream.loopCount
        info.durationMilliseconds = WebPCoder.duration(stream, options)
        info.hasAlpha = stream.hasAlpha
        info.channels = stream.hasAlpha ? 4 : 3
        let metadata = WebPCoder.metadata(stream, limit: options.limits.metadataBytes)
        info.hasColorProfile = metadata.colorProfile != nil
        metadata.fill(&info)
        return info
    }

    package func decode(_ bytes: Bytes, options: DecodeOptions, stop: StopSignal) throws(ImageError) -> Image {
        let stream = try WebPStream(bytes)
        let orientation = WebPCoder.orientation(stream, options)
        let plan = try DecodePlan(storedSize: stream.canvas, orientation: orientation, options: options)
        let profile = stream.chunk("ICCP", limit: options.limits.metadataBytes)
        let picture = try WebPPicture(stream: stream, plan: plan, profile: profile, options: options)
        // A still is complete with its last row; of an animation the missing frames would be missed.
        if stream.isAnimated, !stream.isComplete, !options.acceptPartial { throw ImageError(.truncated, "WebP data end early") }
        let (pixels, isWhole) = try picture.read(stop: stop)
        var metadata = plan.metadata(
            format: .webp, pixels: pixels.format, hasAlpha: picture.hasAlpha, orientation: orientation, options: options)
        metadata.isIncremental = !isWhole
        metadata.colorProfile = options.convertToSRGB ? nil : profile
        return Image(pixels: pixels, metadata: metadata)
    }

    private static func metadata(_ stream: WebPStream, limit: Int) -> EncodedMetadata {
        var metadata = EncodedMetadata(limit: limit)
        metadata.setExif(stream.chunk("EXIF", limit: limit))
        metadata.setXMP(stream.chunk("XMP ", limit: limit))
        metadata.setColorProfile(stream.chunk("ICCP", limit: limit))
        return metadata
    }

    private static func orientation(_ stream: WebPStream, _ options: DecodeOptions) -> Orientation {
        stream.chunk("EXIF", limit: options.limits.metadataBytes).map { ExifOrientation.read($0) } ?? .up
    }

    /// Sum of the durations as played: up to 10 ms means 100 ms, as in browsers.
    private static func duration(_ stream: WebPStream, _ options: DecodeOptions) -> Int {
        stream.durations(limit: options.limits.frames).reduce(0) { $0 + ($1 <= 10 ? 100 : $1) }
    }
}
