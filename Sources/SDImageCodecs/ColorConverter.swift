import Glibc
import SDImage

/// The way from the colours of a file to sRGB, by Little CMS where a profile says it; transforms of the last few profiles
/// are kept. Where `output` is float the way ends in light, which keeps what sRGB has no room for.
///
/// A profile that is damaged, or of another colour space than the pixels, counts as sRGB, as in browsers.
package enum ColorConverter {
    private static let keptProfiles = 8
    private static let cache = TransformCache(capacity: keptProfiles)

    /// For rows of `format`, which came from grey samples when `isGray`. nil when nothing needs to be done.
    package static func transform(
        profile: Bytes, format: PixelFormat, isGray: Bool, output: PixelFormat? = nil
    ) -> (any RowTransform)? {
        let isFloat = output == .rgbaFloat && !isGray
        let made: any Sendable = cache.value(profile: profile, use: .rows(format, isGray: isGray, isFloat: isFloat)) {
            TransformCache.Rows(transform: make(profile, format: format, isGray: isGray, isFloat: isFloat))
        }
        return (made as? TransformCache.Rows)?.transform
    }

    /// From 8-bit CMYK, where 0 is no ink, or full ink when `isInverted` (Adobe), to RGB. nil when the profile is
    /// damaged or not of CMYK.
    package static func cmykTransform(profile: Bytes, isInverted: Bool) -> CMYKTransform? {
        let made: any Sendable = cache.value(profile: profile, use: .cmyk(isInverted: isInverted)) {
            TransformCache.CMYK(transform: CMYKTransform(profile: profile, isInverted: isInverted))
        }
        return (made as? TransformCache.CMYK)?.transform
    }

    /// For rows of `format`. nil when the encoding is as good as sRGB.
    package static func transform(
        encoding: RGBEncoding, format: PixelFormat, isGray: Bool, output: PixelFormat? = nil
    ) -> (any RowTransform)? {
        if encoding.isStandard(primariesMatter: !isGray) { return nil }
        if output == .rgbaFloat || encoding.curve.isHighDynamicRange {
            return LightTransform(encoding: encoding, format: format, isGray: isGray, output: output ?? format)
        }
        if isGray || encoding.hasStandardPrimaries { return ToneTable(format: format, toLinear: encoding.curve.toLinear) }
        return ICCTransform(encoding: encoding, format: format)
    }

    /// For the at-fork handlers.
    package static func lockForFork() { cache.lockForFork() }
    package static func unlockAfterFork() { cache.unlockAfterFork() }

    private static func make(_ profile: Bytes, format: PixelFormat, isGray: Bool, isFloat: Bool) -> (any RowTransform)? {
        if isGray { return ToneTable(format: format, profile: profile) }
        let standard = ICCTransform(profile: profile, format: format)
        // What is as good as sRGB is so as light too.
        guard standard != nil else { return nil }
        if let light = LightTransform(profile: profile, format: format, output: isFloat ? .rgbaFloat : format) { return light }
        return isFloat ? ICCLightTransform(profile: profile) ?? standard : standard
    }
}
