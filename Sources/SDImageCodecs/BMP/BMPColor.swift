import SDImage

/// The colour space that a V4 or V5 header names ([MS-WMF] 2.1.1.14, 2.2.2.4, 2.2.2.5).
enum BMPColor {
    /// sRGB, or nothing known.
    case standard
    /// By three colours and three gammas.
    case calibrated(RGBEncoding)
    /// Where the ICC profile lies in the bytes.
    case profile(Range<Int>)

    private static let calibratedType = 0, embeddedType = 0x4D42_4544
    private static let typeOffset = 56, endpointsOffset = 60, gammaOffset = 96
    private static let profileOffset = 112, profileLengthOffset = 116

    init(_ values: BMPHeaderValues) {
        self = .standard
        guard values.hasColorSpace else { return }
        if values.u32(BMPColor.typeOffset) == BMPColor.calibratedType {
            let points = BMPColor.chromaticities(values)
            let encoding = RGBEncoding(gamma: BMPColor.gamma(values), chromaticities: points)
            if let encoding { self = .calibrated(encoding) }
        } else if values.hasProfile, values.u32(BMPColor.typeOffset) == BMPColor.embeddedType {
            let start = values.start + values.u32(BMPColor.profileOffset)
            self = .profile(start..<start + values.u32(BMPColor.profileLengthOffset))
        }
    }

    /// The ICC profile, where there is one within the limit.
    func profile(in bytes: Bytes, limits: DecodeLimits) -> Bytes? {
        guard case .profile(let range) = self, !range.isEmpty, range.count <= limits.metadataBytes else { return nil }
        return bytes.slice(range)
    }

    /// For rows of `format`, red, green and blue; nil when there is nothing to do.
    func transform(
        in bytes: Bytes, format: PixelFormat, output: PixelFormat, limits: DecodeLimits
    ) -> (any RowTransform)? {
        switch self {
        case .standard: return nil
        case .calibrated(let encoding):
            return ColorConverter.transform(encoding: encoding, format: format, isGray: false, output: output)
        case .profile:
            return profile(in: bytes, limits: limits).flatMap {
                ColorConverter.transform(profile: $0, format: format, isGray: false, output: output)
            }
        }
    }

    // MARK: Numbers, as PNG has them in cHRM and gAMA

    private static let perUnit = 100_000.0
    /// The point of D65.
    private static let daylight = [31270, 32900]

    /// White, red, green and blue as x and y. Endpoints are CIE XYZ with 30 bits behind the point; most writers put x, y
    /// and z there, which add up to 1 and say nothing about white.
    private static func chromaticities(_ values: BMPHeaderValues) -> [Int]? {
        let points = (0..<3).map { color in
            (0..<3).map { Double(values.u32(endpointsOffset + color * 12 + $0 * 4)) / Double(1 << 30) }
        }
        let sums = points.map { $0[0] + $0[1] + $0[2] }
        guard sums.allSatisfy({ $0 > 0 }) else { return nil }
        let isNormalised = sums.allSatisfy { abs($0 - 1) < 0.01 }
        let white = (0..<3).map { axis in points[0][axis] + points[1][axis] + points[2][axis] }
        return (isNormalised ? daylight : scaled(white)) + points.flatMap(scaled)
    }

    private static func scaled(_ point: [Double]) -> [Int] {
        let sum = point[0] + point[1] + point[2]
        return [Int((point[0] / sum * perUnit).rounded()), Int((point[1] / sum * perUnit).rounded())]
    }

    /// Of green, which weighs most. Some write 2.2 and some 1/2.2: a display's exponent is never below 1.
    private static func gamma(_ values: BMPHeaderValues) -> Int? {
        let stored = Double(values.u32(gammaOffset + 4)) / 65536
        guard stored > 0.1, stored < 10 else { return nil }
        return Int(((stored < 1 ? stored : 1 / stored) * perUnit).rounded())
    }
}
