extension ColorMatrix {
    /// Adapts a light of this temperature in kelvin to white (Bradford chromatic adaptation); 6500 K is the identity.
    /// `tint` shifts the light towards magenta, in ten-thousandths of v in CIE 1960.
    /// Works on linear light in the primaries of sRGB.
    init(whiteBalance temperature: Double, tint: Double) {
        let from = Chromaticity.light(temperature, tint: tint), to = Chromaticity.light(6500, tint: 0)
        let fromCones = ColorMatrix.times(ColorMatrix.bradford, from.tristimulus)
        let toCones = ColorMatrix.times(ColorMatrix.bradford, to.tristimulus)
        // The factor of each cone response that turns the light into white.
        let gain = zip(toCones, fromCones).map { $0 / $1 }
        let gains = [[gain[0], 0, 0], [0, gain[1], 0], [0, 0, gain[2]]]
        // The steps are combined into one matrix: sRGB to XYZ, to cones, gain, and back.
        let linear = [ColorMatrix.fromXYZ, ColorMatrix.fromBradford, gains, ColorMatrix.bradford].reversed().reduce(
            ColorMatrix.toXYZ
        ) { ColorMatrix.product($1, $0) }
        self.init(linear[0] + [0, 0], linear[1] + [0, 0], linear[2] + [0, 0])
    }

    /// Product of a matrix and a column vector.
    private static func times(_ matrix: [[Double]], _ vector: [Double]) -> [Double] {
        matrix.map { row in (0..<3).reduce(0) { $0 + row[$1] * vector[$1] } }
    }

    /// Product of two 3 by 3 matrices: `b` is applied first.
    private static func product(_ a: [[Double]], _ b: [[Double]]) -> [[Double]] {
        a.map { row in (0..<3).map { column in (0..<3).reduce(0) { $0 + row[$1] * b[$1][column] } } }
    }

    /// Conversion from linear sRGB (IEC 61966-2-1) to XYZ, and its inverse.
    private static let toXYZ = [
        [0.4123907993, 0.3575843394, 0.1804807884], [0.2126390059, 0.7151686788, 0.0721923154],
        [0.0193308187, 0.1191947798, 0.9505321522],
    ]
    private static let fromXYZ = [
        [3.2409699419, -1.5373831776, -0.4986107603], [-0.9692436363, 1.8759675015, 0.0415550574],
        [0.0556300797, -0.2039769589, 1.0569715142],
    ]
    /// Conversion from XYZ to the cone responses of the Bradford transform, and its inverse.
    private static let bradford = [[0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296]]
    private static let fromBradford = [
        [0.9869929055, -0.1470542564, 0.1599626517], [0.4323052697, 0.5183602715, 0.0492912282],
        [-0.0085286646, 0.0400428217, 0.9684866958],
    ]
}
