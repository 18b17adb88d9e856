import SDImagePixels

/// The source positions and weights of each output position along one axis. The kernel is centered and widened for
/// reductions; positions outside the image have no weight.
/// Built once for each resampling and axis, and read by all threads. Weights of an output position add up to 1.
@safe struct FilterAxis {
    /// Number of output positions.
    let count: Int
    /// Allocated weights per output position.
    let taps: Int
    /// Starts and counts as 32-bit integers, then `taps` floats for each output position.
    private let memory: ScratchMemory

    /// Creates an axis. The output covers `extent` source positions starting at `offset`; both may be fractional.
    init(
        source: Int, offset: Double = 0, extent: Double, output: Int, shape: FilterShape, account: WorkingMemory
    ) throws(ImageError) {
        let ratio = extent / Double(output)
        // An area is exactly as wide as an output position. The other kernels are at least as wide as at a ratio of 1.
        // A reduction needs a wider kernel, which covers every source position.
        let radius = shape.radius * (shape == .area ? ratio : max(1, ratio))
        count = output
        // Two more for the ends, which may be cut by fractions.
        taps = min(source, Int(min(radius.rounded(.up), Double(source))) * 2 + 2)
        let (weights, overflow) = count.multipliedReportingOverflow(by: taps + 2)
        guard !overflow else { throw .tooLarge("image: working memory in bytes", limit: account.limit) }
        memory = try ScratchMemory(weights, of: Float.self, account: account)
        var steps = FilterSteps(shape, step: shape.radius / radius)
        for index in 0..<count {
            fill(index, source: source, center: offset + (Double(index) + 0.5) * ratio, radius: radius, shape, &steps)
        }
        order()
    }

    /// Makes the starts non-decreasing, because a caller that produces outputs in order releases the source positions before
    /// each start. Without this, a kernel centered exactly on a sample, whose zero weights before it `fill` skips, can start
    /// after the next one.
    private func order() {
        guard let starts = unsafe starts, let counts = unsafe counts, let all = unsafe weights else { return }
        for index in stride(from: count - 2, through: 0, by: -1) {
            let behind = unsafe Int(starts[index]) - Int(starts[index + 1])
            let room = unsafe behind + Int(counts[index])
            guard behind > 0, room <= taps else { continue }
            let weights = unsafe all + index * taps
            for tap in Swift.stride(from: room - 1, through: behind, by: -1) { unsafe weights[tap] = weights[tap - behind] }
            for tap in 0..<behind { unsafe weights[tap] = 0 }
            unsafe starts[index] = starts[index + 1]
            unsafe counts[index] = Int32(clamping: room)
        }
    }

    /// Creates an axis for a reduction. Ratios below 3 use Lanczos with three lobes, which keeps edges sharp. Larger ratios use
    /// the exact area mean, which differs little there and reads each source sample once.
    init(source: Int, extent: Double, output: Int, account: WorkingMemory) throws(ImageError) {
        let shape: FilterShape = extent / Double(output) < 3 ? .lanczos : .area
        try self.init(source: source, extent: extent, output: output, shape: shape, account: account)
    }

    /// Pointers for the C kernels; valid as long as this axis.
    var kernel: sdpx_axis {
        unsafe sdpx_axis(
            count: count, taps: taps, starts: UnsafePointer(starts), counts: UnsafePointer(counts),
            weights: UnsafePointer(weights))
    }

    /// The first source position of each output position.
    var starts: UnsafeMutablePointer<Int32>? { unsafe memory.bytes.baseAddress?.assumingMemoryBound(to: Int32.self) }
    /// The number of source positions of each output position.
    var counts: UnsafeMutablePointer<Int32>? { unsafe starts.map { unsafe $0 + count } }
    /// `taps` weights for each output position.
    var weights: UnsafeMutablePointer<Float>? {
        unsafe memory.bytes.baseAddress.map { unsafe ($0 + count * 8).assumingMemoryBound(to: Float.self) }
    }

    /// The range of source positions of an output position; empty for an invalid index.
    func range(_ index: Int) -> Range<Int> {
        guard index >= 0, index < count, let starts = unsafe starts, let counts = unsafe counts else { return 0..<0 }
        let start = unsafe Int(starts[index])
        return unsafe start..<start + Int(counts[index])
    }

    /// 0 outside the range of the output position.
    func weight(_ index: Int, source: Int) -> Float {
        let range = range(index)
        guard range.contains(source), let weights = unsafe weights else { return 0 }
        return unsafe weights[index * taps + source - range.lowerBound]
    }

    /// The largest number of output positions that use the same window of `span` consecutive source positions.
    /// Determines how many rows of sums a scaler holds at the same time.
    func overlap(span: Int = 1) -> Int {
        var most = 1
        var first = 0
        for index in 0..<count {
            let start = range(index).lowerBound
            while first < index, range(first).upperBound <= start - (span - 1) { first += 1 }
            most = max(most, index - first + 1)
        }
        return most
    }

    /// Computes the weights of one output position, and normalizes them.
    private func fill(
        _ index: Int, source: Int, center: Double, radius: Double, _ shape: FilterShape, _ steps: inout FilterSteps
    ) {
        guard let starts = unsafe starts, let counts = unsafe counts, let all = unsafe weights else { return }
        let weights = unsafe all + index * taps
        let low = max(0, Int((center - radius).rounded(.down)))
        // Positions outside the image are left out; the rest is normalized to 1.
        let high = min(source, low + taps, Int((center + radius).rounded(.up)))
        var sum = 0.0
        var first = high
        var last = low
        steps.begin(at: (Double(low) + 0.5 - center) * shape.radius / radius)
        for position in low..<max(low, high) {
            let left = Double(position)
            let weight =
                shape == .area
                ? max(0, min(left + 1, center + radius) - max(left, center - radius))
                : steps.next()
            // Skips leading positions without weight; later ones keep their index.
            guard abs(weight) > 1e-9 || first < high else { continue }
            first = min(first, position)
            unsafe weights[position - first] = Float(weight)
            if abs(weight) > 1e-9 { last = position + 1 }
            sum += weight
        }
        // Only rounding errors leave no weight at all. The nearest sample replaces the sum.
        guard first < last, sum > 1e-9 else {
            unsafe starts[index] = Int32(clamping: min(source - 1, max(0, Int(center))))
            unsafe counts[index] = 1
            unsafe weights[0] = 1
            return
        }
        let scale = Float(1 / sum)
        for index in 0..<last - first { unsafe weights[index] *= scale }
        unsafe starts[index] = Int32(clamping: first)
        unsafe counts[index] = Int32(clamping: last - first)
    }
}
