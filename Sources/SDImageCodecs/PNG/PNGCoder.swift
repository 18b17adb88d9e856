import SDImage

/// PNG and APNG (PNG, third edition).
///
/// - Header: libpng reads the chunks before the image data (`PNGHeader`); `PNGDecodeMetadata` reads color and orientation,
///   `PNGMetadata` the rest for `info`. `PNGDecoder` holds the header and the plan of one decode.
/// - Rows: `PNGDataReader` finds the IDAT chunks and checks them. `PNGInflater` inflates them, on this thread
///   (`PNGSerialInflate`) or on an idle worker (`PNGParallelInflate`, large images). `PNGRowDecoder` unfilters rows, and
///   `PNGSampleExpander` makes pixels.
/// - Output: `ScanlineWriter` scales, converts and turns rows into the result, which thumbnails reach without a full bitmap.
///   `PNGBitmapWriter` scatters the passes of interlaced images over a bitmap.
/// - Progressive: `PNGProgressiveDecoder` chooses `PNGProgressiveStill`, which continues a `PNGPartialImage` with each piece of
///   data, or `APNGAnimationDecoder`. An early thumbnail needs the first pass of an interlaced image only.
/// - Animated: `APNGContainer` finds the frames, `FrameCompositor` draws them with `APNGFramePainter`, `CanvasOutput` converts
///   canvases.
package final class PNGCoder: ImageCoder {
    package init() {}

    package var name: String { "png" }
    package var libraryVersion: String { "libpng \(PNGHeader.libraryVersion), libdeflate \(PNGDeflater.libraryVersion)" }
    package var decodableFormats: [ImageFormat] { [.png] }
    package var encodableFormats: [ImageFormat] { [.png] }

    package func canDecode(_ bytes: Bytes) -> Bool { FormatSniffer.format(of: bytes) == .png }

    package func info(_ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> ImageInfo {
        let encodedImage = try PNGHeader(bytes).encodedImage
        let metadata = try PNGDecodeMetadata(bytes, limits: options.limits, stop: stop)
        var info = ImageInfo()
        info.format = .png
        info.storedSize = encodedImage.size
        info.orientation = metadata.orientation
        let animation = try APNGContainer(bytes, limits: options.limits, stop: stop)
        info.frameCount = animation.frameCount
        info.loopCount = animation.loopCount
        info.durationMilliseconds = animation.durationMilliseconds
        info.hasAlpha = encodedImage.hasAlpha
        // The depth of a palette image is that of its indices.
        info.bitsPerChannel = encodedImage.isPalette ? 8 : encodedImage.depth
        info.channels = (encodedImage.isGray ? 1 : 3) + (encodedImage.hasAlpha ? 1 : 0)
        info.isProgressive = encodedImage.isInterlaced
        info.hasColorProfile = metadata.profile != nil
        info.transfer = metadata.codePoints?.transfer ?? 0
        info.isHighDynamicRange = metadata.codePoints?.isHighDynamicRange ?? false
        info.contentHeadroom = metadata.codePoints?.headroom ?? 0
        var blocks = try PNGMetadata(bytes, limits: options.limits, stop: stop)
        blocks.setColorProfile(metadata.profile)
        blocks.found.fill(&info)
        return info
    }

    package func decode(_ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> Image {
        // A still needs no state between calls.
        guard try APNGContainer.isAnnounced(bytes, stop: stop) else {
            return try decodeStill(bytes, options: options, stop: stop)
        }
        var file = PNGProgressiveDecoder(options)
        try file.update(bytes, isFinished: true, stop: stop)
        guard let image = try file.image(stop: stop) else { throw ImageError(.truncated, "png: data ends early") }
        return image
    }

    package func open(options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> (any ImageDecoder)? {
        StreamDecoder(PNGProgressiveDecoder(options))
    }

    /// Encodes the first frame of an animation.
    package func encode(
        _ image: Image, format: ImageFormat, options: EncodeOptions, stop: CancellationToken
    ) throws(ImageError) -> Bytes {
        try options.refuseGainMap(format)
        return try PNGEncoder(options, stop: stop).encode(image)
    }

    /// Decodes the image, or the default image of an animation.
    private func decodeStill(_ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> Image {
        let header = try PNGHeader(bytes)
        return try PNGDecoder(header, bytes, options: options, stop: stop).decode(header, bytes, stop: stop)
    }
}
