import Glibc
import SDImagePixels

/// A separable convolution with the same weights along x and y; edge pixels are repeated.
/// Serves the filters for box blur, sharpening and unsharp mask.
struct ConvolutionFilter {
    /// The kernel: symmetric, with a sum of 1.
    /// An odd number of weights; the middle one belongs to the pixel itself.
    private let weights: [Float]
    /// Strength of an unsharp mask; nil outputs the convolved image itself.
    private let sharpening: (amount: Float, lumaAlone: Bool)?

    /// A mean of all pixels within `radius` pixels. Pixels that are covered in part are weighted by that part.
    init(meanTo radius: Double) {
        // Partly covered pixels at the ends make the mean continuous in the radius.
        let whole = Int(saturating: min(radius, ConvolutionFilter.farthest))
        let rest = min(radius, ConvolutionFilter.farthest) - Double(whole)
        let ends = rest > 0 ? [rest] : []
        weights = ConvolutionFilter.normalized(ends + [Double](repeating: 1, count: 2 * whole + 1) + ends)
        sharpening = nil
    }

    /// An unsharp mask with a Gaussian kernel. `deviation`: standard deviation in pixels.
    init(gaussian deviation: Double, amount: Double, lumaAlone: Bool) {
        let deviation = min(deviation, ConvolutionFilter.farthest / 3)
        // A Gaussian beyond three deviations is negligible.
        let reach = Int(saturating: (3 * deviation).rounded(.up))
        weights = ConvolutionFilter.normalized(
            (-reach...reach).map { deviation > 0 ? exp(-Double($0 * $0) / (2 * deviation * deviation)) : 1 })
        sharpening = (Float(amount), lumaAlone)
    }

    /// Largest radius in pixels: visually equal to the mean of the image, and small enough to keep the time per row short.
    private static let farthest = 3000.0

    /// Divides by the sum, so that the brightness of areas is kept.
    private static func normalized(_ weights: [Double]) -> [Float] {
        let sum = weights.reduce(0, +)
        return weights.map { Float($0 / sum) }
    }

    /// The result has the format of the image.
    func draw(_ image: Image, stop: CancellationToken) throws(ImageError) -> Image {
        let source = image.pixels
        let buffer = try PixelBuffer(size: image.size, format: source.format)
        let weights = weights
        let sharpening = sharpening
        let account = DecodeLimits.standard.account
        try RowBands.run(image.size.height, rowBytes: buffer.stride, stop: stop) { rows throws(ImageError) in
            // Each band sums along y for itself; rows at its edges are read by both neighbors.
            let weighted = try WeightedRows(source, weights: weights, account: account)
            // Rows are summed in groups, which share the rows that they read.
            for first in stride(from: rows.lowerBound, to: rows.upperBound, by: WeightedRows.together) {
                let group = first..<min(rows.upperBound, first + WeightedRows.together)
                try weighted.sum(group, stop: stop)
                for y in group {
                    guard let line = unsafe try weighted.line(y, stop: stop), let from = unsafe source.row(y)?.baseAddress,
                        let to = unsafe buffer.mutableRow(y)?.baseAddress
                    else { continue }
                    guard let sharpening else {
                        // Without sharpening the sums are the result.
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
