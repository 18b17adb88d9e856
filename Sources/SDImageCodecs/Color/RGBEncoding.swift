import Glibc
import SDImage

/// An RGB color space described by numbers instead of a profile: from chunks of PNG, headers of BMP, or code points (ITU-T
/// H.273). `ColorConverter` makes transforms of it.
package struct RGBEncoding: Equatable, Sendable {
    /// Maps the stored value, 0 … 1, to linear light, with 1 for white.
    package enum Curve: Equatable, Sendable {
        case sRGB
        case power(Double)
        /// ITU-R BT.709 and BT.2020.
        case video
        /// SMPTE ST 2084: up to 10,000 cd/m².
        case pq
        /// ARIB STD-B67: scene light, with 1 for the maximum.
        case hlg

        var isHighDynamicRange: Bool { self == .pq || self == .hlg }

        var toLinear: @Sendable (Double) -> Double {
            switch self {
            case .pq: { RGBEncoding.pq($0) / CodePoints.referenceWhite }
            case .hlg: RGBEncoding.hlg
            case .sRGB: { $0 <= 0.04045 ? $0 / 12.92 : pow(($0 + 0.055) / 1.055, 2.4) }
            case .power(let exponent): { pow($0, exponent) }
            case .video: { $0 < 0.081 ? $0 / 4.5 : pow(($0 + 0.099) / 1.099, 1 / 0.45) }
            }
        }
    }

    /// A point of the CIE 1931 xy diagram.
    package struct Point: Equatable, Sendable {
        let x: Double
        let y: Double
    }

    let curve: Curve
    let white: Point
    /// Red, green, blue.
    let primaries: [Point]
    /// False for samples from 16 to 235 of 255 (ITU-T H.273, section 8.3).
    let isFullRange: Bool

    /// Linear sRGB.
    static let light = RGBEncoding(curve: .power(1), white: daylight, primaries: standardPrimaries)

    /// White of the profile connection space (ICC.1:2010, 7.2.16): XYZ of 0.9642, 1 and 0.8249.
    private static let connectionWhite = Point(x: 0.9642 / 2.7891, y: 1 / 2.7891)
    /// White of sRGB: D65.
    private static let daylight = Point(x: 0.3127, y: 0.3290)
    /// Primaries of ITU-R BT.709 and sRGB.
    private static let standardPrimaries = [Point(x: 0.64, y: 0.33), Point(x: 0.30, y: 0.60), Point(x: 0.15, y: 0.06)]
    /// Differences below this are invisible.
    private static let tolerance = 0.002

    /// Reads the PNG chunks gAMA and cHRM, both multiplied by 100,000; nil when both are missing or unusable.
    package init?(gamma: Int?, chromaticities: [Int]?) {
        let points = chromaticities.flatMap(RGBEncoding.points)
        guard gamma ?? 0 > 0 || points != nil else { return nil }
        curve = gamma.flatMap(RGBEncoding.curve) ?? .sRGB
        white = points?[0] ?? RGBEncoding.daylight
        primaries = points.map { Array($0[1...3]) } ?? RGBEncoding.standardPrimaries
        isFullRange = true
    }

    private init(curve: Curve, white: Point, primaries: [Point], isFullRange: Bool = true) {
        self.curve = curve
        self.white = white
        self.primaries = primaries
        self.isFullRange = isFullRange
    }

    /// RGB samples (ITU-T H.273, tables 2 and 3); nil for unknown code points.
    package init?(codePoints: CodePoints) {
        guard let space = RGBEncoding.space(codePoints.primaries), let curve = RGBEncoding.transfer(codePoints.transfer)
        else { return nil }
        self.init(
            curve: curve, white: space.white, primaries: space.primaries, isFullRange: !codePoints.hasNarrowPixels)
    }

    /// Linear light of a sample, a share of `top`: 255 for 8 bits, 65535 for 16.
    func toLinear(_ sample: Double, top: Int) -> Double {
        // Black is 16 and white 235 in units of 8 bits; values beyond them are clipped.
        guard !isFullRange else { return curve.toLinear(sample) }
        let unit = Double(top + 1) / 256
        return curve.toLinear(min(max((sample * Double(top) - 16 * unit) / (219 * unit), 0), 1))
    }

    /// nil when the values describe no color space.
    var toXYZ: Matrix3x3? { Matrix3x3(primaries: primaries, white: white) }

    /// Converts linear light of these primaries to linear light of sRGB primaries.
    var toStandard: Matrix3x3? {
        guard let toXYZ, let fromXYZ = RGBEncoding.fromXYZ(white: white) else { return nil }
        return fromXYZ.multiplied(by: toXYZ)
    }

    /// Converts the profile connection space to linear light of sRGB primaries.
    static let fromConnectionSpace = fromXYZ(white: connectionWhite)

    /// Converts XYZ with this white to linear light of sRGB primaries.
    private static func fromXYZ(white: Point) -> Matrix3x3? {
        guard let adaptation = Matrix3x3.adaptation(from: white, to: daylight),
            let fromXYZ = Matrix3x3(primaries: standardPrimaries, white: daylight)?.inverse
        else { return nil }
        return fromXYZ.multiplied(by: adaptation)
    }

    /// True when white and primaries are those of sRGB, within the tolerance.
    var hasStandardPrimaries: Bool {
        zip([white] + primaries, [RGBEncoding.daylight] + RGBEncoding.standardPrimaries).allSatisfy {
            abs($0.x - $1.x) < RGBEncoding.tolerance && abs($0.y - $1.y) < RGBEncoding.tolerance
        }
    }

    /// True when samples are sRGB. Primaries do not matter for gray.
    func isStandard(primariesMatter: Bool) -> Bool {
        curve == .sRGB && isFullRange && (!primariesMatter || hasStandardPrimaries)
    }

    /// Returns the curve for a stored gamma. Writers mean sRGB by 1/2.2, not the exact power.
    private static func curve(_ gamma: Int) -> Curve? {
        guard gamma > 0 else { return nil }
        return abs(gamma - 45455) <= 500 ? .sRGB : .power(100_000 / Double(gamma))
    }

    /// Converts x and y of white, red, green and blue, each multiplied by 100,000; nil when they are out of range.
    private static func points(_ values: [Int]) -> [Point]? {
        guard values.count == 8, values.allSatisfy({ (0...100_000).contains($0) }) else { return nil }
        let points = (0..<4).map { Point(x: Double(values[$0 * 2]) / 100_000, y: Double(values[$0 * 2 + 1]) / 100_000) }
        // `Matrix3x3` divides by the y of white.
        return points[0].y > 0 ? points : nil
    }

    /// The curve of a transfer characteristic (ITU-T H.273, table 3); nil for those that are not supported.
    private static func transfer(_ code: UInt8) -> Curve? {
        switch code {
        case 1, 6, 14, 15: .video
        case 4: .power(2.2)
        case 5: .power(2.8)
        case 8: .power(1)
        case 13: .sRGB
        case 16: .pq
        case 18: .hlg
        default: nil
        }
    }

    /// White and primaries of a color space (ITU-T H.273, table 2); nil for those that are not supported.
    private static func space(_ code: UInt8) -> (white: Point, primaries: [Point])? {
        switch code {
        case 1: (daylight, standardPrimaries)
        case 5: (daylight, [Point(x: 0.64, y: 0.33), Point(x: 0.29, y: 0.60), Point(x: 0.15, y: 0.06)])
        case 6, 7: (daylight, [Point(x: 0.630, y: 0.340), Point(x: 0.310, y: 0.595), Point(x: 0.155, y: 0.070)])
        case 9: (daylight, [Point(x: 0.708, y: 0.292), Point(x: 0.170, y: 0.797), Point(x: 0.131, y: 0.046)])
        case 12: (daylight, [Point(x: 0.680, y: 0.320), Point(x: 0.265, y: 0.690), Point(x: 0.150, y: 0.060)])
        default: nil
        }
    }

    /// The EOTF of SMPTE ST 2084 (ITU-R BT.2100, table 4), in cd/m².
    private static func pq(_ value: Double) -> Double {
        let root = pow(max(value, 0), 32.0 / 2523)
        let base = max(root - 3424.0 / 4096, 0) / (2413.0 / 128 - 2392.0 / 128 * root)
        return CodePoints.pqPeak * pow(base, 16384.0 / 2610)
    }

    /// The inverse OETF of ITU-R BT.2100, table 5.
    private static func hlg(_ value: Double) -> Double {
        let a = 0.17883277
        let (b, c) = (1 - 4 * a, 0.5 - a * log(4 * a))
        return value <= 0.5 ? value * value / 3 : (exp((value - c) / a) + b) / 12
    }
}
