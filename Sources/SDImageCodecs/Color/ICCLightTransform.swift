import CLCMS
import SDImage
import SDImagePixels

/// Converts integer RGB rows from a profile to linear light as float. Colors outside sRGB are kept if the profile has no tables.
/// For profiles that `LightTransform` cannot express. Thread-safe, like `ICCTransform`.
@safe final class ICCLightTransform: RowTransform {
    /// Must outlive `handle`.
    private let context: ICCContext
    nonisolated(unsafe) private let handle: cmsHTRANSFORM

    /// nil when the profile is unusable or not an RGB profile.
    init?(profile: Bytes) {
        guard let context = ICCContext(), let source = unsafe context.open(profile, space: cmsSigRgbData) else { return nil }
        defer { unsafe cmsCloseProfile(source) }
        // Linear sRGB as a profile with a pure power, which Little CMS does not clip.
        guard let target = unsafe context.open(.light) else { return nil }
        defer { unsafe cmsCloseProfile(target) }
        guard let handle = unsafe context.transform(from: source, CLCMS_RGBA_FLOAT, to: target, CLCMS_RGBA_FLOAT) else {
            return nil
        }
        self.context = context
        unsafe self.handle = unsafe handle
    }

    deinit { unsafe cmsDeleteTransform(handle) }

    func output(for format: PixelFormat) -> PixelFormat { .rgbaFloat }

    /// Does nothing: no integer format can hold linear light.
    func apply(_ row: UnsafeMutableRawBufferPointer, pixels: Int, format: PixelFormat) {}

    func apply(
        _ source: UnsafeRawBufferPointer, to target: UnsafeMutableRawBufferPointer, pixels: Int, format: PixelFormat
    ) {
        guard pixels > 0, let count = UInt32(exactly: pixels), format != .rgbaFloat,
            source.count / format.bytesPerPixel >= pixels, target.count / PixelFormat.rgbaFloat.bytesPerPixel >= pixels,
            let from = source.baseAddress,
            let to = target.baseAddress
        else { return }
        unsafe sdpx_unit_row(to.assumingMemoryBound(to: Float.self), from, format.rawValue, pixels)
        // Alpha is outside the color channels and not written.
        unsafe cmsDoTransform(handle, to, to, count)
    }
}
