import SDImagePixels

/// Resamples an image, or a part of it, into a part of another image.
///
/// Works on premultiplied color. Needs only a few rows of memory per thread besides the output.
/// Used by transformers, which have the whole image; decoders use `RowScaler`, whose rows arrive.
package final class Resampler: @unchecked Sendable {
    // Unchecked: the axes are complete before the threads start, and each thread writes its own rows.
    /// Read by all threads.
    let source: PixelBuffer
    /// Each thread writes rows of its own.
    let target: PixelBuffer
    /// Location and size of the output in the target.
    let left: Int
    let top: Int
    let size: PixelSize
    /// Weights along x and y.
    let columns: FilterAxis
    let rows: FilterAxis
    /// Integer kernel for 8-bit samples; nil for other depths and for resampling in linear light.
    let quads: QuadAxis?
    /// True if means are computed in linear light.
    let isLight: Bool
    /// True when every source pixel is opaque, in any format.
    let isOpaque: Bool

    /// Parameters of a resampling.
    package struct Plan: Sendable {
        /// Source part in pixels; may be fractional and must lie inside the source.
        package var part: Rectangle
        package var shape = FilterShape.lanczos
        /// True to compute means in linear light.
        package var isLight = false
        /// True when the source is known to be opaque.
        package var isOpaque = false
        /// Variant of the integer kernel, settable for tests.
        package var variant = sdpx_quad_variant()

        package init(part: Rectangle) { self.part = part }
    }

    /// Buffers of all threads together.
    private let account = WorkingMemory(limit: DecodeLimits.standard.workingBytes)

    /// Creates a resampler. The target has the format of the source, or that of the same depth with alpha. Pixels of the target
    /// outside the output stay unchanged.
    /// Throws `tooLarge` if the axes need too much memory.
    package init(
        _ source: PixelBuffer, plan: Plan, into target: PixelBuffer, left: Int = 0, top: Int = 0, size: PixelSize
    ) throws(ImageError) {
        self.source = source
        self.target = target
        self.left = left
        self.top = top
        self.size = size
        isLight = plan.isLight
        isOpaque = plan.isOpaque || !source.format.hasAlpha
        columns = try FilterAxis(
            source: source.size.width, offset: plan.part.x, extent: plan.part.width, output: size.width, shape: plan.shape,
            account: account)
        rows = try FilterAxis(
            source: source.size.height, offset: plan.part.y, extent: plan.part.height, output: size.height,
            shape: plan.shape, account: account)
        quads =
            source.format.bytesPerChannel == 1 && !plan.isLight
            ? try QuadAxis(columns, variant: plan.variant, account: account) : nil
    }

    /// Produces the pixels, with the help of idle workers.
    /// Throws `cancelled`, `timeout` and `tooLarge`.
    package func run(stop: CancellationToken) throws(ImageError) {
        // Each thread filters all rows of its first window itself. For few rows, this costs more than it saves.
        let helpers = min(size.height / (4 * rows.overlap()), work / 300_000)
        try RowShares.run(size.height, band: 8, helpers: helpers, stop: stop) { [self] share throws(ImageError) in
            let thread = try ResampledRows(self, account: account)
            while let rows = try share.next() { try thread.make(rows, stop: stop) }
        }
    }

    /// Approximate number of pixels to process.
    private var work: Int { max(source.size.pixelCount ?? .max, size.pixelCount ?? .max) }
}
