/// An sRGB colour with straight alpha; components from 0 to 1.
package struct Color: Hashable, Sendable {
    package var red: Double
    package var green: Double
    package var blue: Double
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

    /// The components rounded to 0...255.
    package var bytes: (red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8) {
        (Color.byte(red), Color.byte(green), Color.byte(blue), Color.byte(alpha))
    }

    /// The colour as "#aarrggbb".
    package var hex: String {
        let (red, green, blue, alpha) = bytes
        return "#" + [alpha, red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func byte(_ value: Double) -> UInt8 {
        guard value > 0 else { return 0 }
        return UInt8(min(1, value) * 255 + 0.5)
    }
}
