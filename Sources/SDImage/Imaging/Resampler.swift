import SDImagePixels

/// One picture, or a part of it, made larger or smaller into a part of another.
///
/// Works on premultiplied colour. Memory beyond the output is some rows for each thread.
package final class Resampler: @unchecked Sendable {
    // Unchecked: the axes are filled in before the threads start, and each of them writes rows of its own.
    let source: PixelBuffer
    let target: PixelBuffer
    /// Where in the target, and how large.
    let left: Int
    let top: Int
    let size: PixelSize
    let columns: FilterAxis
    let rows: FilterAxis
    /// For samples of 8 bits that need not become light.
    let quads: QuadAxis?
    let isLight: Bool
    /// No pixel of the source is clear, whatever its format.
    let isOpaque: Bool

    /// What is resampled, and how.
    package struct Plan: Sendable {
        /// In pixels of the source, inside it; fractions are of pixels.
        package var part: Rectangle
        package var shape = FilterShape.lanczos
        package var isLight = false
        /// Known of the source.
        package var isOpaque = false
        /// Of the kernel, for tests.
        package var variant = sdpx_quad_variant()

        package init(part: Rectangle) { self.part = part }
    }

    private let account = WorkingMemory(limit: DecodeLimits.standard.workingBytes)

    /// The target has the format of the source, or one with alpha of the same depth; the rest of it is left as it is.
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

    /// Makes the pixels, with idle workers to help.
    package func run(stop: StopSignal) throws(ImageError) {
        // Each thread filters the rows of its first window for itself; few rows are not worth that.
        let helpers = min(size.height / (4 * rows.overlap()), work / 300_000)
        try RowShares.run(size.height, band: 8, helpers: helpers, stop: stop) { [self] share throws(ImageError) in
            let thread = try ResampledRows(self, account: account)
            while let rows = try share.next() { try thread.make(rows, stop: stop) }
        }
    }

    /// About how many pixels are touched.
    private var work: Int { max(source.size.pixelCount ?? .max, size.pixelCount ?? .max) }
}
