import CLCMS
import SDImage

/// A context of Little CMS. Each transform has its own, so that threads share nothing. Errors are only reported as NULL results.
@safe final class ICCContext: Sendable {
    nonisolated(unsafe) private let context: cmsContext

    /// nil when memory is missing.
    init?() {
        guard let context = unsafe cmsCreateContext(nil, nil) else { return nil }
        unsafe self.context = unsafe context
    }

    deinit { unsafe cmsDeleteContext(context) }

    /// Tags of multi-process elements, which Little CMS prefers to those of tables and curves.
    private static let elementTags = [cmsSigDToB0Tag, cmsSigDToB1Tag, cmsSigDToB2Tag, cmsSigDToB3Tag]

    /// Opens a profile, without its multi-process elements; nil when it is damaged, of another color space, or neither a device
    /// nor a color space profile. The caller closes it.
    func open(_ profile: Bytes, space: cmsColorSpaceSignature) -> cmsHPROFILE? {
        guard let size = UInt32(exactly: profile.count),
            let handle = unsafe cmsOpenProfileFromMemTHR(context, profile.pointer, size)
        else { return nil }
        let kinds = [cmsSigInputClass, cmsSigDisplayClass, cmsSigOutputClass, cmsSigColorSpaceClass]
        if unsafe cmsGetColorSpace(handle) == space, unsafe kinds.contains(cmsGetDeviceClass(handle)),
            unsafe removeElements(handle)
        {
            return unsafe handle
        }
        unsafe cmsCloseProfile(handle)
        return nil
    }

    /// Removes the multi-process elements; false if some remain. Thousands of entries of a list may refer to one element: each
    /// takes its memory again, and its time for each color, which no limit of a decode ends.
    private func removeElements(_ profile: cmsHPROFILE) -> Bool {
        for tag in ICCContext.elementTags { unsafe cmsWriteTag(profile, tag, nil) }
        return !ICCContext.elementTags.contains(where: { unsafe cmsIsTag(profile, $0) != 0 })
    }

    /// Creates a profile from primaries and a curve. The caller closes it.
    func open(_ encoding: RGBEncoding) -> cmsHPROFILE? {
        guard encoding.primaries.count == 3, let curve = unsafe toneCurve(encoding.curve) else { return nil }
        defer { unsafe cmsFreeToneCurve(curve) }
        var white = cmsCIExyY(x: encoding.white.x, y: encoding.white.y, Y: 1)
        let points = encoding.primaries.map { cmsCIExyY(x: $0.x, y: $0.y, Y: 1) }
        var primaries = cmsCIExyYTRIPLE(Red: points[0], Green: points[1], Blue: points[2])
        let curves: [OpaquePointer?] = unsafe [curve, curve, curve]
        return unsafe curves.withUnsafeBufferPointer {
            unsafe cmsCreateRGBProfileTHR(context, &white, &primaries, $0.baseAddress)
        }
    }

    /// Returns a curve: a pure power is unbounded; others have 4096 points, finer than the 8-bit steps of their darkest part.
    private func toneCurve(_ curve: RGBEncoding.Curve) -> OpaquePointer? {
        if case .power(let exponent) = curve { return unsafe cmsBuildGamma(context, exponent) }
        let points = 4096
        let values = (0..<points).map { Float(curve.toLinear(Double($0) / Double(points - 1))) }
        return unsafe cmsBuildTabulatedToneCurveFloat(context, UInt32(points), values)
    }

    /// Creates a transform to sRGB. The caller deletes it.
    func transform(from source: cmsHPROFILE, _ sourceLayout: Int, to targetLayout: Int) -> cmsHTRANSFORM? {
        guard let target = unsafe cmsCreate_sRGBProfileTHR(context) else { return nil }
        defer { unsafe cmsCloseProfile(target) }
        return unsafe transform(from: source, sourceLayout, to: target, targetLayout)
    }

    /// Creates a perceptual transform with black point compensation, which is relative colorimetric for profiles without tables.
    /// The caller deletes it.
    func transform(
        from source: cmsHPROFILE, _ sourceLayout: Int, to target: cmsHPROFILE, _ targetLayout: Int
    ) -> cmsHTRANSFORM? {
        // Without the cache of one pixel, a transform has no state and threads may share it.
        let flags = UInt32(cmsFLAGS_NOCACHE) | UInt32(cmsFLAGS_BLACKPOINTCOMPENSATION)
        return unsafe cmsCreateTransformTHR(
            context, source, UInt32(sourceLayout), target, UInt32(targetLayout), UInt32(INTENT_PERCEPTUAL), flags)
    }
}
