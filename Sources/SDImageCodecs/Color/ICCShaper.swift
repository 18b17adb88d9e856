import CLCMS
import SDImage

/// A profile without tables: one curve for all three channels, and the matrix from its linear RGB to linear sRGB. With it,
/// `LightTransform` and `RGBLight` convert without Little CMS.
struct ICCShaper {
    /// Linear light for evenly spaced stored values from 0 to 1.
    let curve: [Float]
    let matrix: Matrix3x3
}

extension ICCContext {
    /// Tags of the curves, and of the columns of the matrix.
    private static let curves = [cmsSigRedTRCTag, cmsSigGreenTRCTag, cmsSigBlueTRCTag]
    private static let columns = [cmsSigRedColorantTag, cmsSigGreenColorantTag, cmsSigBlueColorantTag]
    /// Tags of tables. Little CMS prefers them when a profile has both.
    private static let tables = [cmsSigAToB0Tag, cmsSigAToB1Tag]

    /// nil when the profile is damaged, has tables, has different curves per channel, or maps 0 to a lighter black, which Little
    /// CMS compensates for.
    func shaper(_ profile: Bytes, values: Int) -> ICCShaper? {
        guard let source = unsafe open(profile, space: cmsSigRgbData) else { return nil }
        defer { unsafe cmsCloseProfile(source) }
        // Everything else is left to Little CMS.
        guard unsafe cmsIsMatrixShaper(source) != 0, !ICCContext.tables.contains(where: { unsafe cmsIsTag(source, $0) != 0 }),
            let curve = unsafe curve(source, values: values), let from = unsafe matrix(source),
            let back = RGBEncoding.fromConnectionSpace, let black = curve.first, abs(black) < 1e-4
        else { return nil }
        return ICCShaper(curve: curve, matrix: back.multiplied(by: from))
    }

    /// Returns the curve that all channels share, compared at a few points; nil if they differ.
    private func curve(_ profile: cmsHPROFILE, values: Int) -> [Float]? {
        let coarse = 64
        var first: [Float]?
        for tag in ICCContext.curves {
            guard let curve = unsafe cmsReadTag(profile, tag).map({ OpaquePointer($0) }) else { return nil }
            let samples = unsafe ICCContext.samples(curve, coarse)
            if let first, first != samples { return nil }
            first = samples
        }
        return unsafe cmsReadTag(profile, cmsSigRedTRCTag).map { unsafe ICCContext.samples(OpaquePointer($0), values) }
    }

    /// The values of a curve at `count` evenly spaced points from 0 to 1.
    private static func samples(_ curve: OpaquePointer, _ count: Int) -> [Float] {
        (0..<count).map { unsafe cmsEvalToneCurveFloat(curve, Float($0) / Float(count - 1)) }
    }

    /// Returns the matrix from linear RGB to the profile connection space XYZ, with white D50.
    private func matrix(_ profile: cmsHPROFILE) -> Matrix3x3? {
        var columns: [[Double]] = []
        for tag in ICCContext.columns {
            guard let value = unsafe cmsReadTag(profile, tag) else { return nil }
            let color = unsafe value.load(as: cmsCIEXYZ.self)
            columns.append([color.X, color.Y, color.Z])
        }
        return Matrix3x3((0..<3).map { row in columns.map { $0[row] } })
    }
}
