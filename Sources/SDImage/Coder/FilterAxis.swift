import Glibc

/// Which source positions make up each output position along one axis, and with what weight.
///
/// Shrinking by less than three uses Lanczos with three lobes, which keeps edges sharp; beyond, the exact area mean,
/// which then differs little and needs each source sample once.
@safe struct FilterAxis {
    /// Positions of the output.
    let count: Int
    /// Room for the weights of one output position.
    let taps: Int
    private let memory: ScratchMemory

    static let lanczosBelow = 3.0

    /// `extent`: how many of the source positions the picture covers; a fraction where its last one is cut.
    init(source: Int, extent: Double, output: Int, limit: Int) throws(ImageError) {
        let ratio = extent / Double(output)
        let radius = ratio < FilterAxis.lanczosBelow ? 3 * ratio : ratio / 2
        count = output
        taps = min(source, Int(radius.rounded(.up)) * 2 + 2)
        let (weights, overflow) = count.multipliedReportingOverflow(by: taps + 2)
        guard !overflow else { throw .tooLarge("working memory in bytes", limit: limit) }
        memory = try ScratchMemory(weights, of: Float.self, limit: limit)
        for index in 0..<count { fill(index, source: source, ratio: ratio, radius: radius) }
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

    /// The most output positions that share one source position.
    var overlap: Int {
        var most = 1
        var first = 0
        for index in 0..<count {
            let start = range(index).lowerBound
            while first < index, range(first).upperBound <= start { first += 1 }
            most = max(most, index - first + 1)
        }
        return most
    }

    private func fill(_ index: Int, source: Int, ratio: Double, radius: Double) {
        guard let starts = unsafe starts, let counts = unsafe counts, let all = unsafe weights else { return }
        let weights = unsafe all + index * taps
        let center = (Double(index) + 0.5) * ratio
        let low = max(0, Int((center - radius).rounded(.down)))
        let high = min(source, low + taps, Int((center + radius).rounded(.up)))
        var sum = 0.0
        var first = high
        var last = low
        for position in low..<max(low, high) {
            let weight = FilterAxis.weight(Double(position), center: center, ratio: ratio)
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

    private static func weight(_ position: Double, center: Double, ratio: Double) -> Double {
        guard ratio < lanczosBelow else {
            return max(0, min(position + 1, center + ratio / 2) - max(position, center - ratio / 2))
        }
        let distance = abs((position + 0.5 - center) / ratio)
        if distance < 1e-9 { return 1 }
        if distance >= 3 { return 0 }
        // sin(3a) = 3 sin a - 4 sin^3 a: one sine for both factors of the kernel.
        let angle = distance * Double.pi
        let inner = sin(angle / 3)
        return 3 * (3 - 4 * inner * inner) * inner * inner / (angle * angle)
    }
}
