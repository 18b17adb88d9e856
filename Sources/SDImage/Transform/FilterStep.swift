import Glibc
import SDImagePixels

/// A per-pixel operation of a filter.
enum FilterStep: Sendable {
    case matrix(ColorMatrix)
    /// Coefficients of 1, v, v² and v³, for red, green and blue.
    case curve([[Double]])
    case power(Double)
    case levels(Double)
    case threshold(Double)
    case vibrance(Double)
    /// The amount at the corners and the radius at which it is reached, in half diagonals.
    case vignette(amount: Double, radius: Double)

    /// True when each output channel depends only on the same input channel, so that a table can replace the step.
    var isTable: Bool {
        switch self {
        case .matrix(let matrix): matrix.keepsChannelsApart
        case .curve, .power, .levels: true
        case .threshold, .vibrance, .vignette: false
        }
    }

    /// The step in the form of the kernel, for an image of this size.
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
            step.set(SDPX_STEP_VIGNETTE, [amount, max(radius, 0.001), x, y, 1 / sqrt(x * x + y * y)])
        }
        return step
    }
}

extension sdpx_step {
    fileprivate mutating func set(_ kind: Int, _ numbers: [Double]) {
        self.kind = Int32(kind)
        unsafe withUnsafeMutableBytes(of: &values) { bytes in
            let values = unsafe bytes.bindMemory(to: Float.self)
            for (index, number) in numbers.prefix(values.count).enumerated() { unsafe values[index] = Float(number) }
        }
    }
}
