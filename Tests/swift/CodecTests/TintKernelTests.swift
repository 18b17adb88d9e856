import SDImage
import SDImagePixels
import TestSupport
import Testing

/// A color blended over rows, compared with the formulas in doubles.
@Suite struct TintKernelTests {
    private static let modes = BlendMode.allCases

    /// Pixels with extreme and with random values.
    private static func pixels(_ count: Int, premultiplied: Bool) -> [UInt8] {
        var randoms = Randoms(seed: 4)
        return (0..<count).flatMap { (_: Int) -> [UInt8] in
            func value() -> Int { randoms.below(2) == 0 ? randoms.below(256) : [0, 255, 128, 127, 64][randoms.below(5)] }
            let alpha = value()
            return (0..<3).map { _ in UInt8(premultiplied ? min(alpha, value()) : value()) } + [UInt8(alpha)]
        }
    }

    private static let tints: [[Float]] = [
        [1, 0, 0, 1], [0.25, 0.5, 0.75, 1], [0.2, 0.9, 0.4, 0.5], [0, 0, 0, 0.25], [1, 1, 1, 0.75], [0.5, 0.5, 0.5, 1],
    ]

    private static func expect(
        _ mode: BlendMode, _ pixels: [[Double]], _ result: [[Double]], _ tint: [Float], within tolerance: Double,
        premultiplied: Bool = false
    ) {
        let reference = BlendReference(mode: Int(mode.rawValue), source: tint.map { Double($0) })
        for (pixel, got) in zip(pixels, result) {
            let want = reference.over(pixel)
            #expect(abs(got[3] - want[3]) <= tolerance, "\(mode) alpha of \(pixel) and \(tint)")
            guard want[3] > 0 else { continue }
            for channel in 0..<3 {
                let (a, b) = premultiplied ? (got[channel], want[channel] * want[3]) : (got[channel], want[channel])
                #expect(abs(a - b) <= tolerance, "\(mode) of \(pixel) and \(tint): \(got), not \(want)")
            }
        }
    }

    private static func fours<T>(_ values: [T], _ unit: (T) -> Double) -> [[Double]] {
        stride(from: 0, to: values.count, by: 4).map { at in values[at..<at + 4].map(unit) }
    }

    @Test(arguments: modes) func bytesAreTheNearestToTheFormula(_ mode: BlendMode) {
        let source = Self.pixels(700, premultiplied: false)
        for tint in Self.tints {
            var result = [UInt8](repeating: 7, count: source.count)
            unsafe sdpx_tint_row(
                &result, PixelFormat.rgba8.rawValue, source, PixelFormat.rgba8.rawValue, 700, tint, mode.rawValue)
            Self.expect(
                mode, Self.fours(source) { Double($0) / 255 }, Self.fours(result) { Double($0) / 255 }, tint,
                within: 0.502 / 255)
        }
    }

    @Test(arguments: modes) func premultipliedBytesAreTheNearestToTheFormula(_ mode: BlendMode) {
        let source = Self.pixels(700, premultiplied: true)
        let straight = Self.fours(source) { Double($0) / 255 }.map { pixel in
            pixel[..<3].map { pixel[3] > 0 ? $0 / pixel[3] : $0 } + [pixel[3]]
        }
        for tint in Self.tints {
            for format: PixelFormat in [.rgba8Premultiplied, .bgra8Premultiplied] {
                let swaps = format == .bgra8Premultiplied
                let stored = swaps ? Self.exchanged(source) : source
                var result = stored
                unsafe sdpx_tint_row(&result, format.rawValue, stored, format.rawValue, 700, tint, mode.rawValue)
                let seen = Self.fours(swaps ? Self.exchanged(result) : result) { Double($0) / 255 }
                Self.expect(mode, straight, seen, tint, within: 0.502 / 255, premultiplied: true)
            }
        }
    }

    private static func exchanged(_ pixels: [UInt8]) -> [UInt8] {
        stride(from: 0, to: pixels.count, by: 4).flatMap { (at: Int) -> [UInt8] in
            [pixels[at + 2], pixels[at + 1], pixels[at], pixels[at + 3]]
        }
    }

    @Test(arguments: modes) func wordsAreTheNearestToTheFormula(_ mode: BlendMode) {
        let source = Self.pixels(700, premultiplied: false).map { UInt16($0) * 257 }
        for tint in Self.tints {
            var result = source
            unsafe sdpx_tint_row(
                &result, PixelFormat.rgba16.rawValue, source, PixelFormat.rgba16.rawValue, 700, tint, mode.rawValue)
            Self.expect(
                mode, Self.fours(source) { Double($0) / 65535 }, Self.fours(result) { Double($0) / 65535 }, tint,
                within: 1.5 / 65535)
        }
    }

    @Test(arguments: modes) func lightIsThatOfTheFormula(_ mode: BlendMode) {
        let source = Self.pixels(700, premultiplied: false).map { Float($0) / 255 }
        for tint in Self.tints {
            var result = source
            unsafe sdpx_tint_row(
                &result, PixelFormat.rgbaFloat.rawValue, source, PixelFormat.rgbaFloat.rawValue, 700, tint, mode.rawValue)
            Self.expect(mode, Self.fours(source) { Double($0) }, Self.fours(result) { Double($0) }, tint, within: 1e-5)
        }
    }

    @Test func lightBeyondWhiteStaysWhereTheModeWeighs() {
        let source: [Float] = [3, 0.5, -0.25, 1]
        var result = source
        unsafe sdpx_tint_row(
            &result, PixelFormat.rgbaFloat.rawValue, source, PixelFormat.rgbaFloat.rawValue, 1, [1, 1, 1, 0.5],
            BlendMode.normal.rawValue)
        #expect(result == [2, 0.75, 0.375, 1])
    }

    @Test func formatsWithoutAlphaAreReadAsOpaque() {
        let gray: [UInt8] = [0, 100, 255]
        var result = [UInt8](repeating: 0, count: 12)
        unsafe sdpx_tint_row(
            &result, PixelFormat.rgba8.rawValue, gray, PixelFormat.gray8.rawValue, 3, [1, 0, 0, 0.5], BlendMode.multiply.rawValue)
        #expect(result == [0, 0, 0, 255, 100, 50, 50, 255, 255, 128, 128, 255])
    }

    @Test(arguments: [-1, 28, 1000] as [Int32]) func unknownModesDoNothing(_ mode: Int32) {
        var result: [UInt8] = [1, 2, 3, 4]
        unsafe sdpx_tint_row(
            &result, PixelFormat.rgba8.rawValue, [9, 9, 9, 9] as [UInt8], PixelFormat.rgba8.rawValue, 1, [1, 1, 1, 1], mode)
        #expect(result == [1, 2, 3, 4])
    }
}
