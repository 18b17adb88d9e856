import SDImage
import SDImagePixels

/// Storage of pixels in a PNG without palette: color type and depth in IHDR (third edition, section 11.2.1).
struct PNGColorType {
    /// Format to which rows are converted before they are stored.
    let format: PixelFormat

    var colorType: UInt8 { format.hasAlpha ? 6 : format.channels == 3 ? 2 : 0 }
    var depth: UInt8 { format.bytesPerChannel == 2 ? 16 : 8 }

    /// Chooses the smallest format without loss; opacity is only examined for formats where that is fast.
    init(_ image: Image) {
        // An RGB profile is not allowed in a gray file.
        let isGray = image.metadata.colorProfile.map(PNGAncillaryWriter.isGray) ?? true
        switch image.pixels.format {
        case .gray8: format = isGray ? .gray8 : .rgb8
        case .gray16: format = isGray ? .gray16 : .rgb16
        case .rgb8: format = .rgb8
        case .rgb16: format = .rgb16
        case .rgba16, .rgbaFloat: format = image.metadata.hasAlpha ? .rgba16 : .rgb16
        case .rgba8, .rgba8Premultiplied, .bgra8Premultiplied: format = PNGColorType.isOpaque(image) ? .rgb8 : .rgba8
        }
    }

    /// True when all pixels are opaque; for 4-byte formats with alpha last.
    static func isOpaque(_ image: Image) -> Bool {
        guard image.metadata.hasAlpha else { return true }
        return (0..<image.size.height).allSatisfy { y in
            guard let row = unsafe image.pixels.row(y)?.assumingMemoryBound(to: UInt8.self).baseAddress else { return true }
            return unsafe sdpx_is_opaque(row, image.size.width) != 0
        }
    }

    /// Returns the data of IHDR; compression, filter and interlace method are 0.
    static func header(_ size: PixelSize, depth: UInt8, colorType: UInt8) -> [UInt8] {
        size.width.pngBytes + size.height.pngBytes + [depth, colorType, 0, 0, 0]
    }
}
