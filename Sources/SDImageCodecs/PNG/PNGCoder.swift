import SDImage

/// PNG and APNG. libpng reads the header; rows are decoded directly to their destination.
package final class PNGCoder: ImageCoder {
    package init() {}

    package var name: String { "png" }
    package var libraryVersion: String { "libpng \(PNGHeader.libraryVersion), libdeflate \(Deflater.libraryVersion)" }
    package var decodableFormats: [ImageFormat] { [.png] }
    package var encodableFormats: [ImageFormat] { [.png] }

    package func canDecode(_ bytes: Bytes) -> Bool { FormatSniffer.format(of: bytes) == .png }

    package func info(_ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> ImageInfo {
        let imageData = try PNGHeader(bytes).imageData
        let metadata = try PNGMetadata(bytes, limits: options.limits, stop: stop)
        var info = ImageInfo()
        info.format = .png
        info.storedSize = imageData.size
        info.orientation = metadata.orientation
        let animation = try APNGStructure(bytes, limits: options.limits, stop: stop)
        info.frameCount = animation.frameCount
        info.loopCount = animation.loopCount
        info.durationMilliseconds = animation.durationMilliseconds
        info.hasAlpha = imageData.hasAlpha
        info.bitsPerChannel = imageData.isPalette ? 8 : imageData.depth
        info.channels = (imageData.isGray ? 1 : 3) + (imageData.hasAlpha ? 1 : 0)
        info.isProgressive = imageData.isInterlaced
        info.hasColorProfile = metadata.profile != nil
        info.isHighDynamicRange = metadata.codePoints?.isHighDynamicRange ?? false
        var texts = try PNGTexts(bytes, limits: options.limits, stop: stop)
        texts.setColorProfile(metadata.profile)
        texts.found.fill(&info)
        return info
    }

    package func decode(_ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> Image {
        guard try APNGStructure.isAnnounced(bytes, stop: stop) else {
            return try decodeStill(bytes, options: options, stop: stop)
        }
        var file = PNGFile(options)
        try file.update(bytes, isFinished: true, stop: stop)
        guard let image = try file.image(stop: stop) else { throw ImageError(.truncated, "png: data ends early") }
        return image
    }

    package func open(options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> (any ImageDecoder)? {
        StreamDecoder(PNGFile(options))
    }

    /// Encodes the first frame of an animation.
    package func encode(
        _ image: Image, format: ImageFormat, options: EncodeOptions, stop: CancellationToken
    ) throws(ImageError) -> Bytes {
        try PNGEncoder(options, stop: stop).encode(image)
    }

    /// Decodes the image, or the default image of an animation.
    private func decodeStill(_ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> Image {
        let header = try PNGHeader(bytes)
        return try PNGImage(header, bytes, options: options, stop: stop).decode(header, bytes, stop: stop)
    }
}
