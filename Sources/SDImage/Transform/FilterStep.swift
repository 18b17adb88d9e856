import Glibc
import SDImagePixels

/// A per-pixel operation of a filter.
/// A filter is a sequence of steps, which the kernel `sdpx_step_row` runs for each pixel.
enum FilterStep: Sendable {
    /// Sums of the channels and a constant.
    case matrix(ColorMatrix)
    /// Coefficients of 1, v, v² and v³, for red, green and blue.
    case curve([[Double]])
    /// Exponent of each color.
    case power(Double)
    /// Number of levels of each color, at least 2.
    case levels(Double)
    /// Luma from which on a pixel is white.
    case threshold(Double)
    /// Strength: positive values raise low saturation most.
    case vibrance(Double)
    /// The amount at the corners and the radius at which it is reached, in half diagonals.
    case vignette(amount: Double, radius: Double)

    /// True when each output channel depends only on the same input channel, so that a table can replace the step.
    var isTable: Bool {
        switch self {
        case .matrix(let matrix): matrix.keepsChannelsApart
        case .curve, .power, .levels: true
        // Vibrance and threshold mix channels, and a vignette depends on the position.
        case .threshold, .vibrance, .vignette: false
        }
    }

    /// The step in the form of the kernel, for an image of this size.
    /// A vignette is the only step that depends on the size: the kernel gets the center and the inverse of half the
    /// diagonal.
    func code(for size: PixelSize) -> sdpx_step {
        var step = sdpx_step()
        switch self {
        case .matrix(let matrix): step.set(SDPX_STEP_MATRIX, matrix.rows.flatMap { $0 })
        case .curve(let factors): step.set(SDPX_STEP_CURVE, factors.flatMap { $0 })
        case .power(let exponent): step.set(SDPX_STEP_POWER, [exponent])
        case .levels(let levels): step.set(SDPX_STEP_LEVELS, [levels])
        case .threshold(let luma): step.set(SDPX_STEP_THRESHOLD, [luma])
        case .vibrance(let amount): step.set(SDPX_STEP_VIBRANCE, [amount])
        case .vignette(let amount, let radius):
            let (x, y) = (Double(size.width) / 2, Double(size.height) / 2)
            // A radius of 0 would divide by zero.
            step.set(SDPX_STEP_VIGNETTE, [amount, max(radius, 0.001), x, y, 1 / sqrt(x * x + y * y)])
        }
        return step
    }
}

extension sdpx_step {
    /// Copies as many numbers as the kernel has room for.
    fileprivate mutating func set(_ kind: Int, _ numbers: [Double]) {
        self.kind = Int32(kind)
        unsafe withUnsafeMutableBytes(of: &values) { bytes in
            let values = unsafe bytes.bindMemory(to: Float.self)
            for (index, number) in numbers.prefix(values.count).enumerated() { unsafe values[index] = Float(number) }
        }
    }
}
