import SDImagePixels

/// Draws rows of an image with rounded corners; used by one thread.
/// Kernels compute the exact coverage of each pixel, so that edges are smooth.
@safe struct RoundedCanvas {
    /// A border around the image: its outer and inner edge and its color.
    struct Border: Sendable {
        let outer: sdpx_rounded
        let inner: sdpx_rounded
        /// Samples in the format of the target, with straight alpha.
        let color: [Float]
    }

    private let buffer: PixelBuffer
    private let cut: sdpx_rounded
    private let border: Border?
    /// Two rows of coverage: of the shape that is drawn, and of the inner edge of the border.
    private let scratch: ScratchMemory

    /// `cut`: the shape that remains of the image.
    init(_ buffer: PixelBuffer, cut: sdpx_rounded, border: Border?, account: WorkingMemory) throws(ImageError) {
        self.buffer = buffer
        self.cut = cut
        self.border = border
        scratch = try ScratchMemory(2 * buffer.size.width, of: Float.self, account: account)
    }

    /// Draws row `y` of the source, cut and with the border over it.
    func draw(_ y: Int, of source: PixelBuffer) {
        let width = buffer.size.width
        let format = buffer.format.rawValue
        guard let to = unsafe buffer.mutableRow(y)?.baseAddress, let from = unsafe source.row(y)?.baseAddress,
            let coverage = unsafe scratch.bound(to: Float.self).baseAddress
        else { return }
        // First the whole row in the format of the target, then its coverage.
        unsafe sdpx_convert_row(to, format, from, source.format.rawValue, width)
        unsafe withUnsafePointer(to: cut) { unsafe sdpx_rounded_row(coverage, width, Double(y), $0) }
        unsafe sdpx_cut_row(to, format, width, coverage)
        guard let border else { return }
        let inside = unsafe coverage + width
        unsafe withUnsafePointer(to: border.outer) { unsafe sdpx_rounded_row(coverage, width, Double(y), $0) }
        unsafe withUnsafePointer(to: border.inner) { unsafe sdpx_rounded_row(inside, width, Double(y), $0) }
        // The border is the area inside the outer edge and outside the inner one.
        for x in 0..<width { unsafe coverage[x] = max(0, coverage[x] - inside[x]) }
        unsafe sdpx_stroke_row(to, format, width, coverage, border.color)
    }
}
