import TestSupport
import Testing

/// Writes baseline JPEG files of random blocks with any sampling (ISO/IEC 10918-1), which exercise every part of a decoder.
struct JPEGBuilder {
    struct Sampling: Sendable, CustomTestStringConvertible {
        let name: String
        /// Horizontal and vertical blocks of each component in an MCU.
        let factors: [(across: Int, down: Int)]
        var testDescription: String { name }
    }

    static let samplings = [
        Sampling(name: "4:4:4", factors: [(1, 1), (1, 1), (1, 1)]),
        Sampling(name: "4:2:2", factors: [(2, 1), (1, 1), (1, 1)]),
        Sampling(name: "4:2:0", factors: [(2, 2), (1, 1), (1, 1)]),
        Sampling(name: "4:1:1", factors: [(4, 1), (1, 1), (1, 1)]),
        Sampling(name: "4:4:0", factors: [(1, 2), (1, 1), (1, 1)]),
        Sampling(name: "4:1:0", factors: [(4, 2), (1, 1), (1, 1)]),
        Sampling(name: "four rows of blocks", factors: [(1, 4), (1, 1), (1, 1)]),
        Sampling(name: "uneven color", factors: [(2, 2), (2, 1), (1, 2)]),
        Sampling(name: "gray", factors: [(1, 1)]),
        Sampling(name: "gray, factors of two", factors: [(2, 2)]),
    ]

    private static let differences: [UInt8] = Array(0...11)
    private static let runs: [UInt8] = [0x00, 0xF0] + (0...15).flatMap { run in (1...10).map { UInt8(run << 4 | $0) } }

    private let width: Int
    private let height: Int
    private let factors: [(across: Int, down: Int)]
    /// Restart interval in MCUs; 0 for none.
    private let restartInterval: Int
    /// Number of AC coefficients of each block.
    private let detail: Int
    private var randoms: Randoms
    private var out: [UInt8] = []
    private var bits: UInt32 = 0
    private var bitCount = 0
    private var means: [Int] = []

    static func file(
        _ width: Int, _ height: Int, _ sampling: Sampling, restartInterval: Int = 0, detail: Int = 6, seed: UInt64 = 1
    ) -> [UInt8] {
        var builder = JPEGBuilder(
            width: width, height: height, factors: sampling.factors, restartInterval: restartInterval, detail: detail,
            randoms: Randoms(seed: seed))
        builder.writeHeader()
        builder.writeScan()
        return builder.out
    }

    private mutating func segment(_ marker: UInt8, _ body: [UInt8]) {
        let length = body.count + 2
        out += [0xFF, marker, UInt8(length >> 8), UInt8(length & 255)] + body
    }

    private mutating func writeHeader() {
        out = [0xFF, 0xD8]
        segment(0xDB, [0] + [UInt8](repeating: 6, count: 64))
        let size = [UInt8(height >> 8), UInt8(height & 255), UInt8(width >> 8), UInt8(width & 255)]
        var components: [UInt8] = []
        for (index, factor) in factors.enumerated() {
            components += [UInt8(index + 1), UInt8(factor.across << 4 | factor.down), 0]
        }
        segment(0xC0, [8] + size + [UInt8(factors.count)] + components)
        // Codes of equal length: four bits for one table, eight for the other.
        let none = [UInt8](repeating: 0, count: 16)
        var short = none
        short[3] = UInt8(JPEGBuilder.differences.count)
        var long = none
        long[7] = UInt8(JPEGBuilder.runs.count)
        segment(0xC4, [0x00] + short + JPEGBuilder.differences)
        segment(0xC4, [0x10] + long + JPEGBuilder.runs)
        if restartInterval > 0 { segment(0xDD, [UInt8(restartInterval >> 8), UInt8(restartInterval & 255)]) }
        let tables = (1...factors.count).flatMap { (component: Int) -> [UInt8] in [UInt8(component), 0] }
        segment(0xDA, [UInt8(factors.count)] + tables + [0, 63, 0])
    }

    private mutating func writeScan() {
        let across = factors.map(\.across).max() ?? 1
        let down = factors.map(\.down).max() ?? 1
        // In a scan of one component, an MCU is one block (A.2.2).
        let isSingle = factors.count == 1
        let (unitWidth, unitHeight) = isSingle ? (8, 8) : (8 * across, 8 * down)
        let count = ((width + unitWidth - 1) / unitWidth) * ((height + unitHeight - 1) / unitHeight)
        means = factors.map { _ in 0 }
        for unit in 0..<count {
            if restartInterval > 0, unit > 0, unit % restartInterval == 0 {
                finishByte()
                out += [0xFF, UInt8(0xD0 + (unit / restartInterval - 1) % 8)]
                means = factors.map { _ in 0 }
            }
            for (component, factor) in factors.enumerated() {
                for _ in 0..<(isSingle ? 1 : factor.across * factor.down) { writeBlock(component) }
            }
        }
        finishByte()
        out += [0xFF, 0xD9]
    }

    private mutating func writeBlock(_ component: Int) {
        let mean = randoms.below(300) - 150
        write(mean - means[component], symbol: { $0 }, in: JPEGBuilder.differences, length: 4)
        means[component] = mean
        var position = 1
        for _ in 0..<(detail > 0 ? randoms.below(detail + 1) : 0) {
            let run = randoms.below(12)
            guard position + run < 63 else { break }
            let value = (randoms.below(30) + 1) * (randoms.below(2) == 0 ? -1 : 1)
            write(value, symbol: { run << 4 | $0 }, in: JPEGBuilder.runs, length: 8)
            position += run + 1
        }
        put(0, 8)
    }

    /// A code, then the bits of the value, minus one if it is negative (F.1.2.1).
    private mutating func write(_ value: Int, symbol: (Int) -> Int, in table: [UInt8], length: Int) {
        let size = Int.bitWidth - abs(value).leadingZeroBitCount
        let code = table.firstIndex(of: UInt8(symbol(size))) ?? 0
        put(UInt32(code), length)
        put(UInt32(truncatingIfNeeded: value < 0 ? value - 1 : value) & (1 << UInt32(size) - 1), size)
    }

    private mutating func put(_ value: UInt32, _ count: Int) {
        bits = bits << UInt32(count) | value
        bitCount += count
        while bitCount >= 8 {
            let byte = UInt8(truncatingIfNeeded: bits >> UInt32(bitCount - 8))
            out.append(byte)
            if byte == 0xFF { out.append(0) }
            bitCount -= 8
        }
        bits &= 1 << UInt32(bitCount) - 1
    }

    private mutating func finishByte() {
        if bitCount > 0 { put(1 << UInt32(8 - bitCount) - 1, 8 - bitCount) }
    }
}
