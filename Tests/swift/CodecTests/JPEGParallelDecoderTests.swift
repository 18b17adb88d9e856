import Glibc
import SDImage
import Synchronization
import Testing

@testable import SDImageCodecs

struct JPEGParallelDecoderTests {
    private static let large = JPEGBuilder.file(2000, 1003, JPEGBuilder.samplings[2], restartInterval: 40, detail: 1)

    // MARK: Same pixels

    @Test(arguments: JPEGBuilder.samplings, [0, 1, 7])
    func rowsBelowEverySplitAreThoseOfOneThread(sampling: JPEGBuilder.Sampling, restartInterval: Int) throws {
        for (width, height) in [(1, 130), (17, 97), (33, 64), (48, 65), (67, 131), (100, 113)] {
            let file = JPEGBuilder.file(width, height, sampling, restartInterval: restartInterval, seed: UInt64(width))
            try expectSameRows(try Bytes.copying(file))
        }
    }

    @Test(arguments: ["ramp.jpg", "ramp_420.jpg", "ramp_gray.jpg", "ramp_restart.jpg", "ramp_arithmetic.jpg"])
    func rowsBelowEverySplitOfAPictureAreThoseOfOneThread(name: String) throws {
        try expectSameRows(try CodecFixture.bytes("jpeg/" + name))
    }

    @Test func passingOverRowsInStepsLeadsToTheSameRows() throws {
        for sampling in JPEGBuilder.samplings {
            let bytes = try Bytes.copying(JPEGBuilder.file(50, 300, sampling))
            let plain = try Canvas(bytes)
            try plain.decodeAll(pool: nil)
            let stepped = try Canvas(bytes)
            let unit = stepped.decoder.unitRows
            for _ in 0..<3 { try stepped.decoder.skip(2 * unit) {} }
            try stepped.decoder.read(6 * unit..<300, into: stepped.destination) {}
            #expect(try stepped.rows(6 * unit..<300) == plain.rows(6 * unit..<300))
        }
    }

    @Test(arguments: [PixelFormat.rgb8, .rgba8, .bgra8Premultiplied, .gray8])
    func twoThreadsMakeThePictureThatOneMakes(format: PixelFormat) throws {
        let pool = WorkPool(name: "test", threads: 2)
        defer { pool.stop() }
        let bytes = try Bytes.copying(JPEGParallelDecoderTests.large)
        let alone = try Canvas(bytes, format)
        try alone.decodeAll(pool: nil)
        for _ in 0..<5 {
            let together = try Canvas(bytes, format)
            try together.decodeAll(pool: pool)
            #expect(try together.content() == alone.content())
        }
    }

    @Test func anEngineChangesNoPixel() throws {
        let bytes = try Bytes.copying(JPEGParallelDecoderTests.large)
        let alone = try Canvas(bytes)
        try alone.decodeAll(pool: nil)
        let lease = try Engine.acquire()
        defer { withExtendedLifetime(lease) {} }
        var options = DecodeOptions()
        options.limits.workNanoseconds = .max
        let image = try CoderRegistry([JPEGCoder()]).decode(bytes, options: options, stop: CancellationToken())
        #expect(try image.content == alone.content())
    }

    @Test func aPictureThatIsTurnedUpsideDownIsSharedToo() throws {
        let pool = WorkPool(name: "test", threads: 2)
        defer { pool.stop() }
        let bytes = try Bytes.copying(JPEGParallelDecoderTests.large)
        let alone = try Canvas(bytes, turn: .downMirrored)
        try alone.decodeAll(pool: nil)
        let together = try Canvas(bytes, turn: .downMirrored)
        try together.decodeAll(pool: pool)
        #expect(try together.content() == alone.content())
    }

    // MARK: Work sharing

    @Test func anIdleWorkerTakesTheLowerRows() throws {
        let pool = WorkPool(name: "test", threads: 2)
        defer { pool.stop() }
        let canvas = try Canvas(try Bytes.copying(JPEGParallelDecoderTests.large))
        let split = try #require(canvas.split(pool: pool))
        #expect(split.row == 656)
        split.end()
    }

    @Test func aBusyPoolLeavesThePictureToTheCaller() throws {
        let pool = WorkPool(name: "test", threads: 1)
        defer { pool.stop() }
        let canvas = try Canvas(try Bytes.copying(JPEGParallelDecoderTests.large))
        let split = try pool.counting { () throws(ImageError) in canvas.split(pool: pool) }
        #expect(split == nil)
    }

    @Test func filesThatNeedTheWholeScanOrAreSmallAreNotShared() throws {
        let pool = WorkPool(name: "test", threads: 2)
        defer { pool.stop() }
        let large = try Bytes.copying(JPEGParallelDecoderTests.large)
        #expect(try Canvas(large).split(pool: nil) == nil)
        #expect(try Canvas(large).split(pool: pool) { $0.acceptPartial = true } == nil)
        #expect(try Canvas(large).split(pool: pool) { $0.limits.workingBytes = 500_000 } == nil)
        #expect(try Canvas(try CodecFixture.bytes("jpeg/large.jpg")).split(pool: pool) == nil)
        #expect(try Canvas(try CodecFixture.bytes("jpeg/large_progressive.jpg")).split(pool: pool) == nil)
    }

    @Test func aWorkerThatIsLateIsNotWaitedFor() throws {
        let canvas = try Canvas(try CodecFixture.bytes("jpeg/ramp.jpg"))
        let late = canvas.lowerRows(from: 16)
        #expect(late.takeBack())
        try canvas.fill(0xAB)
        late.decode()
        #expect(!late.isComplete)
        #expect(try canvas.content().allSatisfy { $0 == 0xAB })
    }

    @Test func rowsThatAreThereAreTaken() throws {
        let canvas = try Canvas(try CodecFixture.bytes("jpeg/ramp.jpg"))
        let early = canvas.lowerRows(from: 16)
        early.decode()
        #expect(!early.takeBack())
        #expect(early.isComplete)
    }

    // MARK: Damage and cancellation

    @Test func damageIsReportedAsByOneThread() throws {
        let pool = WorkPool(name: "test", threads: 2)
        defer { pool.stop() }
        let file = JPEGParallelDecoderTests.large
        for part in [0.01, 0.3, 0.6, 0.67, 0.7, 0.9, 0.999] {
            let place = Int(Double(file.count) * part)
            var flipped = file
            for index in place..<min(file.count, place + 20) { flipped[index] = 0x55 ^ UInt8(index & 0x7F) }
            for damaged in [Array(file.prefix(place)), flipped] {
                let bytes = try Bytes.copying(damaged)
                let alone = imageError { try Canvas(bytes).decodeAll(pool: nil) }
                let together = imageError { try Canvas(bytes).decodeAll(pool: pool) }
                #expect(together?.status == alone?.status)
                #expect(together?.message.string == alone?.message.string)
            }
            #expect(
                imageError { try Canvas(try Bytes.copying(Array(file.prefix(place)))).decodeAll(pool: pool) }?.status
                    == .truncated)
        }
    }

    @Test func acceptedDamageGivesThePixelsOfOneThread() throws {
        let pool = WorkPool(name: "test", threads: 2)
        defer { pool.stop() }
        for part in [0.01, 0.3, 0.6, 0.67, 0.7, 0.9] {
            var file = JPEGParallelDecoderTests.large
            let place = Int(Double(file.count) * part)
            for index in place..<place + 20 { file[index] = 0x55 ^ UInt8(index & 0x7F) }
            let bytes = try Bytes.copying(file)
            let alone = try Canvas(bytes, accepting: .corruptData)
            try alone.decodeAll(pool: nil)
            let together = try Canvas(bytes, accepting: .corruptData)
            try together.decodeAll(pool: pool)
            #expect(alone.decoder.isCorrupt && together.decoder.isCorrupt)
            #expect(alone.decoder.hasEnd && together.decoder.hasEnd)
            #expect(try together.content() == alone.content())
        }
    }

    @Test func aStoppedDecodeEndsBothThreads() throws {
        let bytes = try Bytes.copying(JPEGParallelDecoderTests.large)
        for rowsBefore in [0, 100, 600] {
            let pool = WorkPool(name: "test", threads: 2)
            defer { pool.stop() }
            let canvas = try Canvas(bytes)
            let stop = CancellationToken()
            let lower = canvas.lowerRows(from: 656, stop: stop)
            let assistance = try #require(pool.assist { lower.decode() })
            try canvas.decoder.read(0..<rowsBefore, into: canvas.destination) {}
            stop.cancel()
            assistance.wait()
            let error = imageError {
                try canvas.decoder.read(rowsBefore..<1003, into: canvas.destination) { () throws(ImageError) in try stop.check() }
            }
            #expect(error?.status == .cancelled)
        }
        let pool = WorkPool(name: "test", threads: 2)
        defer { pool.stop() }
        let stopped = CancellationToken()
        stopped.cancel()
        #expect(imageError { try Canvas(bytes).decodeAll(pool: pool, stop: stopped) }?.status == .cancelled)
    }

    /// Compares the rows below each possible split with those of a decode without one.
    private func expectSameRows(_ bytes: Bytes) throws {
        let plain = try Canvas(bytes)
        try plain.decodeAll(pool: nil)
        let (unit, height) = (plain.decoder.unitRows, plain.destination.height)
        let expected = try plain.content()
        for row in stride(from: unit, to: height, by: unit) {
            let canvas = try Canvas(bytes)
            try canvas.decoder.read(0..<row, into: canvas.destination) {}
            let lower = canvas.lowerRows(from: row)
            lower.decode()
            #expect(lower.isComplete)
            #expect(try canvas.content() == expected, "split at \(row) of \(plain.decoder.size)")
        }
    }
}

/// A started decode and the memory for its rows.
private final class Canvas {
    let decoder: JPEGRowDecoder
    let destination: JPEGRowDestination
    private let rows: JPEGRowDecoder.Rows
    private let pixels: PixelBuffer

    init(
        _ bytes: Bytes, _ format: PixelFormat = .rgb8, turn: Orientation = .up, accepting: JPEGRowDecoder.Tolerance = .none
    ) throws {
        decoder = try JPEGRowDecoder(bytes, accepting: accepting)
        rows =
            switch format {
            case .gray8: .gray
            case .rgba8: .rgba
            case .bgra8Premultiplied: .bgra
            default: .rgb
            }
        let options = DecodeOptions()
        let plan = try DecodePlan(storedSize: decoder.size, orientation: turn, options: options)
        let writer = try ScanlineWriter(
            rowSize: decoder.size, sourceFormat: format, plan: plan, output: format, transform: nil, options: options)
        let direct = JPEGRowDestination(writer, height: decoder.size.height)
        destination = try #require(direct)
        pixels = try writer.finish()
        try decoder.start(rows, scale: decoder.fullScale, limits: options.limits, stop: CancellationToken())
    }

    func decodeAll(pool: WorkPool?, stop: CancellationToken = CancellationToken()) throws {
        try decoder.readAll(rows, into: destination, options: DecodeOptions(), stop: stop, pool: { pool })
    }

    func split(pool: WorkPool?, _ change: (inout DecodeOptions) -> Void = { _ in }) -> JPEGParallelDecoder? {
        var options = DecodeOptions()
        change(&options)
        return JPEGParallelDecoder(
            decoder, rows: rows, into: destination, options: options, stop: CancellationToken(), pool: { pool })
    }

    func lowerRows(from row: Int, stop: CancellationToken = CancellationToken()) -> JPEGLowerRowDecoder {
        JPEGLowerRowDecoder(decoder.bytes, rows: rows, from: row, into: destination, limits: .standard, stop: stop)
    }

    func fill(_ byte: UInt8) throws {
        for y in 0..<pixels.size.height {
            unsafe try #require(pixels.mutableRow(y)).initializeMemory(as: UInt8.self, repeating: byte)
        }
    }

    func content() throws -> [UInt8] { try rows(0..<pixels.size.height) }

    func rows(_ range: Range<Int>) throws -> [UInt8] {
        var bytes: [UInt8] = []
        for y in range { unsafe bytes += unsafe try #require(pixels.row(y)) }
        return bytes
    }
}
