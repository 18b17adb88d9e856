import SDImage

/// Windows and OS/2 BMP, 1 to 32 bits per pixel.
///
/// - Header: `BMPHeader` reads sizes and masks from its versions (`BMPHeaderFields`). A bitmap that contains a PNG or JPEG is an
///   `EmbeddedImage` and is left to their coders.
/// - Rows: `BMPRowDecoder` reads them in place and in display order, and converts them by `BMPPalette` or `BMPColorMasks`;
///   `BMPRunLengthDecoder` decodes run-length coded images as a whole.
/// - Output: `BMPDecoder` writes rows to the result. `ScanlineWriter` scales and converts them if needed, without a full bitmap.
/// - Progressive: none; the image is decoded when it is complete (`WholeStream`). Everything runs on the calling thread.
package final class BMPCoder: ImageCoder {
    package init() {}

    package var name: String { "bmp" }
    package var libraryVersion: String { "built in" }
    package var decodableFormats: [ImageFormat] { [.bmp] }
    package var encodableFormats: [ImageFormat] { [.bmp] }

    package func canDecode(_ bytes: Bytes) -> Bool { FormatSniffer.format(of: bytes) == .bmp }

    package func info(_ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> ImageInfo {
        let header = try BMPHeader.file(bytes)
        if let wrapped = try EmbeddedImage(bytes, header) { return try wrapped.info(format: .bmp, options: options, stop: stop) }
        var info = header.info(bytes, limits: options.limits)
        info.format = .bmp
        return info
    }

    package func decode(_ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> Image {
        let header = try BMPHeader.file(bytes)
        if let wrapped = try EmbeddedImage(bytes, header) {
            return try wrapped.decode(format: .bmp, options: options, stop: stop)
        }
        let image = try BMPDecoder(bytes, header, isIcon: false, options: options, stop: stop).decode(format: .bmp)
        // Pixels that were not converted keep their profile.
        guard !options.convertToSRGB, let profile = header.color.profile(in: bytes, limits: options.limits) else {
            return image
        }
        var metadata = image.metadata
        metadata.colorProfile = profile
        return image.with(metadata)
    }

    package func encode(
        _ image: Image, format: ImageFormat, options: EncodeOptions, stop: CancellationToken
    ) throws(ImageError) -> Bytes {
        try options.refuseGainMap(format)
        return try BMPEncoder(stop: stop).encode(image)
    }
}

extension BMPHeader {
    /// Image properties, except for the format.
    func info(_ bytes: Bytes, limits: DecodeLimits) -> ImageInfo {
        var info = ImageInfo()
        info.storedSize = size
        info.hasAlpha = fields.alpha != 0
        let isGray = hasPalette && BMPPalette(bytes, self, transform: nil).isGray
        info.channels = isGray ? 1 : info.hasAlpha ? 4 : 3
        info.colorProfile = color.profile(in: bytes, limits: limits)
        info.hasColorProfile = info.colorProfile != nil
        info.dpi = resolution
        return info
    }
}
