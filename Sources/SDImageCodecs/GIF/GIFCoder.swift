import SDImage

/// Still and animated GIF, composed on the whole canvas; frames are clipped to it (GIF89a).
///
/// - Header: `GIFBlockReader` reads the blocks for `GIFContainer`, which finds the frames, and for the `GIFMetadata` of `info`.
/// - Rows: `GIFRowDecoder` decodes the LZW data of a frame to palette indices, `GIFPalette` converts them to pixels.
/// - Stills: `GIFDecoder` writes rows to the result in the order of the data. When it scales, `ScanlineWriter` takes them from
///   top to bottom, so that thumbnails need no full bitmap.
/// - Progressive: `GIFProgressiveDecoder` shows the decoded part of the first frame; it also decodes complete files.
/// - Animated: `FrameCompositor` draws the frames with `GIFFramePainter`, `CanvasOutput` converts canvases.
///
/// Everything but frames decoded ahead (`FramesAhead`) runs on the calling thread.
package final class GIFCoder: ImageCoder {
    package init() {}

    package var name: String { "gif" }
    package var libraryVersion: String { "built in" }
    package var decodableFormats: [ImageFormat] { [.gif] }
    package var encodableFormats: [ImageFormat] { [.gif] }

    package func canDecode(_ bytes: Bytes) -> Bool { FormatSniffer.format(of: bytes) == .gif }

    package func info(_ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> ImageInfo {
        var container = GIFContainer(frameLimit: options.limits.frames)
        try container.read(bytes, stop: stop)
        guard let frame = container.firstFrame else { throw ImageError(.truncated, "gif: data ends before the first frame") }
        var info = ImageInfo()
        info.format = .gif
        info.storedSize = container.canvas
        info.hasAlpha = container.hasAlpha
        info.channels = info.hasAlpha ? 4 : 3
        info.isProgressive = frame.isInterlaced
        // A decode applies no metadata of a GIF.
        try GIFMetadata(bytes, limits: options.limits, stop: stop).found.fill(&info)
        info.hasColorProfile = info.colorProfile != nil
        guard container.isAnimated else { return info }
        info.frameCount = container.frames.count
        info.loopCount = container.loopCount
        info.durationMilliseconds = container.frames.reduce(0) { $0 + $1.layout.durationMilliseconds }
        return info
    }

    package func decode(_ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> Image {
        var stream = GIFProgressiveDecoder(options)
        try stream.update(bytes, isFinished: true, stop: stop)
        // The other frames are decoded after this call returns.
        if stream.properties.frameCount > 1 { try stream.update(bytes.copiedIfLent(), isFinished: true, stop: stop) }
        guard let image = try stream.image(stop: stop) else {
            throw ImageError(.truncated, "gif: data ends before the first frame")
        }
        return image
    }

    package func open(options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> (any ImageDecoder)? {
        StreamDecoder(GIFProgressiveDecoder(options))
    }

    package func encode(
        _ image: Image, format: ImageFormat, options: EncodeOptions, stop: CancellationToken
    ) throws(ImageError) -> Bytes {
        try options.refuseGainMap(format)
        return try GIFEncoder(options, stop: stop).encode(image)
    }
}
