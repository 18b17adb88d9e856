import SDImage
import SDImageCodecs

/// What reads bytes without making a picture of them.
enum ParserTargets {
    /// The block of orientation and dates that pictures carry.
    static func exif(_ input: FuzzTarget.Input) {
        _ = ExifOrientation.read(.exact(UnsafeRawBufferPointer(input)))
    }

    /// A colour profile, applied to a row of every kind of pixel.
    static func icc(_ input: FuzzTarget.Input) {
        let profile = Bytes.exact(UnsafeRawBufferPointer(input))
        let pixels = 7
        for format in PixelFormat.allCases where !format.isPremultiplied {
            let isGray = format.channels == 1
            var row = [UInt8](repeating: 77, count: pixels * format.bytesPerPixel)
            let transform = ColorConverter.transform(profile: profile, format: format, isGray: isGray)
            row.withUnsafeMutableBytes { transform?.apply($0, pixels: pixels, format: format) }
        }
        let ink = [UInt8](repeating: 99, count: pixels * 4)
        var light = [UInt8](repeating: 0, count: pixels * 3)
        for isInverted in [false, true] {
            let transform = ColorConverter.cmykTransform(profile: profile, isInverted: isInverted)
            ink.withUnsafeBytes { from in light.withUnsafeMutableBytes { transform?.apply(from, to: $0, pixels: pixels) } }
        }
    }

    private static let registry = CoderRegistry(BuiltinCoders.make())
    /// As many bytes as are enough for a decoder to choose its coder.
    private static let bytesToChoose = 64

    /// The signature, and that the coder chosen by the first bytes is the one chosen by all.
    static func sniff(_ input: FuzzTarget.Input) {
        let bytes = Bytes.exact(UnsafeRawBufferPointer(input))
        _ = FormatSniffer.format(of: bytes)
        var options = DecodeOptions()
        options.limits = .fuzzing
        do throws(ImageError) { _ = try registry.info(bytes, options: options) } catch {}
        guard let first = bytes.slice(0..<min(bytesToChoose, bytes.count)), let early = registry.coder(for: first) else {
            return
        }
        guard let late = registry.coder(for: bytes) else { return expect(false, "more bytes do not unmake a signature") }
        expect(early === late, "the first bytes choose the coder: \(early.name), then \(late.name)")
    }
}
