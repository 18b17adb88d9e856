import SDImage

/// Writes a JPEG with a gain map: a second JPEG after the first (CIPA DC-007, Multi-Picture Format), with the parameters in both
/// forms, the XMP of Ultra HDR and the fields of ISO 21496-1. `JPEGCoder` tries it before `JPEGEncoder`, on the thread of the
/// encode.
struct JPEGGainMapEncoder {
    /// The SDR image that every reader shows.
    private let base: Image
    /// The ratio of the HDR rendition to `base`.
    private let map: GainMap
    private let options: EncodeOptions
    private let stop: CancellationToken

    private static let applicationMarker2: Int32 = 0xE2

    /// nil if the options request no map, and for an image that has none and is not HDR.
    init?(_ image: Image, options: EncodeOptions, stop: CancellationToken) throws(ImageError) {
        guard options.embedsGainMap, !options.isLossless else { return nil }
        var options = options
        // The two files inside are plain ones.
        options.embedsGainMap = false
        self.options = options
        self.stop = stop
        // A decoded map is written again, without loss from a second measurement.
        if let map = image.unappliedGainMap, JPEGGainMapEncoder.canHold(map, of: image) {
            (base, self.map) = (image, try map.withLogarithmicSamples())
            return
        }
        guard let hdr = try JPEGGainMapEncoder.light(of: image, stop) else { return nil }
        // The base is the image's own SDR version if it has one; otherwise the light is tone-mapped.
        let sdr = try (image.unappliedGainMap == nil ? hdr : image).inSRGB(stop: stop)
        base = try sdr.converted(to: image.metadata.hasAlpha ? .rgba8 : .rgb8)
        do throws(ImageError) {
            map = try GainMapMeasurement.map(from: base, to: hdr, account: options.account, stop: stop)
        } catch {
            // Without light above white there is nothing to add.
            guard error.status == .unsupported else { throw error }
            return nil
        }
    }

    /// True if a JPEG can describe the colors of the image and of its map, with profiles instead of code points.
    private static func canHold(_ map: GainMap, of image: Image) -> Bool {
        let base = image.metadata.cicp.flatMap(RGBEncoding.init(codePoints:))
        return base?.isStandard(primariesMatter: true) ?? true
            && (map.parameters.usesBaseColorSpace || map.image.metadata.cicp == nil)
    }

    /// The brightest rendition in linear light; nil if the image is SDR, or if no matrix describes the colors of a base image.
    private static func light(of image: Image, _ stop: CancellationToken) throws(ImageError) -> Image? {
        if let map = image.unappliedGainMap, map.parameters.weight(headroom: .infinity) != 0 {
            let light = try image.rendition(headroom: .infinity, limits: .ofExistingBitmap, stop: stop)
            if light == nil { Log.write(.warning, "jpeg: no gain map is written: no matrix describes the colors of the image") }
            return light
        }
        guard image.metadata.isHighDynamicRange || image.pixels.format == .rgbaFloat else { return nil }
        var bright = image.metadata
        (bright.isHighDynamicRange, bright.gainMap) = (true, nil)
        var linear = DecodeOptions()
        (linear.pixelFormat, linear.applyOrientation, linear.dynamicRange) = (.rgbaFloat, false, .hdr)
        linear.limits = .ofExistingBitmap
        return try image.with(bright).convertedToSRGB(linear, stop: stop)
    }

    /// The maximum file size includes both images, which have the same quality.
    func encode() throws(ImageError) -> Bytes {
        try options.keepingFileSize { quality throws(ImageError) in
            // The map comes first, because the packet of the base image contains its size.
            let encodedMap = try encodedMap(quality)
            var plain = options
            (plain.quality, plain.maxFileSize) = (quality, 0)
            let packet = UltraHDRPacket.base(mapBytes: encodedMap.count, into: options.xmp)
            // A long packet of the caller leaves no room: readers then use the fields.
            if packet.count <= JPEGEncoder.longestPacket { plain.xmp = try .copying(packet) }
            // A list of the final length reserves its space; `joined` fills in the sizes.
            let markers = [
                try JPEGGainMapEncoder.fields(GainMapFields.versions), try JPEGGainMapEncoder.list(first: 0, map: 0, at: 0),
            ].map { (marker: JPEGGainMapEncoder.applicationMarker2, bytes: $0) }
            let first = try JPEGEncoder(base, options: plain, additional: markers, stop: stop).encode()
            return try joined(first, encodedMap)
        }
    }

    /// The file of the map, with its parameters in both forms.
    private func encodedMap(_ quality: Double) throws(ImageError) -> Bytes {
        var plain = EncodeOptions()
        (plain.quality, plain.chroma) = (quality, .full)
        plain.xmp = try .copying(UltraHDRPacket.map(map.parameters))
        let fields = try JPEGGainMapEncoder.fields(GainMapFields.write(map.parameters))
        let markers = [(marker: JPEGGainMapEncoder.applicationMarker2, bytes: fields)]
        // The profile is that of the other rendition; samples are not converted.
        var colors = map.image.metadata
        colors.cicp = nil
        return try JPEGEncoder(map.image.with(colors), options: plain, additional: markers, stop: stop).encode()
    }

    /// The content of the segment with ISO fields: label and fields.
    private static func fields(_ content: [UInt8]) throws(ImageError) -> Bytes {
        try .copying(Array(GainMapFields.label.description.utf8) + content)
    }

    // MARK: Multi-Picture Format

    private static let listLabel = Array(JPEGGainMap.multiPicture.description.utf8)

    /// Joins both files, and completes the list of images in the first.
    private func joined(_ first: Bytes, _ second: Bytes) throws(ImageError) -> Bytes {
        var reader = JPEGSegmentReader(first, stop: stop)
        let output = try OutputBytes(expecting: first.count + second.count)
        try output.append(first)
        try output.append(second)
        while let (marker, content) = try reader.nextBeforeScan() {
            guard marker == 0xE2, first.reader.matches(JPEGGainMap.multiPicture, at: content.lowerBound) else { continue }
            let list = try JPEGGainMapEncoder.list(first: first.count, map: second.count, at: content.lowerBound)
            output.replace(at: content.lowerBound, with: unsafe list.withUnsafeBytes { unsafe Array($0) })
            break
        }
        return try output.finish()
    }

    /// The list of two images (CIPA DC-007, 5.2), a TIFF directory: `first` bytes of the base image, in which the list is at
    /// `position`, and `map` bytes after it.
    private static func list(first: Int, map: Int, at position: Int) throws(ImageError) -> Bytes {
        // Parts of a big-endian TIFF directory: a number, and an entry of tag, type, count and value.
        func number(_ value: Int) -> [UInt8] { UInt32(clamping: value).bigEndianBytes }
        func entry(_ tag: UInt32, _ type: UInt32, _ count: Int, _ value: [UInt8]) -> [UInt8] {
            (tag << 16 | type).bigEndianBytes + number(count) + value
        }
        let header = Array("MM\0*".utf8) + number(8), long: UInt32 = 4, undefined: UInt32 = 7, imageBytes = 16
        let entries = 3, directoryBytes = 2 + entries * 12 + 4
        let directory =
            [0, UInt8(entries)] + entry(0xB000, undefined, 4, Array("0100".utf8)) + entry(0xB001, long, 1, number(2))
            + entry(0xB002, undefined, 2 * imageBytes, number(header.count + directoryBytes)) + number(0)
        // The attribute of the first: a baseline primary image. Offsets count from the header of the directory.
        let images =
            number(0x03_0000) + number(first) + number(0) + number(0) + number(0) + number(map)
            + number(max(0, first - position - listLabel.count)) + number(0)
        return try .copying(listLabel + header + directory + images)
    }
}
