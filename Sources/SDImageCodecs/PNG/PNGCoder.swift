import SDImage

/// PNG by libpng, and APNG: rows go from the decoder straight to where they are wanted.
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
        let animation = APNGStructure(bytes, limits: options.limits)
        info.frameCount = animation.frameCount
        info.loopCount = animation.loopCount
        info.durationMilliseconds = animation.durationMilliseconds
        info.hasAlpha = reader.hasAlpha
        info.bitsPerChannel = reader.isPalette ? 8 : Int(reader.header.depth)
        info.channels = (reader.isGray ? 1 : 3) + (reader.hasAlpha ? 1 : 0)
        info.isProgressive = reader.isInterlaced
        info.hasColorProfile = metadata.profile != nil
        return info
    }

    package func decode(_ bytes: Bytes, options: DecodeOptions, stop: StopSignal) throws(ImageError) -> Image {
        guard APNGStructure.isAnnounced(bytes) else { return try decodeStill(bytes, options: options, stop: stop) }
        var file = PNGFile(self, options)
        try file.update(bytes, isFinished: true)
        guard let image = try file.image(stop: stop) else { throw ImageError(.truncated, "APNG data end early") }
        return file.facts.frameCount > 1 ? image.with(frames: StreamDecoder(file)) : image
    }

    package func open(options: DecodeOptions) throws(ImageError) -> (any ImageDecoder)? {
        StreamDecoder(PNGFile(self, options))
    }

    /// The picture, or of an animation the default one.
    func decodeStill(_ bytes: Bytes, options: DecodeOptions, stop: StopSignal) throws(ImageError) -> Image {
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
