import SDImagePixels

/// Separable convolution of groups of rows; used by one thread.
/// Used by `ConvolutionFilter`. Rows outside the image repeat those at its edge.
@safe final class WeightedRows {
    /// Number of rows in a group, which shares the reads of the surrounding rows.
    static let together = 8

    private let source: PixelBuffer
    /// Weights of the kernel, along both axes.
    private let weights: [Float]
    /// Samples of a row, and samples read beyond each of its ends.
    private let samples: Int
    private let margin: Int
    /// Floats from one row of sums to the next.
    private let stride: Int
    /// Rows convolved along y, with margins.
    private let sums: ScratchMemory
    /// A row convolved along x.
    private let result: ScratchMemory
    /// First of the rows in `sums`.
    private var firstRow = 0
    /// Multiplications between two checks of the token: some milliseconds.
    private static let productsAtOnce = 1 << 22

    /// Creates the buffers. `account`: the memory account shared by all threads that draw the image.
    init(_ source: PixelBuffer, weights: [Float], account: WorkingMemory) throws(ImageError) {
        self.source = source
        self.weights = weights
        samples = source.size.width * source.format.channels
        margin = weights.count / 2 * source.format.channels
        stride = (samples + 2 * margin + 31) & ~15
        sums = try ScratchMemory(stride * WeightedRows.together, of: Float.self, account: account)
        result = try ScratchMemory(samples + 16, of: Float.self, account: account)
    }

    /// Computes the vertical sums for these rows, at most `together`.
    /// Throws `cancelled` and `timeout`.
    func sum(_ rows: Range<Int>, stop: CancellationToken) throws(ImageError) {
        firstRow = rows.lowerBound
        let reach = weights.count / 2
        unsafe sums.bytes.initializeMemory(as: UInt8.self, repeating: 0)
        guard let base = unsafe sums.bound(to: Float.self).baseAddress else { return }
        let rowsAtOnce = max(1, WeightedRows.productsAtOnce / (samples * WeightedRows.together))
        for y in rows.lowerBound - reach..<rows.upperBound + reach {
            if (y - rows.lowerBound) % rowsAtOnce == 0 { try stop.check() }
            guard let row = unsafe source.row(min(max(y, 0), source.size.height - 1))?.baseAddress else { continue }
            let reached = max(rows.lowerBound, y - reach)..<min(rows.upperBound, y + reach + 1)
            let targets = unsafe reached.map { index -> UnsafeMutablePointer<Float>? in
                unsafe base + (index - rows.lowerBound) * stride + margin
            }
            unsafe add(row, to: targets, reached.map { weights[y - $0 + reach] })
        }
        for index in 0..<rows.count { unsafe continueEdges(base + index * stride + margin) }
    }

    /// Adds a source row to the sums that it contributes to.
    private func add(_ row: UnsafeRawPointer, to targets: [UnsafeMutablePointer<Float>?], _ weights: [Float]) {
        let format = source.format
        // A channel count of 1 keeps premultiplied samples from being multiplied by alpha.
        let channels = Int32(format.isPremultiplied ? 1 : format.channels)
        unsafe format.accumulate(row, samples, channels: channels, into: targets, weights)
    }

    /// Repeats the first and the last pixel beyond the ends of a row of sums.
    private func continueEdges(_ row: UnsafeMutablePointer<Float>) {
        let channels = source.format.channels
        for index in 0..<margin {
            unsafe row[index - margin] = row[index % channels]
            unsafe row[samples + index] = row[samples - channels + index % channels]
        }
    }

    /// Row `y` of the last sums, convolved along x; premultiplied when the format has alpha. Valid until the next call.
    func line(_ y: Int, stop: CancellationToken) throws(ImageError) -> UnsafePointer<Float>? {
        guard let base = unsafe sums.bound(to: Float.self).baseAddress,
            let result = unsafe result.bound(to: Float.self).baseAddress
        else { return nil }
        let row = unsafe base + (y - firstRow) * stride
        // A multiple of the vector width of the kernel, so that the result does not depend on the step.
        let step = max(64, WeightedRows.productsAtOnce / weights.count & ~63)
        for first in Swift.stride(from: 0, to: samples, by: step) {
            try stop.check()
            unsafe sdpx_convolve_row(
                result + first, row + first, min(step, samples - first), weights, weights.count,
                Int32(source.format.channels))
        }
        return unsafe UnsafePointer(result)
    }
}
