import SDImage

/// A JPEG whose header was read, and the plan for decoding it.
struct JPEGFile {
    let coded: JPEGImage
    private let plan: DecodePlan
    private let markers: JPEGMarkers
    private let options: DecodeOptions

    init(_ decoder: JPEGDecoder, options: DecodeOptions, stop: CancellationToken) throws(ImageError) {
        markers = try JPEGMarkers(decoder.bytes, limit: options.limits.metadataBytes, stop: stop)
        plan = try DecodePlan(storedSize: decoder.size, orientation: markers.orientation, options: options)
        coded = try JPEGImage(decoder: decoder, plan: plan, profile: markers.colorProfile, options: options)
        self.options = options
    }

    /// Size of the decoded images.
    var size: PixelSize { plan.turn.swapsAxes ? plan.scaledSize.swapped : plan.scaledSize }

    func decode(stop: CancellationToken) throws(ImageError) -> Image {
        if let image = try decodeDraft(stop: stop) { return image }
        let pixels = try coded.read(stop: stop)
        return image(pixels, isIncremental: coded.decoder.isDamaged)
    }

    /// Decodes a thumbnail from the lowest coefficients; nil when libjpeg must decode.
    func decodeDraft(stop: CancellationToken) throws(ImageError) -> Image? {
        guard let draft = try coded.readDraft(stop: stop) else { return nil }
        return image(draft.pixels, consumedBytes: coded.isEarly ? draft.consumedBytes : nil)
    }

    func image(_ pixels: PixelBuffer, isIncremental: Bool = false, consumedBytes: Int? = nil) -> Image {
        let decoder = coded.decoder
        var metadata = plan.metadata(
            format: .jpeg, pixels: pixels.format, hasAlpha: false, orientation: markers.orientation, options: options)
        metadata.isIncremental = isIncremental
        metadata.consumedBytes = consumedBytes
        metadata.bitsPerChannel = 8
        metadata.channels = decoder.kind == .gray ? 1 : 3
        metadata.isProgressive = decoder.isProgressive
        // A CMYK profile does not describe the decoded RGB.
        metadata.setColor(profile: decoder.kind == .cmyk ? nil : markers.colorProfile, options: options)
        return Image(pixels: pixels, metadata: metadata)
    }
}
