import Glibc

/// One channel of an image as cosine components, without those of high frequency.
/// Used by `ThumbHash` for luma, color differences and alpha.
struct CosineChannel: Sendable {
    let mean: Double
    /// The largest magnitude of a component.
    /// Stored with few bits, and the components relative to it.
    let scale: Double
    /// The components without the mean, along x first.
    private(set) var waves: [Double]
    /// Frequencies of the components.
    private let frequencies: [(x: Int, y: Int)]

    /// Computes the components of values given row by row.
    /// `across` and `down` are the numbers of components along each side.
    init(_ values: [Double], size: PixelSize, across: Int, down: Int) {
        frequencies = CosineChannel.frequencies(across: across, down: down)
        mean = values.reduce(0, +) / Double(values.count)
        waves = frequencies.map { frequency in
            let waveX = (0..<size.width).map { CosineChannel.wave(frequency.x, $0, size.width) }
            var sum = 0.0
            for y in 0..<size.height {
                var rowSum = 0.0
                for x in 0..<size.width { rowSum += values[y * size.width + x] * waveX[x] }
                // The sum along y uses the sums of rows, which are separable.
                sum += rowSum * CosineChannel.wave(frequency.y, y, size.height)
            }
            return sum / Double(values.count)
        }
        scale = waves.reduce(0) { max($0, abs($1)) }
    }

    /// Creates a channel whose components are still to be read.
    /// `mean` and `scale` as stored.
    init(mean: Double, scale: Double, across: Int, down: Int) {
        self.mean = mean
        self.scale = scale
        waves = []
        frequencies = CosineChannel.frequencies(across: across, down: down)
    }

    /// Reads the components, four bits each.
    /// A value of 0 to 15 becomes -1 to 1 times the scale.
    mutating func read(_ bits: inout BitRow) {
        for _ in frequencies { waves.append((Double(bits.number(4)) / 7.5 - 1) * scale) }
    }

    /// The value at a pixel of an image of this size.
    func value(_ x: Int, _ y: Int, _ size: PixelSize) -> Double {
        zip(frequencies, waves).reduce(mean) { sum, wave in
            sum + 2 * wave.1 * CosineChannel.wave(wave.0.x, x, size.width) * CosineChannel.wave(wave.0.y, y, size.height)
        }
    }

    /// The triangle of low frequencies, without the mean; the order is that of the format.
    private static func frequencies(across: Int, down: Int) -> [(x: Int, y: Int)] {
        (0..<down).flatMap { y in
            (0..<across).filter { $0 + y > 0 && $0 * down + y * across < across * down }.map { (x: $0, y: y) }
        }
    }

    /// Discrete cosine transform: the position is the center of the pixel.
    private static func wave(_ frequency: Int, _ position: Int, _ length: Int) -> Double {
        cos(.pi / Double(length) * Double(frequency) * (Double(position) + 0.5))
    }
}
