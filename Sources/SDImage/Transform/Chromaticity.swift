/// A chromaticity: the x and y coordinates of CIE 1931, without luminance.
/// Serves the filter for white balance.
struct Chromaticity {
    let x: Double
    let y: Double

    /// The tristimulus values X, Y, Z at luminance 1.
    /// Undefined for y = 0, which no light of the supported temperatures has.
    var tristimulus: [Double] { [x / y, 1, (1 - x - y) / y] }

    /// The chromaticity of daylight (CIE 15, 4000 K and above) or a black body (Kim et al., US 7,024,034, below).
    /// `tint` shifts it across the line of temperatures, in ten-thousandths; positive values shift towards magenta.
    static func light(_ temperature: Double, tint: Double) -> Chromaticity {
        // The formulas of CIE daylight begin at 4000 K.
        let daylight = daylight(max(4000, temperature))
        guard temperature < 4000 else { return daylight.moved(-tint / 10_000) }
        // The two curves differ at 4000 K. Adding that difference to the black body avoids a jump.
        let (here, end) = (blackBody(temperature), blackBody(4000))
        let moved = Chromaticity(x: here.x + daylight.x - end.x, y: here.y + daylight.y - end.y)
        return moved.moved(-tint / 10_000)
    }

    /// `temperature` is in kelvin, from 4000 to 25,000.
    private static func daylight(_ temperature: Double) -> Chromaticity {
        let t = 1000 / temperature
        let x =
            temperature <= 7000
            ? 0.244063 + (0.09911 + (2.9678 - 4.6070 * t) * t) * t : 0.237040 + (0.24748 + (1.9018 - 2.0064 * t) * t) * t
        return Chromaticity(x: x, y: -3 * x * x + 2.87 * x - 0.275)
    }

    /// The chromaticity of a black body from 1667 to 4000 K.
    private static func blackBody(_ temperature: Double) -> Chromaticity {
        let t = 1000 / temperature
        let x = 0.179910 + (0.8776956 + (-0.2343589 - 0.2661239 * t) * t) * t
        let y =
            temperature < 2222
            ? -0.20219683 + (2.18555832 + (-1.34811020 - 1.1063814 * x) * x) * x
            : -0.16748867 + (2.09137015 + (-1.37418593 - 0.9549476 * x) * x) * x
        return Chromaticity(x: x, y: y)
    }

    /// The chromaticity shifted along v of CIE 1960.
    private func moved(_ distance: Double) -> Chromaticity {
        let sum = -2 * x + 12 * y + 3
        let u = 4 * x / sum, v = 6 * y / sum + distance
        let back = 2 * u - 8 * v + 4
        return Chromaticity(x: 3 * u / back, y: 2 * v / back)
    }
}
