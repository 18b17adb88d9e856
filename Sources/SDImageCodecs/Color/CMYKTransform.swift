import CLCMS
import SDImage

/// Converts 8-bit CMYK rows to sRGB with a profile; thread-safe. `ColorConverter` creates and caches it for `JPEGDecoder`.
@safe package final class CMYKTransform: Sendable {
    /// Must outlive `handle`.
    private let context: ICCContext
    nonisolated(unsafe) private let handle: cmsHTRANSFORM

    /// nil when the profile is unusable or not a CMYK profile.
    init?(profile: Bytes, isInverted: Bool) {
        guard let context = ICCContext(), let source = unsafe context.open(profile, space: cmsSigCmykData) else { return nil }
        defer { unsafe cmsCloseProfile(source) }
        let layout = isInverted ? CLCMS_CMYK_8_INVERTED : CLCMS_CMYK_8
        guard let handle = unsafe context.transform(from: source, layout, to: CLCMS_RGB_8) else { return nil }
        self.context = context
        unsafe self.handle = unsafe handle
    }

    deinit { unsafe cmsDeleteTransform(handle) }

    /// Reads 4 bytes per pixel and writes 3. Does nothing when a row is too short. The rows must not overlap.
    package func apply(_ source: UnsafeRawBufferPointer, to target: UnsafeMutableRawBufferPointer, pixels: Int) {
        guard let from = source.baseAddress, let to = target.baseAddress, pixels > 0, let count = UInt32(exactly: pixels),
            source.count / 4 >= pixels, target.count / 3 >= pixels
        else { return }
        unsafe cmsDoTransform(handle, from, to, count)
    }
}
