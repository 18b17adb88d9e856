import SDImage

/// JPEG with libjpeg: baseline, progressive and arithmetic; gray, color and CMYK (ISO/IEC 10918-1).
///
/// - Header: libjpeg reads it (`JPEGRowDecoder`). `JPEGSegmentReader` finds the segments for `JPEGDecodeMetadata` (orientation,
///   profile) and for the `JPEGMetadata` of `info`. `JPEGDecoder` holds the plan of one decode, with the scale of libjpeg.
/// - Rows: `JPEGRowDecoder` writes them to their final memory (`JPEGRowDestination`) if they need no conversion, for large
///   images with the help of an idle worker (`JPEGParallelDecoder`). Otherwise `ScanlineWriter` scales, converts and turns
///   them.
/// - Thumbnails that libjpeg would scale to 1/8 or 2/8: `DCThumbnailDecoder` reads the scans with `DCScanDecoder` into
///   `DCThumbnailPlanes`, from which `DCThumbnailRows` makes pixels. It leaves uncommon and damaged files, and all files if it
///   is disabled, to libjpeg.
/// - Progressive: `JPEGProgressiveDecoder` continues a `JPEGPartialImage`: rows of a file with one scan, otherwise an image
///   after each scan. An early thumbnail needs the first DC scans of a progressive file only.
/// - HDR: `JPEGGainMap` finds the second JPEG of a file with a gain map. `JPEGRendition` decodes both, and `GainMapRenderer`
///   combines them.
package final class JPEGCoder: ImageCoder {
    package let name = "jpeg"
    package let decodableFormats: [ImageFormat] = [.jpeg]
    package let encodableFormats: [ImageFormat] = [.jpeg]
    package var libraryVersion: String { JPEGRowDecoder.libraryVersion }

    package init() {}

    package func canDecode(_ bytes: Bytes) -> Bool { bytes.reader.matches([0xFF, 0xD8, 0xFF], at: 0) }

    package func info(_ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> ImageInfo {
        // Only the header matters here; damage after it is ignored.
        let decoder = try JPEGRowDecoder(bytes, accepting: .missingData)
        let metadata = try JPEGMetadata(bytes, limits: options.limits, stop: stop)
        var info = ImageInfo()
        info.format = .jpeg
        info.storedSize = decoder.size
        info.orientation = metadata.decoding.orientation
        info.channels = decoder.kind == .gray ? 1 : 3
        info.isProgressive = decoder.isProgressive
        info.hasColorProfile = metadata.found.colorProfile != nil
        let gainMap = try JPEGGainMap(bytes, limits: options.limits, stop: stop)
        info.hasGainMap = gainMap != nil
        info.contentHeadroom = gainMap?.parameters.headroom ?? 0
        metadata.found.fill(&info)
        return info
    }

    package func decode(_ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> Image {
        // Comes first: it returns nil at once unless the options ask for HDR or the gain map.
        if let image = try JPEGRendition.decode(bytes, options: options, stop: stop) { return image }
        // Corrupt data only mark the image as damaged. Missing data are an error unless the options accept them.
        let rows = try JPEGRowDecoder(bytes, accepting: options.acceptPartial ? .missingData : .corruptData)
        return try JPEGDecoder(rows, options: options, stop: stop).decode(stop: stop)
    }

    package func open(options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> (any ImageDecoder)? {
        StreamDecoder(JPEGProgressiveDecoder(options))
    }

    package func encode(
        _ image: Image, format: ImageFormat, options: EncodeOptions, stop: CancellationToken
    ) throws(ImageError) -> Bytes {
        // JPEG has no animation: only the first frame is encoded.
        let still = image.frames == nil ? image : image.still
        if let renditions = try JPEGGainMapEncoder(still, options: options, stop: stop) { return try renditions.encode() }
        return try JPEGEncoder(still, options: options, stop: stop).encode()
    }
}
