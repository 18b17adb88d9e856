import SDImage

/// PNG and APNG: libpng reads the header, and rows go straight to where they are wanted.
package final class PNGCoder: ImageCoder {
    package init() {}

    package var name: String { "png" }
    package var libraryVersion: String { "libpng \(PNGHeader.libraryVersion)" }
    package var decodableFormats: [ImageFormat] { [.png] }

    package func canDecode(_ bytes: Bytes) -> Bool { FormatSniffer.format(of: bytes) == .png }

    package func info(_ bytes: Bytes, options: DecodeOptions) throws(ImageError) -> ImageInfo {
        let picture = try PNGHeader(bytes).picture
        let metadata = PNGMetadata(bytes, limits: options.limits)
        var info = ImageInfo()
        info.format = .png
        info.storedSize = picture.size
        info.orientation = metadata.orientation
        let animation = APNGStructure(bytes, limits: options.limits)
        info.frameCount = animation.frameCount
        info.loopCount = animation.loopCount
        info.durationMilliseconds = animation.durationMilliseconds
        info.hasAlpha = picture.hasAlpha
        info.bitsPerChannel = picture.isPalette ? 8 : picture.depth
        info.channels = (picture.isGray ? 1 : 3) + (picture.hasAlpha ? 1 : 0)
        info.isProgressive = picture.isInterlaced
        info.hasColorProfile = metadata.profile != nil
        info.isHighDynamicRange = metadata.codePoints?.isHighDynamicRange ?? false
        var texts = PNGTexts(bytes, limits: options.limits)
        texts.setColorProfile(metadata.profile)
        texts.found.fill(&info)
        return info
    }

    package func decode(_ bytes: Bytes, options: DecodeOptions, stop: StopSignal) throws(ImageError) -> Image {
        guard APNGStructure.isAnnounced(bytes) else { return try decodeStill(bytes, options: options, stop: stop) }
        var file = PNGFile(self, options)
        try file.update(bytes, isFinished: true)
        guard let image = try file.image(stop: stop) else { throw ImageError(.truncated, "png: the bytes end early") }
        return image
    }

    package func open(options: DecodeOptions) throws(ImageError) -> (any ImageDecoder)? {
        StreamDecoder(PNGFile(self, options))
    }

    /// The picture, or of an animation the default one.
    func decodeStill(_ bytes: Bytes, options: DecodeOptions, stop: StopSignal) throws(ImageError) -> Image {
        let data = try PNGHeader(bytes).picture(bytes, limits: options.limits)
        let metadata = PNGMetadata(bytes, limits: options.limits)
        let plan = try DecodePlan(storedSize: data.size, orientation: metadata.orientation, options: options)
        let output = PixelFormat.resolved(source: data.format, wanted: options.pixelFormat)
        let transform =
            options.convertToSRGB
            ? PNGColor.transform(metadata, format: data.format, isGray: data.isGray, output: output) : nil
        let run = PNGRun(data: data, plan: plan, output: output, transform: transform, options: options, stop: stop)
        let pixels = try run.decode()
        var result = plan.metadata(
            format: .png, pixels: output, hasAlpha: data.hasAlpha, orientation: metadata.orientation, options: options)
        result.setColor(profile: metadata.profile, codePoints: metadata.codePoints, options: options)
        return Image(pixels: pixels, metadata: result)
    }
}
