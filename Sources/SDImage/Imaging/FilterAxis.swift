import SDImagePixels

/// Which source positions make up each output position along one axis, and with what weight: centred, widened where the
/// picture shrinks, and of those beyond its edges none.
@safe struct FilterAxis {
    /// Positions of the output.
    let count: Int
    /// Room for the weights of one output position.
    let taps: Int
    private let memory: ScratchMemory

    /// The output covers `extent` source positions from `offset` on, both of which may be fractions.
    init(
        source: Int, offset: Double = 0, extent: Double, output: Int, shape: FilterShape, account: WorkingMemory
    ) throws(ImageError) {
        let ratio = extent / Double(output)
        // An area is as wide as the position however much that is; the others never become narrower than the samples.
        let radius = shape.radius * (shape == .area ? ratio : max(1, ratio))
        count = output
        taps = min(source, Int(min(radius.rounded(.up), Double(source))) * 2 + 2)
        let (weights, overflow) = count.multipliedReportingOverflow(by: taps + 2)
        guard !overflow else { throw .tooLarge("working memory in bytes", limit: account.limit) }
        memory = try ScratchMemory(weights, of: Float.self, account: account)
        var steps = FilterSteps(shape, step: shape.radius / radius)
        for index in 0..<count {
            fill(index, source: source, center: offset + (Double(index) + 0.5) * ratio, radius: radius, shape, &steps)
        }
        order()
    }

    /// Has no output position begin behind the next one: who makes them in order lets go of what lies before. One that stands on
    /// a sample has no weight left of it, while the next one has.
    private func order() {
        guard let starts = unsafe starts, let counts = unsafe counts, let all = unsafe weights else { return }
        for index in stride(from: count - 2, through: 0, by: -1) {
            let behind = unsafe Int(starts[index]) - Int(starts[index + 1])
            let room = unsafe behind + Int(counts[index])
            guard behind > 0, room <= taps else { continue }
            let weights = unsafe all + index * taps
            for place in Swift.stride(from: room - 1, through: behind, by: -1) { unsafe weights[place] = weights[place - behind] }
            for place in 0..<behind { unsafe weights[place] = 0 }
            unsafe starts[index] = starts[index + 1]
            unsafe counts[index] = Int32(clamping: room)
        }
    }

    /// Shrinking by less than three uses Lanczos with three lobes, which keeps edges sharp; beyond, the exact area mean,
    /// which then differs little and needs each source sample once.
    init(source: Int, extent: Double, output: Int, account: WorkingMemory) throws(ImageError) {
        let shape: FilterShape = extent / Double(output) < 3 ? .lanczos : .area
        try self.init(source: source, extent: extent, output: output, shape: shape, account: account)
    }

    /// For the kernels; lives as long as this axis.
    var kernel: sdpx_axis {
        unsafe sdpx_axis(
            count: count, taps: taps, starts: UnsafePointer(starts), counts: UnsafePointer(counts),
            weights: UnsafePointer(weights))
    }

    /// First source position of each output position.
    var starts: UnsafeMutablePointer<Int32>? { unsafe memory.bytes.baseAddress?.assumingMemoryBound(to: Int32.self) }
    /// How many source positions each output position has.
    var counts: UnsafeMutablePointer<Int32>? { unsafe starts.map { unsafe $0 + count } }
    /// `taps` weights for each output position.
    var weights: UnsafeMutablePointer<Float>? {
        unsafe memory.bytes.baseAddress.map { unsafe ($0 + count * 8).assumingMemoryBound(to: Float.self) }
    }

    /// First source position of an output position, and the one after its last.
    func range(_ index: Int) -> Range<Int> {
        guard index >= 0, index < count, let starts = unsafe starts, let counts = unsafe counts else { return 0..<0 }
        let start = unsafe Int(starts[index])
        return unsafe start..<start + Int(counts[index])
    }

    func weight(_ index: Int, source: Int) -> Float {
        let range = range(index)
        guard range.contains(source), let weights = unsafe weights else { return 0 }
        return unsafe weights[index * taps + source - range.lowerBound]
    }

    /// The most output positions that share some of `span` source positions side by side.
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

    private func fill(
        _ index: Int, source: Int, center: Double, radius: Double, _ shape: FilterShape, _ steps: inout FilterSteps
    ) {
        guard let starts = unsafe starts, let counts = unsafe counts, let all = unsafe weights else { return }
        let weights = unsafe all + index * taps
        let low = max(0, Int((center - radius).rounded(.down)))
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
            // Leading positions without weight are passed over, later ones keep their place.
            guard abs(weight) > 1e-9 || first < high else { continue }
            first = min(first, position)
            unsafe weights[position - first] = Float(weight)
            if abs(weight) > 1e-9 { last = position + 1 }
            sum += weight
        }
        // Nothing hit can only come from rounding: the nearest sample stands for the position.
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
