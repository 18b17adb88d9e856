import Foundation
import SDImage
import Testing

struct ScanlineWriterTests {
    private struct Setup {
        var size: PixelSize
        var format = PixelFormat.rgb8
        var output: PixelFormat?
        var target: PixelSize?
        var turn = Orientation.up
        var transform: (any RowTransform)?
        var options = DecodeOptions()
    }

    private struct Inverted: RowTransform {
        func apply(_ row: UnsafeMutableRawBufferPointer, pixels: Int, format: PixelFormat) {
            for index in row.indices { unsafe row[index] = 255 - row[index] }
        }
    }

    /// Writes `rows` rows of `source(x, y)` through a writer.
    private func write(_ setup: Setup, rows: Int? = nil, source: (Int, Int) -> [UInt8]) throws -> Image {
        var options = setup.options
        options.thumbnailSize = setup.target.map { setup.turn.swapsAxes ? $0.swapped : $0 }
        options.thumbnailMode = .fill
        let plan = try DecodePlan(storedSize: setup.size, orientation: setup.turn, options: options)
        var writer = try ScanlineWriter(
            rowSize: setup.size, sourceFormat: setup.format, plan: plan, output: setup.output ?? setup.format,
            transform: setup.transform, options: options)
        for y in 0..<(rows ?? setup.size.height) {
            let row = (0..<setup.size.width).flatMap { source($0, y) }
            unsafe try row.withUnsafeBytes { unsafe try writer.write($0) }
        }
        return Image(pixels: try writer.finish(), metadata: ImageMetadata())
    }

    private static func pattern(_ x: Int, _ y: Int) -> [UInt8] {
        [x &* 37 &+ y &* 11, x &* 5 &+ y &* 91, x ^ y].map { UInt8(truncatingIfNeeded: $0) }
    }

    @Test func unscaledRowsComeOutUnchanged() throws {
        let image = try write(Setup(size: PixelSize(width: 33, height: 21)), source: ScanlineWriterTests.pattern)
        #expect(image.distance(to: ScanlineWriterTests.pattern) == 0)
    }

    @Test func plainRowsMayBeWrittenInPlace() throws {
        let size = PixelSize(width: 20, height: 3)
        let plan = try DecodePlan(storedSize: size, orientation: .up, options: DecodeOptions())
        let writer = try ScanlineWriter(
            rowSize: size, sourceFormat: .gray8, plan: plan, output: .gray8, transform: nil, options: DecodeOptions())
        for y in 0..<3 { unsafe try #require(writer.directRow(y)).copyBytes(from: [UInt8](repeating: UInt8(y), count: 20)) }
        #expect(unsafe writer.directRow(3) == nil)
        let image = Image(pixels: try writer.finish(), metadata: ImageMetadata())
        #expect(image.distance { _, y in [UInt8(y)] } == 0)
    }

    @Test(arguments: Orientation.allCases, [1, 5, 31, 32, 33, 70])
    func everyOrientationPutsEachPixelInItsPlace(turn: Orientation, height: Int) throws {
        let size = PixelSize(width: 41, height: height)
        for (format, bytes) in [(PixelFormat.rgb8, 3), (.gray8, 1), (.rgba8, 4), (.gray16, 2), (.rgb16, 6), (.rgba16, 8)] {
            func source(_ x: Int, _ y: Int) -> [UInt8] { (0..<bytes).map { UInt8(truncatingIfNeeded: x + y * 41 + $0 * 50) } }
            let image = try write(Setup(size: size, format: format, turn: turn), source: source)
            let (right, bottom) = (size.width - 1, size.height - 1)
            #expect(image.size == (turn.swapsAxes ? size.swapped : size))
            let distance = image.distance { x, y in
                switch turn {
                case .up: source(x, y)
                case .upMirrored: source(right - x, y)
                case .down: source(right - x, bottom - y)
                case .downMirrored: source(x, bottom - y)
                case .leftMirrored: source(y, x)
                case .right: source(y, bottom - x)
                case .rightMirrored: source(right - y, bottom - x)
                case .left: source(right - y, x)
                }
            }
            #expect(distance == 0, "\(format)")
        }
    }

    @Test func turningAndShrinkingGoTogether() throws {
        let setup = Setup(size: PixelSize(width: 80, height: 40), target: PixelSize(width: 20, height: 10), turn: .right)
        let image = try write(setup) { x, _ in [UInt8(x * 3), 0, 0] }
        #expect(image.size == PixelSize(width: 10, height: 20))
        #expect(image.distance { _, y in [UInt8(y * 12 + 4), 0, 0] } <= 1)
    }

    @Test func colorIsChangedBeforeTheFormat() throws {
        let setup = Setup(size: PixelSize(width: 9, height: 4), output: .bgra8Premultiplied, transform: Inverted())
        let image = try write(setup) { x, y in [UInt8(x), UInt8(y), 9] }
        #expect(image.distance { x, y in [246, UInt8(255 - y), UInt8(255 - x), 255] } == 0)
    }

    @Test func colorIsChangedAfterShrinkingToo() throws {
        let setup = Setup(
            size: PixelSize(width: 64, height: 64), format: .gray8, target: PixelSize(width: 8, height: 8), transform: Inverted())
        #expect(try write(setup) { _, _ in [55] }.distance { _, _ in [200] } == 0)
    }

    // MARK: Filters

    /// Exact filter weights of one axis: a row of weights for each output position.
    private static func weights(_ source: Int, _ output: Int) -> [[Double]] {
        let ratio = Double(source) / Double(output)
        return (0..<output).map { index in
            let center = (Double(index) + 0.5) * ratio
            let raw = (0..<source).map { position -> Double in
                if ratio >= 3 {
                    return max(0, min(Double(position + 1), center + ratio / 2) - max(Double(position), center - ratio / 2))
                }
                let t = (Double(position) + 0.5 - center) / ratio * .pi
                if abs(t) < 1e-12 { return 1 }
                return abs(t) >= 3 * .pi ? 0 : 3 * sin(t) * sin(t / 3) / (t * t)
            }
            let sum = raw.reduce(0, +)
            return raw.map { $0 / sum }
        }
    }

    @Test(arguments: [(64, 63), (64, 40), (64, 21), (64, 20), (64, 13), (64, 5), (64, 1)])
    func shrinkingEqualsExactArithmetic(source: Int, output: Int) throws {
        let size = PixelSize(width: source, height: source)
        let image = try write(
            Setup(size: size, target: PixelSize(width: output, height: output)), source: ScanlineWriterTests.pattern)
        let weights = ScanlineWriterTests.weights(source, output)
        let distance = image.distance { x, y in
            (0..<3).map { channel in
                var sum = 0.0
                for row in 0..<source where weights[y][row] != 0 {
                    for column in 0..<source where weights[x][column] != 0 {
                        sum += weights[y][row] * weights[x][column] * Double(ScanlineWriterTests.pattern(column, row)[channel])
                    }
                }
                return UInt8(max(0, min(255, sum.rounded())))
            }
        }
        #expect(distance <= 1)
    }

    @Test(arguments: [PixelFormat.rgb8, .gray16], [1, 13, 22, 39])
    func rowsThatArrivedGiveEveryOutputRowTheyComplete(format: PixelFormat, rows: Int) throws {
        func source(_ x: Int, _ y: Int) -> [UInt8] {
            (0..<format.bytesPerPixel).map { UInt8(truncatingIfNeeded: x * 37 + y * 11 + $0 * 5) }
        }
        let size = PixelSize(width: 40, height: 40)
        var setup = Setup(size: size, format: format, target: PixelSize(width: 20, height: 20))
        let whole = try write(setup, source: source)
        setup.options.acceptPartial = true
        let part = try write(setup, rows: rows, source: source)
        let weights = ScanlineWriterTests.weights(40, 20)
        for y in 0..<20 {
            let isComplete = weights[y][rows...].allSatisfy { abs($0) < 1e-9 }
            let row = unsafe Array(try #require(part.pixels.row(y)))
            let expected = unsafe Array(try #require(whole.pixels.row(y)))
            #expect(row == (isComplete ? expected : [UInt8](repeating: 0, count: expected.count)), "row \(y)")
        }
    }

    @Test func oneAxisAloneCanShrink() throws {
        let setup = Setup(size: PixelSize(width: 50, height: 30), format: .gray8, target: PixelSize(width: 50, height: 3))
        #expect(try write(setup) { x, y in [UInt8(x * 4 + y)] }.distance { x, y in [UInt8(x * 4 + y * 10 + 5)] } <= 1)
    }

    @Test(arguments: [PixelFormat.gray8, .rgb8, .rgba8], [200, 77, 20, 3])
    func aPlainPictureStaysPlain(format: PixelFormat, side: Int) throws {
        let color: [UInt8] = Array([131, 17, 250, 255].prefix(format.channels))
        let setup = Setup(size: PixelSize(width: 301, height: 301), format: format, target: PixelSize(width: side, height: side))
        #expect(try write(setup) { _, _ in color }.distance { _, _ in color } == 0)
    }

    @Test func invisibleColorDoesNotBleed() throws {
        let setup = Setup(size: PixelSize(width: 64, height: 64), format: .rgba8, target: PixelSize(width: 10, height: 10))
        let image = try write(setup) { x, _ in x % 2 == 0 ? [10, 20, 30, 255] : [255, 255, 255, 0] }
        for x in 0..<10 {
            let pixel = image.pixel(x, 5)
            #expect(Array(pixel.prefix(3)) == [10, 20, 30])
            #expect((100...155).contains(pixel[3]))
        }
    }

    @Test func shrunkPicturesArePremultipliedWhereAsked() throws {
        let setup = Setup(
            size: PixelSize(width: 64, height: 64), format: .rgba8, output: .bgra8Premultiplied,
            target: PixelSize(width: 8, height: 8))
        #expect(try write(setup) { _, _ in [200, 100, 50, 51] }.distance { _, _ in [10, 20, 40, 51] } <= 1)
    }

    @Test func sixteenBitPicturesKeepTheirDepth() throws {
        let setup = Setup(size: PixelSize(width: 64, height: 64), format: .gray16, target: PixelSize(width: 4, height: 4))
        // The mean of alternating 0x1200 and 0x1201 is exact to half a step.
        let image = try write(setup) { x, _ in [UInt8(x % 2), 0x12] }
        #expect(image.distance { _, _ in [1, 0x12] } <= 1)
    }

    // MARK: Limits

    @Test func missingRowsAreAnErrorUnlessPartialPicturesAreAccepted() throws {
        var setup = Setup(size: PixelSize(width: 8, height: 8), output: .rgba8)
        #expect(imageError { _ = try write(setup, rows: 5) { _, _ in [1, 2, 3] } }?.status == .truncated)
        setup.options.acceptPartial = true
        for turn in Orientation.allCases {
            setup.turn = turn
            let content = try write(setup, rows: 5) { _, _ in [1, 2, 3] }.content
            #expect(content.filter { $0 == 255 }.count == 5 * 8)
            #expect(content.filter { $0 == 0 }.count == 3 * 8 * 4)
        }
    }

    @Test func memoryIsLimited() throws {
        var setup = Setup(size: PixelSize(width: 4000, height: 8), target: PixelSize(width: 100, height: 8))
        setup.options.limits.workingBytes = 10_000
        #expect(imageError { _ = try write(setup) { _, _ in [1, 2, 3] } }?.status == .tooLarge)
        setup.options.limits = .standard
        setup.options.limits.outputBytes = 2_000
        #expect(imageError { _ = try write(setup) { _, _ in [1, 2, 3] } }?.status == .tooLarge)
    }
}
