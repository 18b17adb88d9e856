import SDImage
import SDImagePixels

/// How the pixels of a picture are stored in a PNG (third edition, section 11.2.1).
struct PNGLayout {
    /// Rows are brought to it before they are stored.
    let format: PixelFormat

    var colorType: UInt8 { format.hasAlpha ? 6 : format.channels == 3 ? 2 : 0 }
    var depth: UInt8 { format.bytesPerChannel == 2 ? 16 : 8 }

    /// The smallest that holds every pixel as it is; whether all are opaque is looked at where that is quick.
    init(_ image: Image) {
        let isGray = image.metadata.colorProfile.map(PNGPrelude.isGray) ?? true
        switch image.pixels.format {
        case .gray8: format = isGray ? .gray8 : .rgb8
        case .gray16: format = isGray ? .gray16 : .rgb16
        case .rgb8: format = .rgb8
        case .rgb16: format = .rgb16
        case .rgba16, .rgbaFloat: format = image.metadata.hasAlpha ? .rgba16 : .rgb16
        case .rgba8, .rgba8Premultiplied, .bgra8Premultiplied: format = PNGLayout.isOpaque(image) ? .rgb8 : .rgba8
        }
    }

    /// Of pictures with 4 bytes a pixel, of which the last is alpha.
    static func isOpaque(_ image: Image) -> Bool {
        guard image.metadata.hasAlpha else { return true }
        return (0..<image.size.height).allSatisfy { y in
            guard let row = unsafe image.pixels.row(y)?.assumingMemoryBound(to: UInt8.self).baseAddress else { return true }
            return unsafe sdpx_is_opaque(row, image.size.width) != 0
        }
    }

    static func header(_ size: PixelSize, depth: UInt8, colorType: UInt8) -> [UInt8] {
        size.width.pngBytes + size.height.pngBytes + [depth, colorType, 0, 0, 0]
    }
}
