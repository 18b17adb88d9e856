import Glibc
import SDImage
import SDImagePixels
import TestSupport
import Testing

/// Filter steps and sums over neighboring pixels and cells, compared with plain arithmetic in doubles.
@Suite struct FilterKernelTests {
    private static func step(_ kind: Int, _ numbers: [Double]) -> sdpx_step {
        var step = sdpx_step()
        step.kind = Int32(kind)
        unsafe withUnsafeMutableBytes(of: &step.values) { bytes in
            let values = unsafe bytes.bindMemory(to: Float.self)
            for (index, number) in numbers.enumerated() { unsafe values[index] = Float(number) }
        }
        return step
    }

    private static let luma = [0.2126, 0.7152, 0.0722]

    private static func matrix(_ v: [Double], _ c: [Double]) -> [Double] {
        (0..<4).map { (row: Int) -> Double in
            var sum = v[5 * row + 4]
            for column in 0..<4 { sum += v[5 * row + column] * c[column] }
            return sum
        }
    }

    private static func curve(_ v: [Double], _ x: Double) -> Double {
        let u = min(1, max(0, x))
        return v[0] + v[1] * u + v[2] * u * u + v[3] * u * u * u
    }

    private static func reference(_ step: Int, _ v: [Double], _ c: [Double], _ x: Double, _ y: Double) -> [Double] {
        let gray = c[0] * luma[0] + c[1] * luma[1] + c[2] * luma[2]
        switch step {
        case SDPX_STEP_MATRIX: return matrix(v, c)
        case SDPX_STEP_CURVE: return (0..<3).map { curve(Array(v[4 * $0..<4 * $0 + 4]), c[$0]) } + [c[3]]
        case SDPX_STEP_POWER: return c[..<3].map { (x: Double) -> Double in x > 0 ? pow(x, v[0]) : 0 } + [c[3]]
        case SDPX_STEP_LEVELS:
            let top = v[0] - 1
            return c[..<3].map { (x: Double) -> Double in min(floor(x * v[0]), top) / top } + [c[3]]
        case SDPX_STEP_THRESHOLD: return [Double](repeating: gray >= v[0] ? 1 : 0, count: 3) + [c[3]]
        case SDPX_STEP_VIBRANCE:
            let high = max(c[0], c[1], c[2]), low = min(c[0], c[1], c[2])
            let factor = 1 + v[0] * (1 - (high - low))
            return c[..<3].map { (x: Double) -> Double in gray + (x - gray) * factor } + [c[3]]
        default:
            let (dx, dy) = ((x + 0.5 - v[2]) * v[4], (y + 0.5 - v[3]) * v[4])
            let t = min(1, (dx * dx + dy * dy) / (v[1] * v[1]))
            let factor = 1 - v[0] * t * t * (3 - 2 * t)
            return c[..<3].map { (x: Double) -> Double in x * factor } + [c[3]]
        }
    }

    private static let steps: [(Int, [Double])] = [
        (SDPX_STEP_MATRIX, [0.5, 0.2, 0.1, 0, 0.05, 0, 0.7, 0.1, 0.1, 0, 0.3, 0, 0.6, 0, 0, 0.1, 0, 0, 0.8, 0.05]),
        (SDPX_STEP_CURVE, [0, 1, 0, 0, 0.1, 0.5, 0.5, -0.2, 0, 0, 3, -2]), (SDPX_STEP_POWER, [0.45]),
        (SDPX_STEP_POWER, [2.2]), (SDPX_STEP_LEVELS, [6]), (SDPX_STEP_THRESHOLD, [0.5]), (SDPX_STEP_VIBRANCE, [0.8]),
        (SDPX_STEP_VIBRANCE, [-0.5]), (SDPX_STEP_VIGNETTE, [0.7, 0.9, 150, 40, 0.006]),
    ]

    private static func light(_ v: Double) -> Double { v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4) }
    private static func encoded(_ v: Double) -> Double { v <= 0.0031308 ? v * 12.92 : 1.055 * pow(v, 1 / 2.4) - 0.055 }

    @Test(arguments: steps.indices, [false, true]) func stepsAreThoseOfTheFormula(_ index: Int, inLight: Bool) {
        let (kind, values) = Self.steps[index]
        var randoms = Randoms(seed: 8)
        // Longer than one batch of the kernel, and not a multiple of it.
        let pixels = (0..<4 * 301).map { _ in UInt16(randoms.below(65536)) }
        var result = pixels
        unsafe sdpx_step_row(
            &result, PixelFormat.rgba16.rawValue, pixels, PixelFormat.rgba16.rawValue, 301, 17, [Self.step(kind, values)], 1,
            inLight ? 1 : 0)
        for x in 0..<301 {
            let stored = pixels[4 * x..<4 * x + 4].map { Double($0) / 65535 }
            let seen = inLight ? stored[..<3].map(Self.light) + [stored[3]] : stored
            let made = Self.reference(kind, values, seen, Double(x), 17)
            let back = inLight ? made[..<3].map { Self.encoded(max(0, $0)) } + [made[3]] : made
            let want = back.map { min(1, max(0, $0)) }
            for channel in 0..<4 {
                let got = Double(result[4 * x + channel]) / 65535
                #expect(abs(got - want[channel]) < 3e-5, "step \(kind), pixel \(x): \(got), not \(want[channel])")
            }
        }
    }

    @Test func floatIsLightForStepsThatSeeSRGB() {
        let levels = Self.step(SDPX_STEP_LEVELS, [2])
        let light: [Float] = [0.1, 0.3, 4, 1]
        var result = light
        unsafe sdpx_step_row(
            &result, PixelFormat.rgbaFloat.rawValue, light, PixelFormat.rgbaFloat.rawValue, 1, 0, [levels], 1, 0)
        // 0.1 is 0.35 in sRGB, 0.3 is 0.58.
        #expect(zip(result, [0, 1, 1, 1] as [Float]).allSatisfy { abs($0 - $1) < 1e-5 })
    }

    @Test(arguments: [1, 3, 4], [1, 5, 33]) func convolutionSumsNeighbors(channels: Int, taps: Int) {
        var randoms = Randoms(seed: 3)
        let samples = 77 * channels
        let source = (0..<samples + taps * channels).map { _ in Float(randoms.below(256)) }
        let weights = (0..<taps).map { _ in Float(randoms.below(100)) / 100 }
        var result = [Float](repeating: -1, count: samples)
        unsafe sdpx_convolve_row(&result, source, samples, weights, taps, Int32(channels))
        for i in 0..<samples {
            let want = (0..<taps).reduce(0.0) { $0 + Double(weights[$1]) * Double(source[i + $1 * channels]) }
            #expect(abs(Double(result[i]) - want) < 0.01)
        }
    }

    @Test func cellsAreMeansByAlpha() {
        let row: [UInt8] = [100, 0, 0, 255, 200, 0, 0, 0, 0, 50, 0, 255, 0, 150, 0, 255, 7, 7, 7, 51]
        let bounds: [Int32] = [0, 2, 4, 5]
        var sums = [Float](repeating: 0, count: 12)
        unsafe sdpx_add_cells(&sums, 3, bounds, row, PixelFormat.rgba8.rawValue, 0, 0)
        unsafe sdpx_add_cells(&sums, 3, bounds, row, PixelFormat.rgba8.rawValue, 0, 0)
        var filled = row
        unsafe sdpx_fill_cells(&filled, PixelFormat.rgba8.rawValue, 3, bounds, sums, 2)
        #expect(filled == [100, 0, 0, 128, 100, 0, 0, 128, 0, 100, 0, 255, 0, 100, 0, 255, 7, 7, 7, 51])
    }

    @Test func cellsMayBeWiderThanWhatIsReadTogether() {
        let row = (0..<1000).map { UInt8($0 / 4) }
        var sums = [Float](repeating: 0, count: 8)
        unsafe sdpx_add_cells(&sums, 2, [0, 300, 1000], row, PixelFormat.gray8.rawValue, 0, 0)
        let (first, second) = (row[..<300].reduce(0) { $0 + Double($1) / 255 }, row[300...].reduce(0) { $0 + Double($1) / 255 })
        #expect(abs(Double(sums[1]) - first) < 0.01 && abs(Double(sums[5]) - second) < 0.01)
        #expect(sums[3] == 300 && sums[7] == 700)
    }

    @Test func sharpeningMovesAwayFromTheBlurredPicture() {
        var row: [UInt8] = [100, 100, 100, 255, 200, 50, 50, 128]
        let blurred: [Float] = [80, 80, 80, 255, 100, 25, 25, 128]
        let before = row
        unsafe sdpx_sharpen_row(&row, before, PixelFormat.rgba8.rawValue, 2, blurred, 0.5, 0)
        #expect(row == [110, 110, 110, 255, 200, 50, 50, 128])
    }
}
