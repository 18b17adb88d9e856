/// Memory layout of a pixel; the raw values are those of `sdimage_pixel_format`.
///
/// Samples are in native byte order. "Premultiplied": color is multiplied by alpha. Float samples are linear light with
/// the primaries of sRGB; 1 is the white of standard dynamic range, and samples may exceed it.
package enum PixelFormat: Int32, Sendable, CaseIterable {
    case gray8 = 1
    case rgb8 = 2
    case rgba8 = 3
    case rgba8Premultiplied = 4
    case bgra8Premultiplied = 5
    case gray16 = 6
    case rgb16 = 7
    case rgba16 = 8
    case rgbaFloat = 9

    /// Number of samples of a pixel.
    package var channels: Int {
        switch self {
        case .gray8, .gray16: 1
        case .rgb8, .rgb16: 3
        case .rgba8, .rgba8Premultiplied, .bgra8Premultiplied, .rgba16, .rgbaFloat: 4
        }
    }

    package var bytesPerChannel: Int {
        switch self {
        case .gray8, .rgb8, .rgba8, .rgba8Premultiplied, .bgra8Premultiplied: 1
        case .gray16, .rgb16, .rgba16: 2
        case .rgbaFloat: 4
        }
    }

    package var bytesPerPixel: Int { channels * bytesPerChannel }
    package var hasAlpha: Bool { channels == 4 }

    /// The format of the same depth with an alpha channel.
    var withAlpha: PixelFormat {
        switch self {
        case .gray8, .rgb8: .rgba8
        case .gray16, .rgb16: .rgba16
        default: self
        }
    }

    /// The format of the same channels with 8 bits each. Float samples have an alpha channel, which is dropped without `hasAlpha`.
    func with8Bits(hasAlpha: Bool) -> PixelFormat {
        switch self {
        case .gray8, .rgb8, .rgba8, .rgba8Premultiplied, .bgra8Premultiplied: self
        case .gray16: .gray8
        case .rgb16: .rgb8
        case .rgba16: .rgba8
        case .rgbaFloat: hasAlpha ? .rgba8 : .rgb8
        }
    }

    package var isPremultiplied: Bool { self == .rgba8Premultiplied || self == .bgra8Premultiplied }
}
