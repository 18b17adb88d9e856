import Glibc

/// An RGB colour space described by numbers instead of a profile.
package struct RGBEncoding: Sendable {
    /// From the stored value to light, both 0 … 1.
    package enum Curve: Hashable, Sendable {
        case sRGB
        case power(Double)
        /// ITU-R BT.709 and BT.2020.
        case video

        var toLinear: @Sendable (Double) -> Double {
            switch self {
            case .sRGB: { $0 <= 0.04045 ? $0 / 12.92 : pow(($0 + 0.055) / 1.055, 2.4) }
            case .power(let exponent): { pow($0, exponent) }
            case .video: { $0 < 0.081 ? $0 / 4.5 : pow(($0 + 0.099) / 1.099, 1 / 0.45) }
            }
        }
    }

    /// A point of the CIE 1931 xy diagram.
    package struct Point: Hashable, Sendable {
        let x: Double
        let y: Double
    }

    let curve: Curve
    let white: Point
    /// Red, green, blue.
    let primaries: [Point]

    private static let daylight = Point(x: 0.3127, y: 0.3290)
    /// ITU-R BT.709, which sRGB shares.
    private static let standardPrimaries = [Point(x: 0.64, y: 0.33), Point(x: 0.30, y: 0.60), Point(x: 0.15, y: 0.06)]
    /// Below this difference nobody sees one.
    private static let tolerance = 0.002

    /// From the PNG chunks gAMA and cHRM, both times 100,000; nil when there is neither, or nothing usable.
    package init?(gamma: Int?, chromaticities: [Int]?) {
        let points = chromaticities.flatMap(RGBEncoding.points)
        guard gamma ?? 0 > 0 || points != nil else { return nil }
        curve = gamma.flatMap(RGBEncoding.curve) ?? .sRGB
        white = points?[0] ?? RGBEncoding.daylight
        primaries = points.map { Array($0[1...3]) } ?? RGBEncoding.standardPrimaries
    }

    /// From the code points of cICP (ITU-T H.273, tables 2 and 3); nil for what has no place in sRGB's range, such as
    /// PQ and HLG, and for what is not RGB.
    package init?(codePoints: [UInt8]) {
        guard codePoints.count == 4, codePoints[2] == 0,
            let space = RGBEncoding.space(codePoints[0]), let curve = RGBEncoding.transfer(codePoints[1])
        else { return nil }
        self.curve = curve
        white = space.white
        primaries = space.primaries
    }

    var hasStandardPrimaries: Bool {
        zip([white] + primaries, [RGBEncoding.daylight] + RGBEncoding.standardPrimaries).allSatisfy {
            abs($0.x - $1.x) < RGBEncoding.tolerance && abs($0.y - $1.y) < RGBEncoding.tolerance
        }
    }

    func isStandard(primariesMatter: Bool) -> Bool { curve == .sRGB && (!primariesMatter || hasStandardPrimaries) }

    /// A stored gamma of 1/2.2 is how writers say "sRGB"; the exact power is not meant.
    private static func curve(_ gamma: Int) -> Curve? {
        guard gamma > 0 else { return nil }
        return abs(gamma - 45455) <= 500 ? .sRGB : .power(100_000 / Double(gamma))
    }

    private static func points(_ values: [Int]) -> [Point]? {
        guard values.count == 8, values.allSatisfy({ (0...100_000).contains($0) }) else { return nil }
        let points = (0..<4).map { Point(x: Double(values[$0 * 2]) / 100_000, y: Double(values[$0 * 2 + 1]) / 100_000) }
        return points[0].y > 0 ? points : nil
    }

    private static func transfer(_ code: UInt8) -> Curve? {
        switch code {
        case 1, 6, 14, 15: .video
        case 4: .power(2.2)
        case 5: .power(2.8)
        case 8: .power(1)
        case 13: .sRGB
        default: nil
        }
    }

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
}
