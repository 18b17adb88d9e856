import Glibc
import SDImage

/// Conversion from the colors of a file to sRGB, with Little CMS for profiles. Caches the most recent transforms. With a float
/// `output`, the result is linear light, which keeps colors outside sRGB.
///
/// A profile that is damaged or does not match the color space of the pixels counts as sRGB, as in browsers.
///
/// Coders call it for each decode, on any thread; the cache has the only lock. Gray and simple profiles take shortcuts without
/// Little CMS (`ToneTable`, `LightTransform`).
package enum ColorConverter {
    /// A transform has tables of up to 256 KiB.
    private static let cache = TransformCache(capacity: 8)

    /// Returns the transform for rows of `format`, decoded from gray samples when `isGray`. nil when none is needed.
    package static func transform(
        profile: Bytes, format: PixelFormat, isGray: Bool, output: PixelFormat? = nil
    ) -> (any RowTransform)? {
        // Gray becomes float after the conversion: `ToneTable` has integers only.
        let isFloat = output == .rgbaFloat && !isGray
        return cached(.profile(profile), use: .rows(format, isGray: isGray, output: isFloat ? output : nil)) {
            make(profile, format: format, isGray: isGray, isFloat: isFloat)
        }
    }

    /// Returns the transform from 8-bit CMYK to RGB. 0 means no ink, or full ink when `isInverted` (Adobe). nil when the profile
    /// is damaged or not a CMYK profile.
    package static func cmykTransform(profile: Bytes, isInverted: Bool) -> CMYKTransform? {
        let made: any Sendable = cache.value(.profile(profile), use: .cmyk(isInverted: isInverted)) {
            TransformCache.CMYK(transform: CMYKTransform(profile: profile, isInverted: isInverted))
        }
        return (made as? TransformCache.CMYK)?.transform
    }

    /// Returns the transform for rows of `format`; nil when the encoding is equivalent to sRGB. Without `tones`, integers of PQ and
    /// HLG are mapped for content of 1000 cd/m².
    package static func transform(
        encoding: RGBEncoding, format: PixelFormat, isGray: Bool, output: PixelFormat? = nil, tones: ToneMapping? = nil
    ) -> (any RowTransform)? {
        if encoding.isStandard(primariesMatter: !isGray) { return nil }
        let transform = cached(.encoding(encoding), use: .rows(format, isGray: isGray, output: output)) {
            make(encoding, format: format, isGray: isGray, output: output)
        }
        // The tone mapping is that of one image, and the tables serve all.
        guard let tones, let light = transform as? LightTransform else { return transform }
        return light.with(tones)
    }

    /// Locks the cache; for the at-fork handlers.
    package static func lockForFork() { cache.lockForFork() }
    package static func unlockAfterFork() { cache.unlockAfterFork() }

    /// Returns the cached transform, or the one that `make` creates. nil when none is needed.
    private static func cached(
        _ colors: TransformCache.Colors, use: TransformCache.Use, make: () -> (any RowTransform)?
    ) -> (any RowTransform)? {
        let made: any Sendable = cache.value(colors, use: use) { TransformCache.Rows(transform: make()) }
        return (made as? TransformCache.Rows)?.transform
    }

    private static func make(
        _ encoding: RGBEncoding, format: PixelFormat, isGray: Bool, output: PixelFormat?
    ) -> (any RowTransform)? {
        if output == .rgbaFloat || encoding.curve.isHighDynamicRange {
            return LightTransform(encoding: encoding, format: format, isGray: isGray, output: output ?? format)
        }
        if isGray || encoding.hasStandardPrimaries { return ToneTable(encoding: encoding, format: format) }
        // Little CMS has no encoding with a narrow range.
        guard encoding.isFullRange else {
            return LightTransform(encoding: encoding, format: format, isGray: false, output: format)
        }
        return ICCTransform(encoding: encoding, format: format)
    }

    /// Creates a transform for a profile: the fastest that gives the same result.
    private static func make(_ profile: Bytes, format: PixelFormat, isGray: Bool, isFloat: Bool) -> (any RowTransform)? {
        if isGray { return ToneTable(format: format, profile: profile) }
        let standard = ICCTransform(profile: profile, format: format)
        // A profile equivalent to sRGB needs no transform to linear light either.
        guard standard != nil else { return nil }
        if let light = LightTransform(profile: profile, format: format, output: isFloat ? .rgbaFloat : format) { return light }
        return isFloat ? ICCLightTransform(profile: profile) ?? standard : standard
    }
}
