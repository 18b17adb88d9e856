import Glibc
import SDImage

/// The headroom of Apple's gain maps, from two numbers in the maker note of the base image. `JPEGGainMap` and the HEIF module, by
/// the C functions, read it.
enum AppleMakerNote {
    /// Tags of the EXIF directory and of the maker note in it (EXIF 2.32).
    private static let exifTag: UInt16 = 0x8769, makerNoteTag: UInt16 = 0x927C
    /// Tags of the numbers (Apple, "Applying Apple HDR effect to your photos").
    private static let meta33: UInt16 = 0x21, meta48: UInt16 = 0x30
    private static let label: StaticString = "Apple iOS\0"
    /// Length of the label, of its version and of the byte order, before the directory.
    private static let header = 14

    /// The headroom in stops; nil if the numbers are missing or say that there is none.
    static func headroom(_ exif: Bytes) -> Double? {
        guard let block = ExifDirectory.block(exif), let first = ExifDirectory(block),
            let second = first.directory(exifTag), let note = second.undefined(makerNoteTag),
            let content = block.slice(note), content.reader.matches(label, at: 0),
            let directory = ExifDirectory(content, at: header, bigEndian: true), let low = directory.signedRational(meta33),
            let high = directory.signedRational(meta48)
        else { return nil }
        // The four linear pieces of Apple's description.
        let stops =
            low < 1
            ? (high <= 0.01 ? -20 * high + 1.8 : -0.101 * high + 1.601) : (high <= 0.01 ? -70 * high + 3 : -0.303 * high + 2.303)
        return stops > 0 ? stops : nil
    }
}

extension GainMap {
    /// The map with parameters of ISO 21496-1, which have no linear gains: the samples of Apple's format become logarithmic.
    /// Partial gains then follow ISO 21496-1.
    func withLogarithmicSamples() throws(ImageError) -> GainMap {
        guard parameters.isLinear else { return self }
        var logarithmic = parameters
        logarithmic.isLinear = false
        logarithmic.red.maximum = parameters.alternateHeadroom
        (logarithmic.green, logarithmic.blue) = (logarithmic.red, logarithmic.red)
        let most = exp2(parameters.alternateHeadroom) - 1
        // The new sample of each old one: the share of the headroom, in stops, of the gain that it stands for.
        let samples = (0...255).map { index in
            let gain = log2(1 + most * RGBEncoding.Curve.sRGB.toLinear(Double(index) / 255))
            return UInt8(min(max((gain / parameters.alternateHeadroom * 255).rounded(), 0), 255))
        }
        let source = image.pixels
        let pixels = try PixelBuffer(size: source.size, format: source.format)
        for y in 0..<source.size.height {
            guard let from = unsafe source.row(y), let to = unsafe pixels.mutableRow(y) else { break }
            for index in 0..<min(from.count, to.count) { unsafe to[index] = samples[Int(unsafe from[index])] }
        }
        return GainMap(logarithmic, image: Image(pixels: pixels, metadata: image.metadata))
    }
}
