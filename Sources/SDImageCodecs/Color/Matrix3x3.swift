/// A 3 × 3 matrix for colors, stored by rows. Used while transforms are made, never for pixels.
struct Matrix3x3 {
    let rows: [[Double]]

    init(_ rows: [[Double]]) { self.rows = rows }

    static let identity = Matrix3x3([[1, 0, 0], [0, 1, 0], [0, 0, 1]])

    /// Converts RGB of these primaries to CIE XYZ, with Y = 1 for white (SMPTE RP 177). nil when they span no color space.
    init?(primaries: [RGBEncoding.Point], white: RGBEncoding.Point) {
        guard primaries.count == 3, white.y > 0 else { return nil }
        // The primaries have an unknown luminance each; they must add up to white.
        let columns = primaries.map { [$0.x, $0.y, 1 - $0.x - $0.y] }
        let plain = Matrix3x3((0..<3).map { row in columns.map { $0[row] } })
        guard let inverse = plain.inverse else { return nil }
        let scale = inverse.applied(to: Matrix3x3.xyz(white))
        guard scale.allSatisfy({ $0.isFinite && $0 > 0 }) else { return nil }
        rows = plain.rows.map { row in zip(row, scale).map { $0 * $1 } }
    }

    /// Returns the chromatic adaptation from one white to another (Bradford, as in ICC.1:2010 annex E).
    static func adaptation(from: RGBEncoding.Point, to: RGBEncoding.Point) -> Matrix3x3? {
        // Scales the responses of the three kinds of cones by the ratio of both whites.
        let cones = Matrix3x3([[0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296]])
        let (source, target) = (cones.applied(to: xyz(from)), cones.applied(to: xyz(to)))
        guard from.y > 0, to.y > 0, source.allSatisfy({ abs($0) > 1e-9 }), let back = cones.inverse else { return nil }
        let gain = zip(target, source).map { $0 / $1 }
        let gains = Matrix3x3([[gain[0], 0, 0], [0, gain[1], 0], [0, 0, gain[2]]])
        return back.multiplied(by: gains).multiplied(by: cones)
    }

    /// The CIE XYZ of a chromaticity with Y = 1.
    private static func xyz(_ point: RGBEncoding.Point) -> [Double] {
        [point.x / point.y, 1, (1 - point.x - point.y) / point.y]
    }

    /// The product with a column vector of three numbers.
    func applied(to vector: [Double]) -> [Double] {
        rows.map { row in zip(row, vector).reduce(0) { $0 + $1.0 * $1.1 } }
    }

    /// Returns the matrix that applies `other` first.
    func multiplied(by other: Matrix3x3) -> Matrix3x3 {
        let columns = (0..<3).map { column in applied(to: other.rows.map { $0[column] }) }
        return Matrix3x3((0..<3).map { row in columns.map { $0[row] } })
    }

    func scaled(by factor: Double) -> Matrix3x3 { Matrix3x3(rows.map { $0.map { $0 * factor } }) }

    /// The inverse, computed by cofactors; nil for a singular matrix.
    var inverse: Matrix3x3? {
        // A cofactor with its sign: the cyclic order of the other rows and columns contains it.
        func minor(_ row: Int, _ column: Int) -> Double {
            let (a, b) = ((row + 1) % 3, (row + 2) % 3)
            let (c, d) = ((column + 1) % 3, (column + 2) % 3)
            return rows[a][c] * rows[b][d] - rows[a][d] * rows[b][c]
        }
        let determinant = (0..<3).reduce(0) { $0 + rows[0][$1] * minor(0, $1) }
        guard abs(determinant) > 1e-9 else { return nil }
        return Matrix3x3((0..<3).map { row in (0..<3).map { minor($0, row) / determinant } })
    }
}
