import SDImage

/// JPEG by libjpeg: baseline, progressive and arithmetic; grey, colour and CMYK (ISO/IEC 10918-1).
package final class JPEGCoder: ImageCoder {
    package let name = "jpeg"
    package let decodableFormats: [ImageFormat] = [.jpeg]
    package var libraryVersion: String { JPEGDecoder.libraryVersion }

    package init() {}

    package func canDecode(_ bytes: Bytes) -> Bool { bytes.reader.matches([0xFF, 0xD8, 0xFF], at: 0) }

    package func info(_ bytes: Bytes, options: DecodeOptions) throws(ImageError) -> ImageInfo {
        // The header is whole or it is not: what follows it is not looked at.
        let decoder = try JPEGDecoder(bytes, tolerant: true)
        let markers = JPEGMarkers(bytes, limit: options.limits.metadataBytes)
        var info = ImageInfo()
        info.format = .jpeg
        info.storedSize = decoder.size
        info.orientation = JPEGCoder.orientation(markers)
        info.channels = decoder.kind == .gray ? 1 : 3
        info.isProgressive = decoder.isProgressive
        info.hasColorProfile = markers.colorProfile != nil
        try JPEGMetadata(bytes, limits: options.limits).found.fill(&info)
        return info
    }

    package func decode(_ bytes: Bytes, options: DecodeOptions, stop: StopSignal) throws(ImageError) -> Image {
        let decoder = try JPEGDecoder(bytes, tolerant: options.acceptPartial)
        let markers = JPEGMarkers(bytes, limit: options.limits.metadataBytes)
        let orientation = JPEGCoder.orientation(markers)
        let plan = try DecodePlan(storedSize: decoder.size, orientation: orientation, options: options)
        let picture = try JPEGPicture(decoder: decoder, plan: plan, profile: markers.colorProfile, options: options)
        let pixels = try picture.read(stop: stop)
        var metadata = plan.metadata(
            format: .jpeg, pixels: pixels.format, hasAlpha: false, orientation: orientation, options: options)
        metadata.isIncremental = decoder.isDamaged
        // A profile of inks says nothing about the RGB that came out.
        metadata.colorProfile = options.convertToSRGB || decoder.kind == .cmyk ? nil : markers.colorProfile
        return Image(pixels: pixels, metadata: metadata)
    }

    private static func orientation(_ markers: JPEGMarkers) -> Orientation {
        markers.exif.map { ExifOrientation.read($0) } ?? .up
    }
}
