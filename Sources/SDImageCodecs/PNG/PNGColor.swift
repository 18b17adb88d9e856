import SDImage

/// Which colour chunk counts, and the way from there to sRGB (PNG, third edition, section 4.3, table 1).
enum PNGColor {
    /// nil when the picture is sRGB, or is to be taken as such.
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
