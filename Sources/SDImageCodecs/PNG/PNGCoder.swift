import SDImage

/// PNG by libpng, and the first picture of an APNG: rows go from the decoder straight to where they are wanted.
package final class PNGCoder: ImageCoder {
    package init() {}

    package var name: String { "png" }
    package var libraryVersion: String { "libpng \(PNGReader.libraryVersion)" }
    package var decodableFormats: [ImageFormat] { [.png] }

    package func canDecode(_ bytes: Bytes) -> Bool { FormatSniffer.format(of: bytes) == .png }

    package func info(_ bytes: Bytes, options: DecodeOptions) throws(ImageError) -> ImageInfo {
        let reader = try PNGReader(bytes)
        let metadata = PNGMetadata(bytes, limits: options.limits)
        var info = ImageInfo()
        info.format = .png
        info.storedSize = reader.size
        info.orientation = metadata.orientation
        info.frameCount = metadata.animation.frameCount
        info.loopCount = metadata.animation.loopCount
        info.durationMilliseconds = metadata.animation.durationMilliseconds
        info.hasAlpha = reader.hasAlpha
        info.bitsPerChannel = reader.isPalette ? 8 : Int(reader.header.depth)
        info.channels = (reader.isGray ? 1 : 3) + (reader.hasAlpha ? 1 : 0)
        info.isProgressive = reader.isInterlaced
        info.hasColorProfile = metadata.profile != nil
        info.isHighDynamicRange = metadata.codePoints?.isHighDynamicRange ?? false
        var texts = PNGTexts(bytes, limits: options.limits)
        texts.setColorProfile(metadata.profile)
        texts.found.fill(&info)
        return info
    }

    package func decode(_ bytes: Bytes, options: DecodeOptions, stop: StopSignal) throws(ImageError) -> Image {
        let reader = try PNGReader(bytes, acceptPartial: options.acceptPartial)
        let metadata = PNGMetadata(bytes, limits: options.limits)
        let plan = try DecodePlan(storedSize: reader.size, orientation: metadata.orientation, options: options)
        let output = PixelFormat.resolved(source: reader.format, wanted: options.pixelFormat)
        let transform =
            options.convertToSRGB
            ? PNGColor.transform(metadata, format: reader.format, isGray: reader.isGray, output: output) : nil
        let run = PNGRun(
            reader: reader, plan: plan, output: output, transform: transform, options: options, stop: stop)
        let pixels = try run.decode()
        var result = plan.metadata(
            format: .png, pixels: output, hasAlpha: reader.hasAlpha, orientation: metadata.orientation, options: options)
        result.setColor(profile: metadata.profile, codePoints: metadata.codePoints, options: options)
        return Image(pixels: pixels, metadata: result)
    }
}
