/// W3C Compositing and Blending Level 1 in double precision: sections 9 and 10 of the recommendation, literally.
struct BlendReference {
    /// Values of CGBlendMode.
    let mode: Int
    /// Straight red, green, blue and alpha.
    let source: [Double]

    /// The straight color composited over a straight backdrop; color 0 if the result is fully transparent.
    func over(_ backdrop: [Double]) -> [Double] {
        let (sourceAlpha, backdropAlpha) = (source[3], backdrop[3])
        if mode >= 26 { return sum(backdrop) }
        if let (fa, fb) = porterDuff(sourceAlpha, backdropAlpha) {
            let alpha = sourceAlpha * fa + backdropAlpha * fb
            return straight(
                (0..<3).map { sourceAlpha * fa * source[$0] + backdropAlpha * fb * backdrop[$0] }, alpha)
        }
        let blended = blend(Array(backdrop[..<3]), Array(source[..<3]))
        let alpha = sourceAlpha + backdropAlpha * (1 - sourceAlpha)
        return straight(
            (0..<3).map { channel in
                let mixed = (1 - backdropAlpha) * source[channel] + backdropAlpha * blended[channel]
                return sourceAlpha * mixed + (1 - sourceAlpha) * backdropAlpha * backdrop[channel]
            }, alpha)
    }

    private func straight(_ premultiplied: [Double], _ alpha: Double) -> [Double] {
        premultiplied.map { alpha > 0 ? $0 / alpha : 0 } + [alpha]
    }

    private func sum(_ backdrop: [Double]) -> [Double] {
        let alpha = min(1, source[3] + backdrop[3])
        return straight(
            (0..<3).map { channel in
                let (s, b) = (source[3] * source[channel], backdrop[3] * backdrop[channel])
                return mode == 27 ? min(alpha, s + b) : max(0, alpha - ((source[3] - s) + (backdrop[3] - b)))
            }, alpha)
    }

    /// Section 9.1, with the operator numbers of Quartz.
    private func porterDuff(_ s: Double, _ b: Double) -> (Double, Double)? {
        switch mode {
        case 0: (1, 1 - s)
        case 16: (0, 0)
        case 17: (1, 0)
        case 18: (b, 0)
        case 19: (1 - b, 0)
        case 20: (b, 1 - s)
        case 21: (1 - b, 1)
        case 22: (0, s)
        case 23: (0, 1 - s)
        case 24: (1 - b, s)
        case 25: (1 - b, 1 - s)
        default: nil
        }
    }

    private func blend(_ b: [Double], _ s: [Double]) -> [Double] {
        switch mode {
        case 12: Self.setLuminosity(Self.setSaturation(s, Self.saturation(b)), Self.luminosity(b))
        case 13: Self.setLuminosity(Self.setSaturation(b, Self.saturation(s)), Self.luminosity(b))
        case 14: Self.setLuminosity(s, Self.luminosity(b))
        case 15: Self.setLuminosity(b, Self.luminosity(s))
        default: zip(b, s).map { channel($0, $1) }
        }
    }

    private func channel(_ b: Double, _ s: Double) -> Double {
        switch mode {
        case 1: return b * s
        case 2: return 1 - (1 - b) * (1 - s)
        case 3: return Self.hardLight(s, b)
        case 4: return min(b, s)
        case 5: return max(b, s)
        case 6: return b == 0 ? 0 : s == 1 ? 1 : min(1, b / (1 - s))
        case 7: return b == 1 ? 1 : s == 0 ? 0 : 1 - min(1, (1 - b) / s)
        case 8:
            if s <= 0.5 { return b - (1 - 2 * s) * b * (1 - b) }
            let d = b <= 0.25 ? ((16 * b - 12) * b + 4) * b : b.squareRoot()
            return b + (2 * s - 1) * (d - b)
        case 9: return Self.hardLight(b, s)
        case 10: return abs(b - s)
        default: return b + s - 2 * b * s
        }
    }

    private static func hardLight(_ b: Double, _ s: Double) -> Double {
        s <= 0.5 ? b * 2 * s : 1 - (1 - b) * (1 - (2 * s - 1))
    }

    private static func luminosity(_ c: [Double]) -> Double { 0.3 * c[0] + 0.59 * c[1] + 0.11 * c[2] }
    private static func saturation(_ c: [Double]) -> Double { (c.max() ?? 0) - (c.min() ?? 0) }

    private static func setLuminosity(_ c: [Double], _ wanted: Double) -> [Double] {
        let d = wanted - luminosity(c)
        var c = c.map { $0 + d }
        let (l, n, x) = (luminosity(c), c.min() ?? 0, c.max() ?? 0)
        if n < 0 { c = c.map { l + ($0 - l) * l / (l - n) } }
        if x > 1 { c = c.map { l + ($0 - l) * (1 - l) / (x - l) } }
        return c
    }

    private static func setSaturation(_ c: [Double], _ wanted: Double) -> [Double] {
        let order = [0, 1, 2].sorted { c[$0] < c[$1] }
        let (low, middle, high) = (order[0], order[1], order[2])
        var result = [0.0, 0, 0]
        guard c[high] > c[low] else { return result }
        result[middle] = (c[middle] - c[low]) * wanted / (c[high] - c[low])
        result[high] = wanted
        return result
    }
}
