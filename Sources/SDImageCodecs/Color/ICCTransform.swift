import CLCMS
import SDImage

/// Converts RGB rows of one format from a profile to sRGB, in place.
///
/// Created without Little CMS's one-pixel cache, which is its only state, so it is thread-safe. `ColorConverter` caches it.
@safe final class ICCTransform: RowTransform {
    /// Must outlive `handle`.
    private let context: ICCContext
    nonisolated(unsafe) private let handle: cmsHTRANSFORM
    private let format: PixelFormat

    /// nil when the profile is unusable, not an RGB profile, or equivalent to sRGB.
    init?(profile: Bytes, format: PixelFormat) {
        guard let context = ICCContext(), let source = unsafe context.open(profile, space: cmsSigRgbData) else { return nil }
        defer { unsafe cmsCloseProfile(source) }
        guard let handle = unsafe ICCTransform.make(context, source, format: format) else { return nil }
        self.context = context
        unsafe self.handle = unsafe handle
        self.format = format
    }

    /// nil when the values describe no color space, or sRGB.
    init?(encoding: RGBEncoding, format: PixelFormat) {
        guard let context = ICCContext(), let source = unsafe context.open(encoding) else { return nil }
        defer { unsafe cmsCloseProfile(source) }
        guard let handle = unsafe ICCTransform.make(context, source, format: format) else { return nil }
        self.context = context
        unsafe self.handle = unsafe handle
        self.format = format
    }

    deinit { unsafe cmsDeleteTransform(handle) }

    func apply(_ row: UnsafeMutableRawBufferPointer, pixels: Int, format: PixelFormat) {
        guard format == self.format, let base = row.baseAddress, pixels > 0, let count = UInt32(exactly: pixels),
            row.count >= pixels * format.bytesPerPixel
        else { return }
        // Alpha is outside the color channels and not written.
        unsafe cmsDoTransform(handle, base, base, count)
    }

    /// Creates the transform for a format; nil if it would change nothing, or the format is not straight RGB of integers.
    private static func make(_ context: ICCContext, _ source: cmsHPROFILE, format: PixelFormat) -> cmsHTRANSFORM? {
        guard let layout = layout(format) else { return nil }
        // Compared with 8 bits, whatever the format of the rows.
        guard let probe = unsafe context.transform(from: source, CLCMS_RGB_8, to: CLCMS_RGB_8) else { return nil }
        defer { unsafe cmsDeleteTransform(probe) }
        return unsafe changesNothing(probe) ? nil : context.transform(from: source, layout, to: layout)
    }

    /// The description of a format for Little CMS.
    private static func layout(_ format: PixelFormat) -> Int? {
        switch format {
        case .rgb8: CLCMS_RGB_8
        case .rgba8: CLCMS_RGBA_8
        case .rgb16: CLCMS_RGB_16
        case .rgba16: CLCMS_RGBA_16
        default: nil
        }
    }

    /// True when no color of a 6 × 6 × 6 grid changes by more than 1: many profiles are sRGB under other names.
    private static func changesNothing(_ transform: cmsHTRANSFORM) -> Bool {
        let steps: [UInt8] = [0, 51, 102, 153, 204, 255]
        let colors = steps.flatMap { red in steps.flatMap { green in steps.flatMap { blue in [red, green, blue] } } }
        var results = colors
        unsafe cmsDoTransform(transform, colors, &results, UInt32(colors.count / 3))
        return zip(colors, results).allSatisfy { abs(Int($0) - Int($1)) <= 1 }
    }

    /// Maps `values` evenly spaced samples through a gray profile to 16-bit sRGB; nil when the profile is unusable.
    static func grayCurve(profile: Bytes, values: Int) -> [UInt16]? {
        guard values > 1, let context = ICCContext(), let source = unsafe context.open(profile, space: cmsSigGrayData) else {
            return nil
        }
        defer { unsafe cmsCloseProfile(source) }
        guard let transform = unsafe context.transform(from: source, CLCMS_GRAY_16, to: CLCMS_RGB_16) else { return nil }
        defer { unsafe cmsDeleteTransform(transform) }
        let samples = (0..<values).map { UInt16($0 * 65535 / (values - 1)) }
        var results = [UInt16](repeating: 0, count: values * 3)
        unsafe cmsDoTransform(transform, samples, &results, UInt32(values))
        // Gray has three equal channels.
        return stride(from: 1, to: results.count, by: 3).map { results[$0] }
    }
}
