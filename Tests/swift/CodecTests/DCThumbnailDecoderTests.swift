import SDImage
import Testing

@testable import SDImageCodecs

struct DCThumbnailDecoderTests {
    private static let restarts = JPEGBuilder.file(2000, 1003, JPEGBuilder.samplings[2], restartInterval: 40, detail: 2)
    private let coder = JPEGCoder()

    // MARK: Samples

    @Test(arguments: JPEGBuilder.samplings, [0, 1, 7])
    func brightnessIsThatOfLibjpegAtAnEighth(sampling: JPEGBuilder.Sampling, restartInterval: Int) throws {
        for (width, height) in [(1, 130), (17, 97), (33, 64), (67, 131), (200, 113)] {
            let file = JPEGBuilder.file(width, height, sampling, restartInterval: restartInterval, seed: UInt64(width))
            let decoder = try JPEGRowDecoder(try Bytes.copying(file), accepting: .none)
            let thumbnail = try #require(try thumbnail(decoder, detail: 1))
            #expect(try rows(thumbnail, decoder, isColor: false) == libjpegRows(decoder, .gray))
        }
    }

    @Test(arguments: ["4:4:4", "gray", "gray, factors of two"])
    func colorIsThatOfLibjpegAtAnEighth(name: String) throws {
        let sampling = try #require(JPEGBuilder.samplings.first { $0.name == name })
        let isColor = sampling.factors.count == 3
        let decoder = try JPEGRowDecoder(try Bytes.copying(JPEGBuilder.file(203, 99, sampling)), accepting: .none)
        let thumbnail = try #require(try thumbnail(decoder, detail: 1))
        let got = try rows(thumbnail, decoder, isColor: isColor)
        let expected = try libjpegRows(decoder, isColor ? .rgb : .gray)
        #expect(got.count == expected.count)
        #expect(zip(got, expected).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
    }

    @Test func subsampledColorHasSamplesOfItsOwn() throws {
        // Blocks without detail: every sample is the mean of its block.
        let file = JPEGBuilder.file(203, 99, JPEGBuilder.samplings[2], detail: 0)
        let decoder = try JPEGRowDecoder(try Bytes.copying(file), accepting: .none)
        let thumbnail = try #require(try thumbnail(decoder, detail: 1))
        let got = try rows(thumbnail, decoder, isColor: true)
        let expected = try libjpegRows(decoder, .rgb)
        #expect(zip(got, expected).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
    }

    @Test(arguments: ["large.jpg", "large_progressive.jpg"], [1, 2])
    func samplesAreMeansOfPixels(name: String, detail: Int) throws {
        let decoder = try JPEGRowDecoder(try CodecFixture.bytes("jpeg/" + name), accepting: .none)
        guard let thumbnail = try thumbnail(decoder, detail: detail) else {
            #expect(decoder.isProgressive && detail == 2)
            return
        }
        let pixels = try rows(thumbnail, decoder, isColor: true)
        let (side, width) = (8 / detail, 1024 * detail / 8)
        for (x, y) in [(0, 0), (1, 1), (20, 31), (64, 5), (width - 1, 768 * detail / 8 - 1)] {
            let place = (y * width + x) * 3
            let center = (Double(x) + 0.5, Double(y) + 0.5)
            #expect(abs(Double(pixels[place]) - (center.0 * Double(side) / 4 - 0.5)) <= 4)
            #expect(abs(Double(pixels[place + 1]) - (center.1 * Double(side) * 240 / 768 - 0.5)) <= 4)
            #expect(abs(Int(pixels[place + 2]) - 128) <= 4)
        }
    }

    // MARK: Sharing

    @Test func twoThreadsMakeTheThumbnailThatOneMakes() throws {
        let bytes = try Bytes.copying(DCThumbnailDecoderTests.restarts)
        let decoder = try JPEGRowDecoder(bytes, accepting: .none)
        let alone = try rows(#require(try thumbnail(decoder, detail: 1)), decoder, isColor: true)
        for _ in 0..<5 {
            let pool = WorkPool(name: "test", threads: 2)
            defer { pool.stop() }
            let together = try #require(try thumbnail(decoder, detail: 1, pool: pool))
            #expect(try rows(together, decoder, isColor: true) == alone)
        }
    }

    @Test func aMisplacedRestartMarkerLeavesTheFileToLibjpeg() throws {
        var file = DCThumbnailDecoderTests.restarts
        let scan = file.count / 3..<file.count
        let marker = try #require(scan.first { (offset: Int) -> Bool in file[offset] == 0xFF && file[offset + 1] == 0xD3 })
        file[marker + 1] = 0xD5
        let pool = WorkPool(name: "test", threads: 2)
        defer { pool.stop() }
        let decoder = try JPEGRowDecoder(try Bytes.copying(file), accepting: .none)
        #expect(try thumbnail(decoder, detail: 1) == nil)
        #expect(try thumbnail(decoder, detail: 1, pool: pool) == nil)
    }

    @Test func aStoppedThumbnailEndsBothThreads() throws {
        let pool = WorkPool(name: "test", threads: 2)
        defer { pool.stop() }
        let decoder = try JPEGRowDecoder(try Bytes.copying(DCThumbnailDecoderTests.restarts), accepting: .none)
        let stop = CancellationToken()
        stop.cancel()
        #expect(imageError { _ = try thumbnail(decoder, detail: 1, pool: pool, stop: stop) }?.status == .cancelled)
    }

    // MARK: Progressive files

    @Test func aThumbnailOfAProgressiveFileHoldsNoCoefficients() throws {
        let image = try coder.decode("jpeg/large_progressive.jpg") {
            $0.thumbnailSize = PixelSize(width: 64, height: 64)
            // The coefficients would take 2.3 MB.
            $0.limits.workingBytes = 300_000
        }
        #expect(image.size == PixelSize(width: 64, height: 48))
    }

    @Test func endlessScansAreRefusedForThumbnailsToo() throws {
        let data = try CodecFixture.data("jpeg/large_progressive.jpg")
        let markers = (0..<data.count - 1).filter { data[$0] == 0xFF && data[$0 + 1] != 0 }
        let second = try #require(markers.indices.filter { data[markers[$0] + 1] == 0xDA }.dropFirst().first)
        let scan = data[markers[second]..<markers[second + 1]]
        let bomb = data[..<scan.endIndex] + Array(repeating: scan, count: 600).joined() + data[scan.endIndex...]
        let error = imageError {
            var options = DecodeOptions()
            options.thumbnailSize = PixelSize(width: 64, height: 64)
            _ = try coder.decode(try Bytes.copying(Array(bomb)), options: options, stop: CancellationToken())
        }
        #expect(error?.status == .tooLarge)
    }

    // MARK: Damage and limits

    @Test(arguments: JPEGBuilder.samplings.prefix(3), [0, 3])
    func whatLibjpegRefusesIsNoThumbnail(sampling: JPEGBuilder.Sampling, restartInterval: Int) throws {
        let file = JPEGBuilder.file(100, 75, sampling, restartInterval: restartInterval)
        for position in stride(from: 2, to: file.count, by: 3) {
            var damaged = file
            damaged[position] ^= UInt8(1 << (position % 8))
            for data in [damaged, Array(file.prefix(position))] {
                guard let decoder = try? JPEGRowDecoder(try Bytes.copying(data), accepting: .none),
                    decoder.allowsDCThumbnail, decoder.size.pixelCount ?? 0 < 1 << 16,
                    try thumbnail(decoder, detail: 1) != nil
                else { continue }
                #expect((try? libjpegRows(decoder, .gray)) != nil, "byte \(position)")
            }
        }
    }

    @Test func flippedBitsOfThumbnailsAreErrorsOrPicturesNeverCrashes() throws {
        for name in ["ramp.jpg", "ramp_420.jpg", "ramp_progressive.jpg", "ramp_restart.jpg"] {
            let data = try CodecFixture.data("jpeg/" + name)
            for position in 2..<data.count {
                var damaged = data
                damaged[position] ^= UInt8(1 << (position % 8))
                _ = try coder.survive(damaged) {
                    $0.thumbnailSize = PixelSize(width: 5, height: 5)
                    $0.limits.streamedPixels = 1 << 20
                }
            }
        }
    }

    @Test func theMemoryOfAThumbnailIsLimited() throws {
        let decoder = try JPEGRowDecoder(try CodecFixture.bytes("jpeg/large.jpg"), accepting: .none)
        var limits = DecodeLimits.standard
        limits.workingBytes = 20_000
        var reader = DCThumbnailDecoder(
            decoder, detail: 1, wanted: PixelSize(width: 1, height: 1), isEarly: false, limits: limits)
        #expect(try reader.read(stop: CancellationToken(), pool: { nil }) == nil)
    }

    // MARK: Early thumbnails

    @Test func anEarlyThumbnailNeedsTheFirstScanOnly() throws {
        let data = try CodecFixture.data("jpeg/large_progressive.jpg")
        let small = PixelSize(width: 100, height: 100)
        let whole = try #require(try coder.survive(data) { ($0.thumbnailSize, $0.earlyThumbnail) = (small, true) })
        let needed = try #require(whole.metadata.consumedBytes)
        #expect(needed < data.count * 2 / 3)
        let prefix = Array(data.prefix(needed))
        let early = try #require(try coder.survive(prefix) { ($0.thumbnailSize, $0.earlyThumbnail) = (small, true) })
        #expect(early.content == whole.content)
        #expect(early.metadata.consumedBytes == needed)
        #expect(!early.metadata.isIncremental)
        #expect(try coder.survive(prefix) { $0.thumbnailSize = small } == nil)
        #expect(
            try coder.survive(Array(data.prefix(needed - 40))) { ($0.thumbnailSize, $0.earlyThumbnail) = (small, true) } == nil)
    }

    @Test func largerAndOtherPicturesAreNeverEarly() throws {
        let data = try CodecFixture.data("jpeg/large_progressive.jpg")
        let image = try #require(
            try coder.survive(data) { ($0.thumbnailSize, $0.earlyThumbnail) = (PixelSize(width: 129, height: 129), true) })
        #expect(image.metadata.consumedBytes == nil)
        #expect(try coder.survive(Array(data.dropLast(200))) { $0.earlyThumbnail = true } == nil)
        let baseline = try coder.decode("jpeg/large.jpg") {
            ($0.thumbnailSize, $0.earlyThumbnail) = (PixelSize(width: 64, height: 64), true)
        }
        #expect(baseline.metadata.consumedBytes == nil)
    }

    private func thumbnail(
        _ decoder: JPEGRowDecoder, detail: Int, pool: WorkPool? = nil, stop: CancellationToken = CancellationToken()
    ) throws -> DCThumbnailPlanes? {
        var reader = DCThumbnailDecoder(
            decoder, detail: detail, wanted: PixelSize(width: 1, height: 1), isEarly: false, limits: .standard)
        return try reader.read(stop: stop, pool: { pool })
    }

    private func rows(_ thumbnail: DCThumbnailPlanes, _ decoder: JPEGRowDecoder, isColor: Bool) throws -> [UInt8] {
        let size = PixelSize(
            width: (decoder.size.width * thumbnail.detail + 7) / 8, height: (decoder.size.height * thumbnail.detail + 7) / 8)
        let rows = try DCThumbnailRows(thumbnail, size: size, isColor: isColor, account: WorkingMemory(limit: .max))
        return try (0..<size.height).flatMap { y in unsafe Array(try #require(rows.row(y))) }
    }

    private func libjpegRows(_ decoder: JPEGRowDecoder, _ rows: JPEGRowDecoder.Rows) throws -> [UInt8] {
        try decoder.start(rows, scale: decoder.smallestScale, limits: .standard, stop: CancellationToken())
        let size = decoder.smallestScale.size
        let stride = size.width * rows.bytesPerPixel
        var bytes: [UInt8] = []
        var row = [UInt8](repeating: 0, count: stride)
        for _ in 0..<size.height {
            let count = try unsafe row.withUnsafeMutableBufferPointer { try unsafe decoder.read(into: [$0.baseAddress]) }
            #expect(count == 1)
            bytes += row
        }
        return bytes
    }
}
