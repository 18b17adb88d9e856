import Glibc

/// A 4 by 5 color matrix: rows for output red, green, blue and alpha, each with four factors for the input and a constant.
/// A step of filters; the kernel evaluates it for each pixel, in encoded samples or in light.
struct ColorMatrix: Sendable {
    /// Four rows of five numbers.
    var rows: [[Double]]

    /// Luma weights of red, green and blue (ITU-R BT.709).
    static let luma = [0.2126, 0.7152, 0.0722]

    /// The default alpha row keeps alpha.
    init(_ red: [Double], _ green: [Double], _ blue: [Double], alpha: [Double] = [0, 0, 0, 1, 0]) {
        rows = [red, green, blue, alpha]
    }

    /// Multiplies each color channel by a factor and adds a constant.
    /// For example `scale` -1 and `offset` 1 invert, and `scale` c with `offset` 0.5 - 0.5c changes the contrast.
    init(scale: Double, offset: Double = 0) {
        self.init([scale, 0, 0, 0, offset], [0, scale, 0, 0, offset], [0, 0, scale, 0, offset])
    }

    /// Changes the saturation: below 1 towards gray, above 1 away from it.
    init(saturation: Double) {
        let rows = (0..<3).map { row in
            (0..<3).map { ColorMatrix.luma[$0] * (1 - saturation) + ($0 == row ? saturation : 0) } + [0, 0]
        }
        self.init(rows[0], rows[1], rows[2])
    }

    /// Rotates colors around the gray axis and preserves luma (SVG 1.1, 15.10). `angle` is in radians.
    init(hue angle: Double) {
        let (c, s) = (cos(angle), sin(angle))
        self.init(
            [0.213 + 0.787 * c - 0.213 * s, 0.715 - 0.715 * c - 0.715 * s, 0.072 - 0.072 * c + 0.928 * s, 0, 0],
            [0.213 - 0.213 * c + 0.143 * s, 0.715 + 0.285 * c + 0.140 * s, 0.072 - 0.072 * c - 0.283 * s, 0, 0],
            [0.213 - 0.213 * c - 0.787 * s, 0.715 - 0.715 * c + 0.715 * s, 0.072 + 0.928 * c + 0.072 * s, 0, 0])
    }

    /// A linear mix of this matrix and the identity; `part` is the share of this matrix.
    /// Serves filters with an intensity.
    func mixed(_ part: Double) -> ColorMatrix {
        var mixed = self
        for row in 0..<4 {
            for column in 0..<5 { mixed.rows[row][column] = rows[row][column] * part + (row == column ? 1 - part : 0) }
        }
        return mixed
    }

    /// True if each color depends on itself alone and alpha is kept, so that a table can replace the matrix.
    var keepsChannelsApart: Bool {
        rows[3] == [0, 0, 0, 1, 0]
            && (0..<3).allSatisfy { row in (0..<4).allSatisfy { row == $0 || rows[row][$0] == 0 } }
    }
}
