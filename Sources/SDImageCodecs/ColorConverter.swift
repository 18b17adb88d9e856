import Glibc
import SDImage

/// The way from the colours of a file to sRGB, by Little CMS; transforms of the last few profiles are kept.
///
/// A profile that is damaged, or of another colour space than the pixels, counts as sRGB, as in browsers.
package enum ColorConverter {
    private static let keptProfiles = 8
    private static let cache = TransformCache(capacity: keptProfiles)

    /// For rows of `format`, which came from grey samples when `isGray`. nil when nothing needs to be done.
    package static func transform(profile: Bytes, format: PixelFormat, isGray: Bool) -> (any RowTransform)? {
        let use = TransformCache.Use.rows(format, isGray: isGray)
        let made: any Sendable = cache.value(profile: profile, use: use) {
            TransformCache.Rows(transform: make(profile, format: format, isGray: isGray))
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
    package static func transform(encoding: RGBEncoding, format: PixelFormat, isGray: Bool) -> (any RowTransform)? {
        if encoding.isStandard(primariesMatter: !isGray) { return nil }
        if isGray || encoding.hasStandardPrimaries { return ToneTable(format: format, toLinear: encoding.curve.toLinear) }
        return ICCTransform(encoding: encoding, format: format)
    }

    /// For the at-fork handlers.
    package static func lockForFork() { cache.lockForFork() }
    package static func unlockAfterFork() { cache.unlockAfterFork() }

    private static func make(_ profile: Bytes, format: PixelFormat, isGray: Bool) -> (any RowTransform)? {
        isGray ? ToneTable(format: format, profile: profile) : ICCTransform(profile: profile, format: format)
    }
}
