import SDImage
import Testing

/// External numbers at the limits of their types.
@Suite struct SaturatingTests {
    @Test(arguments: [
        (Double.nan, 0), (.infinity, .max), (-.infinity, .min), (1e300, .max), (-1e300, .min), (0x1p63, .max), (-0x1p63, .min),
        (-0x1p64, .min), (1.9, 1), (-1.9, -1), (-0.0, 0), (.leastNonzeroMagnitude, 0), (0x1p52 + 0.5, 1 << 52),
    ])
    func aNumberBecomesTheNearestWholeOne(value: Double, expected: Int) {
        #expect(Int(saturating: value) == expected)
    }

    @Test func sumsEndAtTheLimits() {
        #expect(Int.max.addingSaturated(1) == .max && Int.min.addingSaturated(-1) == .min && 1.addingSaturated(-2) == -1)
        #expect(UInt64.max.addingSaturated(1) == .max && UInt64(1).addingSaturated(2) == 3)
    }

    @Test func timesEndAtTheLimit() {
        #expect(UInt64.saturatingNanoseconds(milliseconds: UInt32.max) == 4_294_967_295_000_000)
        #expect(UInt64.saturatingNanoseconds(milliseconds: UInt64.max) == .max)
        #expect(UInt64.saturatingNanoseconds(seconds: Int64.max) == .max)
        #expect(UInt64.saturatingNanoseconds(seconds: -1) == 0)
        #expect(UInt64.saturatingNanoseconds(seconds: 300) == 300_000_000_000)
    }
}
