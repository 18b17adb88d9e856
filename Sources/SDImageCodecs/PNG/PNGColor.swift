import SDImage

/// Selects the colour chunk in effect and its conversion to sRGB (PNG, third edition, section 4.3, table 1).
enum PNGColor {
    /// nil when the image is sRGB or treated as such.
    static func transform(
        _ metadata: PNGMetadata, format: PixelFormat, isGray: Bool, output: PixelFormat
    ) -> (any RowTransform)? {
        if let encoding = metadata.codePoints.flatMap(RGBEncoding.init(codePoints:)) {
            return ColorConverter.transform(encoding: encoding, format: format, isGray: isGray, output: output)
        }
        if let profile = metadata.profile {
            return ColorConverter.transform(profile: profile, format: format, isGray: isGray, output: output)
        }
        guard !metadata.isSRGB, let encoding = RGBEncoding(gamma: metadata.gamma, chromaticities: metadata.chromaticities)
        else { return nil }
        return ColorConverter.transform(encoding: encoding, format: format, isGray: isGray, output: output)
    }
}
