import SDImage

/// Writes icons with one image: below 256 pixels as a bitmap, which every reader supports, otherwise as PNG. `ICOCoder` makes one
/// for each encode.
struct ICOEncoder {
    private let options: EncodeOptions
    private let stop: CancellationToken

    /// Longest side: the directory has one byte for it, where 0 means 256.
    private static let longestSide = 256
    /// Length of a directory with one entry.
    private static let headLength: UInt8 = 22

    init(_ options: EncodeOptions, stop: CancellationToken) {
        self.options = options
        self.stop = stop
    }

    /// Throws `tooLarge` for sides beyond 256 pixels.
    func encode(_ original: Image) throws(ImageError) -> Bytes {
        let (width, height) = (original.size.width, original.size.height)
        guard max(width, height) <= ICOEncoder.longestSide else {
            throw ImageError(.tooLarge, "ico: longer side of \(width)x\(height) pixels exceeds the limit of 256")
        }
        let image = try BMPEncoder.plain(original, stop: stop)
        let encoded = try content(image)
        var file = ByteBuilder(limit: Int(UInt32.max))
        // ICONDIR: reserved, type 1 for icons, one entry.
        try file.append([0, 0, 1, 0, 1, 0])
        // The entry: size, colors, reserved, planes, bits per pixel; then length and offset of the image.
        try file.append([UInt8(image.size.width & 255), UInt8(image.size.height & 255), 0, 0, 1, 0, 32, 0])
        try file.append((0..<4).map { UInt8(truncatingIfNeeded: encoded.count >> (8 * $0)) } + [ICOEncoder.headLength, 0, 0, 0])
        unsafe try encoded.withUnsafeBytes { bytes throws(ImageError) in unsafe try file.append(bytes) }
        return file.finish()
    }

    /// Returns the image of the entry.
    private func content(_ image: Image) throws(ImageError) -> Bytes {
        guard max(image.size.width, image.size.height) == ICOEncoder.longestSide else {
            return try BMPEncoder(stop: stop).encodeIcon(try image.converted(to: .rgba8).pixels)
        }
        var options = EncodeOptions()
        options.effort = self.options.effort
        return try PNGEncoder(options, stop: stop).encode(image)
    }
}
