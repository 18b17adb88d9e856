import SDImage
import SDImagePixels

/// Writes uncompressed bottom-up Windows bitmaps: gray with a palette, 24 bits, or 32 bits with alpha. `BMPCoder` writes files
/// with it, `ICOEncoder` entries of icons.
struct BMPEncoder {
    private let stop: CancellationToken

    init(stop: CancellationToken) { self.stop = stop }

    /// Encodes a complete file.
    func encode(_ original: Image) throws(ImageError) -> Bytes {
        let image = try BMPEncoder.plain(original, stop: stop)
        let (format, size) = (image.pixels.format, image.size)
        let palette = format == .gray8 ? BMPEncoder.grays : []
        let header = format == .rgba8 ? BMPEncoder.fifthHeader(size) : BMPEncoder.header(size, bits: format.channels * 8)
        let start = 14 + header.count + palette.count
        let (bytes, overflow) = BMPEncoder.stride(size.width, bits: format.channels * 8)
            .multipliedReportingOverflow(by: size.height)
        guard !overflow, bytes <= Int(UInt32.max) - start, max(size.width, size.height) <= Int32.max else {
            throw .tooLarge("bmp: file size in bytes", limit: Int(UInt32.max))
        }
        var file = ByteBuilder(limit: Int(UInt32.max))
        // File header: "BM", file size, reserved, offset of the pixels.
        try file.append([0x42, 0x4D] + BMPEncoder.four(start + bytes) + [0, 0, 0, 0] + BMPEncoder.four(start))
        try file.append(header + palette)
        try appendRows(image.pixels, to: &file)
        return file.finish()
    }

    /// Encodes an icon entry: no file header, double height, and an AND mask after the pixels whose bits are set for transparent
    /// pixels. `image` is rgba8.
    func encodeIcon(_ image: PixelBuffer) throws(ImageError) -> Bytes {
        let size = image.size
        var file = ByteBuilder(limit: Int(UInt32.max))
        try file.append(BMPEncoder.header(PixelSize(width: size.width, height: 2 * size.height), bits: 32))
        try appendRows(image, to: &file)
        for y in (0..<size.height).reversed() {
            var mask = [UInt8](repeating: 0, count: BMPEncoder.stride(size.width, bits: 1))
            guard let row = unsafe image.row(y) else { continue }
            for x in 0..<size.width where unsafe row[x * 4 + 3] == 0 { mask[x / 8] |= 0x80 >> UInt8(x % 8) }
            try file.append(mask)
        }
        return file.finish()
    }

    /// Returns the image upright, in sRGB, in the smallest of gray8, rgb8 and rgba8 that can hold it.
    static func plain(_ image: Image, stop: CancellationToken) throws(ImageError) -> Image {
        var fitting = DecodeOptions()
        switch image.pixels.format {
        case .gray8, .gray16: fitting.pixelFormat = .gray8
        case .rgb8, .rgb16: fitting.pixelFormat = .rgb8
        default: fitting.pixelFormat = image.metadata.hasAlpha ? .rgba8 : .rgb8
        }
        return try image.still.convertedToSRGB(fitting, stop: stop)
    }

    /// Appends the rows from bottom to top, as BGR or BGRA, padded.
    private func appendRows(_ pixels: PixelBuffer, to file: inout ByteBuilder) throws(ImageError) {
        let (width, channels) = (pixels.size.width, pixels.format.channels)
        let stride = BMPEncoder.stride(width, bits: channels * 8)
        for y in (0..<pixels.size.height).reversed() {
            if y % 64 == 0 { try stop.check() }
            guard let row = unsafe pixels.row(y)?.assumingMemoryBound(to: UInt8.self) else { continue }
            _ = unsafe try file.append(upTo: stride) { room throws(ImageError) in
                guard let to = unsafe room.baseAddress?.assumingMemoryBound(to: UInt8.self), let from = row.baseAddress else {
                    return 0
                }
                if channels == 1 {
                    unsafe to.update(from: from, count: width)
                } else {
                    // The byte swap is its own inverse.
                    unsafe sdpx_from_bgr(to, Int32(channels), from, Int32(channels), width)
                }
                unsafe (to + width * channels).update(repeating: 0, count: stride - width * channels)
                return stride
            }
        }
    }

    // MARK: Headers

    private static let headerLength = 40, fifthHeaderLength = 124
    /// "sRGB", and the rendering intent for images ([MS-WMF] 2.1.1.14, 2.1.1.15).
    private static let standardColors = 0x7352_4742, imagesIntent = 4
    /// 96 pixels per inch, which means unspecified.
    private static let pixelsPerMetre = 3780

    /// The palette of a gray image.
    private static let grays = (0...255).flatMap { (level: UInt8) -> [UInt8] in [level, level, level, 0] }

    /// Bytes of a row. Rows are aligned to 4 bytes.
    private static func stride(_ width: Int, bits: Int) -> Int { (width * bits + 31) / 32 * 4 }

    /// BITMAPINFOHEADER ([MS-WMF] 2.2.2.3).
    private static func header(_ size: PixelSize, bits: Int) -> [UInt8] {
        fields(headerLength, size, bits: bits, compression: 0)
    }

    /// BITMAPV5HEADER ([MS-WMF] 2.2.2.5), used for alpha.
    private static func fifthHeader(_ size: PixelSize) -> [UInt8] {
        let masks = [0x00FF_0000, 0x0000_FF00, 0x0000_00FF, 0xFF00_0000].flatMap(four)
        // Endpoints and gammas, which sRGB does not need.
        let unused = [UInt8](repeating: 0, count: 48)
        return fields(fifthHeaderLength, size, bits: 32, compression: BMPHeader.bitFields) + masks + four(standardColors)
            + unused + four(imagesIntent) + [UInt8](repeating: 0, count: 12)
    }

    /// The fields that both headers begin with: length, size, planes, bits, compression, bytes, resolution, colors.
    private static func fields(_ length: Int, _ size: PixelSize, bits: Int, compression: Int) -> [UInt8] {
        let bytes = stride(size.width, bits: bits).multipliedReportingOverflow(by: size.height).partialValue
        return four(length) + four(size.width) + four(size.height) + [1, 0, UInt8(bits), 0] + four(compression)
            + four(bytes) + four(pixelsPerMetre) + four(pixelsPerMetre) + four(0) + four(0)
    }

    /// Little-endian bytes of a 32-bit value.
    private static func four(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
}
