import SDImage

/// WebP with libwebp: lossy, lossless and animated (RFC 9649).
package final class WebPCoder: ImageCoder {
    package let name = "webp"
    package let decodableFormats: [ImageFormat] = [.webp]
    package let encodableFormats: [ImageFormat] = [.webp]
    package var libraryVersion: String { WebPStream.libraryVersion }

    package init() {}

    package func canDecode(_ bytes: Bytes) -> Bool {
        let reader = bytes.reader
        return reader.matches("RIFF", at: 0) && reader.matches("WEBP", at: 8)
    }

    package func info(_ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> ImageInfo {
        try stop.spend(bytes.count)
        let stream = try WebPStream(bytes)
        var info = ImageInfo()
        info.format = .webp
        info.storedSize = stream.canvas
        info.orientation = stream.orientation(limit: options.limits.metadataBytes)
        info.frameCount = min(stream.frameCount, options.limits.frames)
        info.loopCount = stream.loopCount
        info.durationMilliseconds = try WebPCoder.duration(stream, bytes, options, stop)
        info.hasAlpha = stream.hasAlpha
        info.channels = stream.hasAlpha ? 4 : 3
        let metadata = WebPCoder.metadata(stream, limit: options.limits.metadataBytes)
        info.hasColorProfile = metadata.colorProfile != nil
        metadata.fill(&info)
        return info
    }

    package func decode(_ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> Image {
        guard WebPFile.isAnimated(bytes) else {
            return try WebPImage(try WebPStream(bytes), options: options).read(bytes, stop: stop)
        }
        var animation = WebPAnimation(options)
        try animation.update(bytes, isFinished: true, stop: stop)
        guard let image = try animation.image(stop: stop) else { throw ImageError(.truncated, "webp: data ends early") }
        return image
    }

    package func open(options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> (any ImageDecoder)? {
        StreamDecoder(WebPFile(options))
    }

    package func encode(
        _ image: Image, format: ImageFormat, options: EncodeOptions, stop: CancellationToken
    ) throws(ImageError) -> Bytes {
        try WebPWriter(image, options: options, stop: stop).encode()
    }

    private static func metadata(_ stream: WebPStream, limit: Int) -> EncodedMetadata {
        var metadata = EncodedMetadata(limit: limit)
        metadata.setExif(stream.chunk("EXIF", limit: limit))
        metadata.setXMP(stream.chunk("XMP ", limit: limit))
        metadata.setColorProfile(stream.chunk("ICCP", limit: limit))
        return metadata
    }

    /// Returns the sum of the durations as played.
    private static func duration(
        _ stream: WebPStream, _ bytes: Bytes, _ options: DecodeOptions, _ stop: CancellationToken
    ) throws(ImageError) -> Int {
        guard stream.isAnimated else { return 0 }
        var walk = WebPChunkWalk(frameLimit: options.limits.frames)
        try walk.advance(bytes, stop: stop)
        return try stream.frames(walk, from: 0, limit: options.limits.frames).reduce(0) { $0 + $1.layout.durationMilliseconds }
    }
}
