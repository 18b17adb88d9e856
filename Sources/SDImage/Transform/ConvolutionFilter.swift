import Glibc
import SDImagePixels

/// A filter that weighs the neighbours of each pixel, the same along both sides, edges continued.
struct ConvolutionFilter {
    /// Symmetric around the middle; their sum is 1.
    private let weights: [Float]
    /// How strongly the picture is moved away from the weighted one; nil for that one itself.
    private let sharpening: (amount: Float, lumaAlone: Bool)?

    /// All neighbours up to a distance in pixels count the same, those that are touched in part by that part.
    init(meanTo radius: Double) {
        let whole = Int(saturating: min(radius, ConvolutionFilter.farthest))
        let rest = min(radius, ConvolutionFilter.farthest) - Double(whole)
        let ends = rest > 0 ? [rest] : []
        weights = ConvolutionFilter.normalized(ends + [Double](repeating: 1, count: 2 * whole + 1) + ends)
        sharpening = nil
    }

    /// `deviation` in pixels.
    init(gaussian deviation: Double, amount: Double, lumaAlone: Bool) {
        let deviation = min(deviation, ConvolutionFilter.farthest / 3)
        let reach = Int(saturating: (3 * deviation).rounded(.up))
        weights = ConvolutionFilter.normalized(
            (-reach...reach).map { deviation > 0 ? exp(-Double($0 * $0) / (2 * deviation * deviation)) : 1 })
        sharpening = (Float(amount), lumaAlone)
    }

    /// Far more than can be told from the mean of all, and not so much that one row takes long.
    private static let farthest = 3000.0

    private static func normalized(_ weights: [Double]) -> [Float] {
        let sum = weights.reduce(0, +)
        return weights.map { Float($0 / sum) }
    }

    func draw(_ image: Image, stop: StopSignal) throws(ImageError) -> Image {
        let source = image.pixels
        let buffer = try PixelBuffer(size: image.size, format: source.format)
        let weights = weights
        let sharpening = sharpening
        let account = DecodeLimits.standard.account
        try RowBands.run(image.size.height, rowBytes: buffer.stride, stop: stop) { rows throws(ImageError) in
            let weighted = try WeightedRows(source, weights: weights, account: account)
            for first in stride(from: rows.lowerBound, to: rows.upperBound, by: WeightedRows.together) {
                let group = first..<min(rows.upperBound, first + WeightedRows.together)
                try weighted.sum(group, stop: stop)
                for y in group {
                    guard let line = unsafe try weighted.line(y, stop: stop), let from = unsafe source.row(y)?.baseAddress,
                        let to = unsafe buffer.mutableRow(y)?.baseAddress
                    else { continue }
                    guard let sharpening else {
                        unsafe buffer.pack(y, line)
                        continue
                    }
                    unsafe sdpx_sharpen_row(
                        to, from, source.format.rawValue, source.size.width, line, sharpening.amount,
                        sharpening.lumaAlone ? 1 : 0)
                }
            }
        }
        return image.redrawn(buffer, hasAlpha: image.metadata.hasAlpha)
    }
}
