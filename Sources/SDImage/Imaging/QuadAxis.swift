import SDImagePixels

/// A filter axis for the integer kernel of 8-bit samples.
/// Used for 8-bit images; the weights are integers of 16 bits.
@safe struct QuadAxis {
    /// First source position of each output position.
    private let starts: ScratchMemory
    /// Weights in the order in which the kernel reads them.
    private let weights: ScratchMemory
    private var quads = unsafe sdpx_quad_axis()

    /// `variant`: the instructions that the kernel uses, which determine the order of weights.
    init(_ axis: FilterAxis, variant: Int32, account: WorkingMemory) throws(ImageError) {
        var kernel = unsafe axis.kernel
        let vectors = unsafe sdpx_quad_vectors(&kernel)
        let (count, overflow) = axis.count.multipliedReportingOverflow(by: 16 * vectors)
        guard !overflow else { throw .tooLarge("image: working memory in bytes", limit: account.limit) }
        starts = try ScratchMemory(axis.count, of: Int32.self, account: account)
        weights = try ScratchMemory(count, of: Int16.self, account: account)
        unsafe quads.starts = starts.bound(to: Int32.self).baseAddress
        unsafe quads.weights = weights.bound(to: Int16.self).baseAddress
        unsafe sdpx_quad_weights(&quads, &kernel, variant)
    }

    /// Pointers for the C kernel; valid as long as this axis.
    var kernel: sdpx_quad_axis { unsafe quads }
}
