import SDImage

/// The color space declared by a V4 or V5 header ([MS-WMF] 2.1.1.14, 2.2.2.4, 2.2.2.5). Part of `BMPHeader`.
enum BMPColorSpace {
    /// sRGB, or unknown.
    case standard
    /// Defined by three endpoints and three gammas.
    case calibrated(RGBEncoding)
    /// Location of the ICC profile in the bytes.
    case profile(Range<Int>)

    /// LCS_CALIBRATED_RGB and PROFILE_EMBEDDED. The other types count as sRGB.
    private static let calibratedType = 0, embeddedType = 0x4D42_4544
    /// Offsets of fields in the header.
    private static let typeOffset = 56, endpointsOffset = 60, gammaOffset = 96
    private static let profileOffset = 112, profileLengthOffset = 116

    /// Values that describe no color space count as sRGB.
    init(_ values: BMPHeaderFields) {
        self = .standard
        guard values.hasColorSpace else { return }
        if values.u32(BMPColorSpace.typeOffset) == BMPColorSpace.calibratedType {
            let points = BMPColorSpace.chromaticities(values)
            let encoding = RGBEncoding(gamma: BMPColorSpace.gamma(values), chromaticities: points)
            if let encoding { self = .calibrated(encoding) }
        } else if values.hasProfile, values.u32(BMPColorSpace.typeOffset) == BMPColorSpace.embeddedType {
            // The offset counts from the start of the header; the range may exceed the file.
            let start = values.start + values.u32(BMPColorSpace.profileOffset)
            self = .profile(start..<start + values.u32(BMPColorSpace.profileLengthOffset))
        }
    }

    /// The ICC profile, if there is one within the limit.
    func profile(in bytes: Bytes, limits: DecodeLimits) -> Bytes? {
        guard case .profile(let range) = self, !range.isEmpty, range.count <= limits.metadataBytes else { return nil }
        return bytes.slice(range)
    }

    /// Returns the transform for rows of `format`, in RGB order; nil when none is needed.
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

    // MARK: Values in the units of PNG's cHRM and gAMA

    /// The factor of both chunks.
    private static let perUnit = 100_000.0
    /// Chromaticity of D65.
    private static let daylight = [31270, 32900]

    /// Returns x and y of white, red, green and blue. Endpoints are CIE XYZ with 30 fractional bits. Most writers store x, y and
    /// z there, which add up to 1 and do not determine white.
    private static func chromaticities(_ values: BMPHeaderFields) -> [Int]? {
        let points = (0..<3).map { color in
            (0..<3).map { Double(values.u32(endpointsOffset + color * 12 + $0 * 4)) / Double(1 << 30) }
        }
        let sums = points.map { $0[0] + $0[1] + $0[2] }
        guard sums.allSatisfy({ $0 > 0 }) else { return nil }
        let isNormalised = sums.allSatisfy { abs($0 - 1) < 0.01 }
        let white = (0..<3).map { axis in points[0][axis] + points[1][axis] + points[2][axis] }
        return (isNormalised ? daylight : scaled(white)) + points.flatMap(scaled)
    }

    /// The chromaticity of a point in XYZ.
    private static func scaled(_ point: [Double]) -> [Int] {
        let sum = point[0] + point[1] + point[2]
        return [Int((point[0] / sum * perUnit).rounded()), Int((point[1] / sum * perUnit).rounded())]
    }

    /// The gamma of green, which has the largest weight. Some writers store 2.2 and some 1/2.2; the exponent of a display is
    /// never below 1.
    private static func gamma(_ values: BMPHeaderFields) -> Int? {
        let stored = Double(values.u32(gammaOffset + 4)) / 65536
        guard stored > 0.1, stored < 10 else { return nil }
        return Int(((stored < 1 ? stored : 1 / stored) * perUnit).rounded())
    }
}
