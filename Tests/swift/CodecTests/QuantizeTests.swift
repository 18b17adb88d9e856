import SDImagePixels
import Testing

/// Palettes computed from pixels, and pixels mapped to them.
@Suite struct QuantizeTests {
    /// Memory of a quantizer, and calls on it with arrays.
    @safe private final class Quantizer {
        private let memory: UnsafeMutableRawPointer
        private var quantizer: OpaquePointer { unsafe OpaquePointer(memory) }

        init() {
            unsafe memory = .allocate(byteCount: sdpx_quantizer_size(), alignment: 16)
        }

        deinit { unsafe memory.deallocate() }

        func palette(_ rgba: [UInt8], colors: Int = 256, rounds: Int32 = 3, leastAlpha: UInt32 = 128) -> [[Int]] {
            var palette = [UInt8](repeating: 0, count: 768)
            unsafe sdpx_quantizer_start(quantizer)
            unsafe sdpx_quantizer_add(quantizer, rgba, rgba.count / 4, leastAlpha)
            let count = unsafe sdpx_quantizer_palette(quantizer, &palette, colors, rounds)
            return (0..<count).map { entry in (0..<3).map { Int(palette[3 * entry + $0]) } }
        }

        func map(
            _ rgba: [UInt8], width: Int, to palette: [[Int]], dither: Int, leastAlpha: UInt32 = 128, clear: UInt8 = 255
        ) -> [UInt8] {
            var errors = [Int16](repeating: 0, count: sdpx_quantizer_errors(width))
            unsafe sdpx_quantizer_use(quantizer, palette.flatMap { $0.map { UInt8($0) } }, palette.count)
            return (0..<rgba.count / 4 / width).flatMap { (y: Int) -> [UInt8] in
                var indices = [UInt8](repeating: 0, count: width)
                let row = [UInt8](rgba[4 * width * y..<4 * width * (y + 1)])
                unsafe sdpx_quantizer_map(
                    quantizer, &indices, row, width, y, leastAlpha, clear, Int32(dither), &errors)
                return indices
            }
        }
    }

    private static let none = Int(SDPX_DITHER_NONE)
    private static let diffusion = Int(SDPX_DITHER_DIFFUSION)
    private static let ordered = Int(SDPX_DITHER_ORDERED)

    private static func opaque(_ colors: [[Int]]) -> [UInt8] {
        colors.flatMap { color in color.map { UInt8($0) } + [255] }
    }

    /// Smooth in all channels, with noise: similar to a photograph without detail.
    private static func landscape(width: Int = 128, height: Int = 128, noise: Int = 8) -> [[Int]] {
        var random: UInt32 = 1
        return (0..<width * height).map { (pixel: Int) -> [Int] in
            let x = pixel % width, y = pixel / width
            random = random &* 1_664_525 &+ 1_013_904_223
            let grain = Int(random >> 20) % (2 * noise + 1) - noise
            return [x * 255 / width, y * 255 / height, (x + y) * 127 / width].map { min(255, max(0, $0 + grain)) }
        }
    }

    private static func colors(_ count: Int, seed: UInt32) -> [[Int]] {
        var random = seed
        return (0..<count).map { _ in
            (0..<3).map { _ in
                random = random &* 1_664_525 &+ 1_013_904_223
                return Int(random >> 24)
            }
        }
    }

    /// Every color of 6 bits per channel: far more than the quantizer's histogram holds.
    private static func cube() -> [[Int]] {
        (0..<1 << 18).map { (number: Int) -> [Int] in [number / 4096 * 4, number / 64 % 64 * 4, number % 64 * 4] }
    }

    private static func distance(_ a: [Int], _ b: [Int]) -> Int {
        let weights = [Int(SDPX_WEIGHT_RED), Int(SDPX_WEIGHT_GREEN), Int(SDPX_WEIGHT_BLUE)]
        var sum = 0
        for channel in 0..<3 {
            let difference = a[channel] - b[channel]
            sum += weights[channel] * difference * difference
        }
        return sum
    }

    private static func error(_ colors: [[Int]], _ indices: [UInt8], _ palette: [[Int]]) -> Double {
        let sum = zip(colors, indices).reduce(0) { $0 + distance($1.0, palette[Int($1.1)]) }
        return Double(sum) / Double(colors.count)
    }

    // MARK: Palettes

    @Test(arguments: [1, 2, 17, 255, 256]) func aPictureOfFewColorsGetsExactlyThese(_ count: Int) {
        let all = Set(Self.colors(4 * count, seed: 9)), few = Array(all.prefix(count))
        let pixels = few + few.reversed() + few
        for rounds: Int32 in [0, 4] {
            let palette = Quantizer().palette(Self.opaque(pixels), colors: 256, rounds: rounds)
            #expect(Set(palette) == Set(few) && palette.count == few.count)
        }
    }

    @Test func neighboringGreysAreToldApart() {
        let grays = (0...255).map { [$0, $0, $0] }
        let quantizer = Quantizer()
        let palette = quantizer.palette(Self.opaque(grays))
        #expect(Set(palette) == Set(grays))
        for dither in [Self.none, Self.diffusion] {
            let indices = quantizer.map(Self.opaque(grays), width: 256, to: palette, dither: dither)
            #expect(indices.map { palette[Int($0)] } == grays)
        }
    }

    @Test(arguments: [2, 16, 64, 256]) func paletteOfAPhotographIsNearIt(_ count: Int) {
        let picture = Self.landscape(), quantizer = Quantizer()
        let errors = [Int32(0), 4].map { (rounds: Int32) -> Double in
            let palette = quantizer.palette(Self.opaque(picture), colors: count, rounds: rounds)
            #expect(palette.count == count)
            let indices = quantizer.map(Self.opaque(picture), width: 128, to: palette, dither: Self.none)
            return Self.error(picture, indices, palette)
        }
        // Errors measured when the test was written. More than 10 % above them is a regression; less than half is a fault of the
        // test.
        let known: [Int: Double] = [2: 24980, 16: 2703, 64: 735, 256: 260]
        let measured = known[count] ?? 0
        #expect(errors[1] < measured * 1.1 && errors[1] > measured / 2, "\(errors)")
        #expect(errors[1] <= errors[0] * 1.02, "\(errors)")
    }

    @Test func moreColorsThanAreCountedAreMergedEvenly() {
        let palette = Quantizer().palette(Self.opaque(Self.cube()), colors: 8)
        #expect(palette.count == 8)
        for channel in 0..<3 {
            let values = palette.map { $0[channel] }
            let least = values.min() ?? 0, most = values.max() ?? 0
            #expect(least > 40 && least < 90 && most > 160 && most < 215)
        }
    }

    @Test func transparentPixelsAreNotCounted() {
        let pixels: [UInt8] = [255, 0, 0, 127, 0, 255, 0, 128, 0, 0, 255, 0]
        #expect(Quantizer().palette(pixels) == [[0, 255, 0]])
        #expect(Quantizer().palette(pixels, leastAlpha: 256) == [])
        #expect(Quantizer().palette(pixels, colors: 0) == [])
    }

    // MARK: Mapping

    @Test(arguments: [1, 2, 40, 256]) func everyPixelGetsItsNearestColor(_ count: Int) {
        let palette = Self.colors(count, seed: 3), pixels = Self.colors(4000, seed: 77)
        let indices = Quantizer().map(Self.opaque(pixels), width: 4000, to: palette, dither: Self.none)
        for (pixel, index) in zip(pixels, indices) {
            let least = palette.map { Self.distance($0, pixel) }.min() ?? 0
            #expect(Self.distance(palette[Int(index)], pixel) == least)
        }
    }

    @Test func everyPixelGetsItsNearestColorWhenAllHaveBeenAskedFor() {
        // One color of each small cube fills the memory of the lists.
        let palette = Self.colors(256, seed: 5).map { $0.map { $0 / 4 + 90 } }
        let pixels = Self.cube()
        let indices = Quantizer().map(Self.opaque(pixels), width: 1 << 18, to: palette, dither: Self.none)
        for at in stride(from: 0, to: pixels.count, by: 1009) {
            let least = palette.map { Self.distance($0, pixels[at]) }.min() ?? 0
            #expect(Self.distance(palette[Int(indices[at])], pixels[at]) == least)
        }
    }

    @Test(arguments: [diffusion, ordered]) func ditheringShowsWhatThePaletteLacks(_ dither: Int) {
        let palette = [[0, 0, 0], [96, 96, 96]]
        for value in [24, 48, 72] {
            let pixels = [[Int]](repeating: [value, value, value], count: 64 * 64)
            let indices = Quantizer().map(Self.opaque(pixels), width: 64, to: palette, dither: dither)
            let mean = 96.0 * Double(indices.reduce(0) { $0 + Int($1) }) / (64 * 64)
            #expect(abs(mean - Double(value)) < 7, "\(value) became \(mean)")
            // The upper left quarter has the same share as the whole.
            let quarter = (0..<32).flatMap { indices[$0 * 64..<$0 * 64 + 32] }
            #expect(abs(96.0 * Double(quarter.reduce(0) { $0 + Int($1) }) / 1024 - Double(value)) < 8)
        }
    }

    @Test func anOrderedPatternStandsStill() {
        let palette = [[0, 0, 0], [80, 80, 80], [160, 160, 160]]
        var pixels = [[Int]](repeating: [60, 60, 60], count: 32 * 16)
        let before = Quantizer().map(Self.opaque(pixels), width: 32, to: palette, dither: Self.ordered)
        #expect(before[..<(8 * 32)].elementsEqual(before[(8 * 32)...]))
        pixels[5] = [0, 0, 0]
        let after = Quantizer().map(Self.opaque(pixels), width: 32, to: palette, dither: Self.ordered)
        #expect(zip(before, after).enumerated().allSatisfy { $0 == 5 || $1.0 == $1.1 })
    }

    @Test(arguments: [none, diffusion, ordered]) func transparentPixelsGetTheClearIndexAndHandNothingOn(_ dither: Int) {
        let palette = [[0, 0, 0], [200, 200, 200]]
        var pixels: [UInt8] = []
        for at in 0..<64 { pixels += at % 2 == 0 ? [90, 90, 90, 0] : [200, 200, 200, 255] }
        let indices = Quantizer().map(pixels, width: 8, to: palette, dither: dither, clear: 7)
        #expect(indices == (0..<64).map { $0 % 2 == 0 ? 7 : 1 })
    }
}
