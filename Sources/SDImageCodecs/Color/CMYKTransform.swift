import CLCMS
import SDImage

/// 8-bit CMYK rows to RGB by a profile; usable from several threads at once.
@safe package final class CMYKTransform: Sendable {
    private let context: ICCContext
    nonisolated(unsafe) private let handle: cmsHTRANSFORM

    /// nil when the profile is unusable or not of CMYK.
    init?(profile: Bytes, isInverted: Bool) {
        guard let context = ICCContext(), let source = unsafe context.open(profile, space: cmsSigCmykData) else { return nil }
        defer { unsafe cmsCloseProfile(source) }
        let layout = isInverted ? CLCMS_CMYK_8_INVERTED : CLCMS_CMYK_8
        guard let handle = unsafe context.transform(from: source, layout, to: CLCMS_RGB_8) else { return nil }
        self.context = context
        unsafe self.handle = unsafe handle
    }

    deinit { unsafe cmsDeleteTransform(handle) }

    /// 4 bytes a pixel in, 3 bytes a pixel out; does nothing where either row is too short. The rows may not overlap.
    package func apply(_ source: UnsafeRawBufferPointer, to target: UnsafeMutableRawBufferPointer, pixels: Int) {
        guard let from = source.baseAddress, let to = target.baseAddress, pixels > 0, let count = UInt32(exactly: pixels),
            source.count / 4 >= pixels, target.count / 3 >= pixels
        else { return }
        unsafe cmsDoTransform(handle, from, to, count)
    }
}
