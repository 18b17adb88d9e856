/// An sRGB color with straight alpha; components from 0 to 1.
/// Used for options and placeholders; pixels are in `PixelBuffer`.
package struct Color: Hashable, Sendable {
    package var red: Double
    package var green: Double
    package var blue: Double
    /// 0 is transparent, 1 is opaque.
    package var alpha: Double

    package init(red: Double, green: Double, blue: Double, alpha: Double = 1) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    package static let white = Color(red: 1, green: 1, blue: 1)
    package static let clear = Color(red: 0, green: 0, blue: 0, alpha: 0)

    package var isFinite: Bool { red.isFinite && green.isFinite && blue.isFinite && alpha.isFinite }

    /// Like `isFinite`, without alpha.
    package var hasFiniteColor: Bool { red.isFinite && green.isFinite && blue.isFinite }

    /// The components rounded to 0...255.
    package var bytes: (red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8) {
        (Color.byte(red), Color.byte(green), Color.byte(blue), Color.byte(alpha))
    }

    /// The color as "#aarrggbb".
    /// Part of cache keys.
    package var hex: String {
        let (red, green, blue, alpha) = bytes
        return "#" + [alpha, red, green, blue].map(Color.digits).joined()
    }

    /// Text for cache keys: "#aarrggbb" for a color of 8 bits per component, else the components in full.
    /// Different colors have different texts, so that their images have different keys.
    package var key: String {
        let components = [alpha, red, green, blue]
        if components.allSatisfy({ $0 == Double(Color.byte($0)) / 255 }) { return hex }
        return "#" + components.map { "\($0)" }.joined(separator: ",")
    }

    /// The color as "#rrggbbaa" (CSS Color Module Level 4, section 5.2).
    package var cssHex: String {
        let (red, green, blue, alpha) = bytes
        return "#" + [red, green, blue, alpha].map(Color.digits).joined()
    }

    /// Two lower-case digits.
    private static func digits(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }

    /// The color of "#rgb", "#rgba", "#rrggbb" or "#rrggbbaa"; nil for other text.
    package init?(cssHex text: String) {
        guard text.utf8.first == UInt8(ascii: "#") else { return nil }
        var digits: [Int] = []
        // Bytes above ASCII are no digits, so text can be compared byte by byte.
        for byte in text.utf8.dropFirst() {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            digits.append(digit)
        }
        // A single digit stands for itself twice.
        if digits.count == 3 || digits.count == 4 { digits = digits.flatMap { [$0, $0] } }
        guard digits.count == 6 || digits.count == 8 else { return nil }
        var parts: [Double] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            parts.append(Double(digits[index] * 16 + digits[index + 1]) / 255)
        }
        self.init(red: parts[0], green: parts[1], blue: parts[2], alpha: parts.count == 4 ? parts[3] : 1)
    }

    /// NaN counts as 0.
    private static func byte(_ value: Double) -> UInt8 {
        guard value > 0 else { return 0 }
        return UInt8(min(1, value) * 255 + 0.5)
    }
}
