import SDImage
import Testing

@testable import SDImageCodecs

struct JPEGEncoderTests {
    private let coder = JPEGCoder()

    // MARK: Pixels

    @Test(arguments: PixelFormat.allCases, [(1, 1), (7, 5), (16, 16), (33, 17), (64, 131)])
    func everyPixelFormatAndSizeComesBackCloseToTheOriginal(format: PixelFormat, size: (Int, Int)) throws {
        let image = try TestImage.image(size.0, size.1, format)
        let file = try coder.encoded(image) { $0.chroma = .full }
        let back = try coder.decoded(file)
        #expect(back.size == image.size)
        let isGray = format.channels == 1
        #expect(back.pixels.format == (isGray ? .gray8 : .rgb8))
        #expect(try coder.described(file).channels == (isGray ? 1 : 3))
        #expect(try back.meanDifference(to: image.changed { $0.isHighDynamicRange = false }) < 1)
    }

    @Test func rowsOfEveryLayoutMakeTheSameFile() throws {
        let file = try coder.encoded(try TestImage.noise(50, 37, .rgb8))
        for format in [PixelFormat.rgba8, .rgba8Premultiplied, .bgra8Premultiplied, .rgb16, .rgba16] {
            let image = try TestImage.noise(50, 37, format)
            #expect(try coder.encoded(image).equals(file))
            #expect(try coder.encoded(image.changed { $0.hasAlpha = false }).equals(file))
        }
    }

    @Test func transparencyIsLaidOverTheBackground() throws {
        let alphas = (0...255).map { UInt8($0) }
        let background = Color(red: 1, green: 0.5, blue: 0)
        for format in [PixelFormat.rgba8, .rgba16] {
            let image = try TestImage.image(256, 8, format) { x, _ in [0, 255, 40, alphas[x]] }
            let back = try coder.decoded(
                try coder.encoded(image) {
                    $0.background = background
                    $0.chroma = .full
                })
            let distance = back.distance { x, _ in
                let alpha = Int(alphas[x])
                return [(0, 255), (255, 128), (40, 0)].map { UInt8(($0.0 * alpha + $0.1 * (255 - alpha) + 127) / 255) }
            }
            #expect(distance <= 2)
        }
    }

    @Test func flatteningRoundsToTheNearestForAllValues() throws {
        // At best quality, gray loses at most one step.
        for under in [UInt8(0), 77, 255] {
            for color in stride(from: 0, through: 255, by: 5) {
                let from = (0...255).flatMap { [UInt8(color), UInt8(color), UInt8(color), UInt8($0)] }
                let flat = Kernel.flatten(from, background: under)
                for alpha in 0...255 {
                    let exact = (Double(color * alpha) + Double(under) * Double(255 - alpha)) / 255
                    #expect(flat[4 * alpha] == UInt8((exact + 0.5).rounded(.down)) && flat[4 * alpha + 3] == 255)
                }
            }
        }
    }

    @Test func whiteLiesUnderTransparencyUnlessAskedOtherwise() throws {
        let image = try TestImage.image(9, 9, .bgra8Premultiplied) { _, _ in [0, 0, 0, 0] }
        #expect(try coder.decoded(try coder.encoded(image)).distance { _, _ in [255, 255, 255] } <= 1)
    }

    // MARK: Options

    @Test func lowerQualityTakesFewerBytes() throws {
        let image = try TestImage.noise(120, 90)
        let sizes = try [1.0, 0.9, 0.5, 0.1, 0].map { quality in try coder.encoded(image) { $0.quality = quality }.count }
        #expect(sizes == sizes.sorted(by: >) && Set(sizes).count == sizes.count)
    }

    @Test func fullColorTakesMoreBytesThanHalfAndQuarter() throws {
        let image = try TestImage.noise(120, 90)
        let sizes = try [EncodeOptions.Chroma.full, .half, .quarter].map { chroma in
            try coder.encoded(image) { $0.chroma = chroma }.count
        }
        #expect(sizes == sizes.sorted(by: >) && Set(sizes).count == 3)
    }

    @Test func progressiveAndOwnCodesHoldTheSamePixelsInFewerBytes() throws {
        let image = try TestImage.image(200, 150)
        let plain = try coder.encoded(image)
        let own = try coder.encoded(image) { $0.effort = 5 }
        let progressive = try coder.encoded(image) { $0.isProgressive = true }
        #expect(own.count < plain.count && progressive.count < plain.count)
        #expect(try coder.described(progressive).isProgressive && !coder.described(own).isProgressive)
        let pixels = try coder.decoded(plain)
        #expect(try coder.decoded(own).meanDifference(to: pixels) == 0)
        #expect(try coder.decoded(progressive).meanDifference(to: pixels) == 0)
    }

    @Test func theBestQualityWithinTheLimitIsFound() throws {
        let image = try TestImage.noise(160, 120)
        let (lowest, highest) = (try coder.encoded(image) { $0.quality = 0 }.count, try coder.encoded(image).count)
        for limit in [lowest, (lowest + highest) / 3, (lowest + highest) / 2, highest] {
            let size = try coder.encoded(image) {
                $0.maxFileSize = limit
                $0.quality = 0.2
            }.count
            #expect(size <= limit && size >= lowest)
            if limit > lowest, limit < highest { #expect(size > lowest) }
        }
        #expect(try coder.encoded(image) { $0.maxFileSize = 1 }.count == lowest)
    }

    @Test func losslessAndTooLongSidesAreRefused() throws {
        let image = try TestImage.image(4, 4)
        #expect(imageError { _ = try coder.encoded(image) { $0.isLossless = true } }?.status == .unsupported)
        let long = try TestImage.image(65501, 1, .gray8) { _, _ in [9, 9, 9, 255] }
        #expect(imageError { _ = try coder.encoded(long) }?.status == .tooLarge)
        let longest = try TestImage.image(65500, 1, .gray8) { _, _ in [9, 9, 9, 255] }
        #expect(try coder.decoded(try coder.encoded(longest)).size.width == 65500)
    }

    @Test(arguments: [false, true])
    func aStoppedEncodingEndsWithCancelled(isProgressive: Bool) throws {
        let image = try TestImage.noise(64, 64)
        let stop = CancellationToken()
        stop.cancel()
        var options = EncodeOptions()
        options.isProgressive = isProgressive
        #expect(imageError { _ = try coder.encode(image, format: .jpeg, options: options, stop: stop) }?.status == .cancelled)
    }

    @Test func animationsShowTheirFirstFrame() throws {
        let animation = try TestImage.animation(20, 20, durations: [50, 60], loopCount: 1)
        let back = try coder.decoded(try coder.encoded(animation))
        #expect(try back.meanDifference(to: animation.still) < 3)
    }

    // MARK: Two threads

    @Test(arguments: [PixelFormat.rgba8, .gray8, .rgb16], [EncodeOptions.Chroma.quarter, .half, .full])
    func twoThreadsWriteTheFileOfOne(format: PixelFormat, chroma: EncodeOptions.Chroma) throws {
        let pool = WorkPool(name: "test", threads: 2)
        defer { pool.stop() }
        let image = try TestImage.noise(801, 701, format)
        var options = EncodeOptions()
        options.restartMarkers = true
        options.chroma = chroma
        options.quality = 0.8
        let writer = try JPEGEncoder(image.changed { $0.orientation = .left }, options: options, stop: CancellationToken())
        let alone = try writer.encode { nil }
        for _ in 0..<3 { #expect(try writer.encode { pool }.equals(alone)) }
        #expect(try coder.decoded(alone) { $0.applyOrientation = false }.meanDifference(to: image) < 60)
    }

    @Test func halvesBeginWhereRestartMarkersBeginToCount() {
        var parameters = JPEGRowEncoder.Parameters(size: PixelSize(width: 1, height: 1), rows: .rgb, quality: 1)
        #expect(JPEGParallelEncoder.row(height: 128, parameters) == nil)
        #expect(JPEGParallelEncoder.row(height: 129, parameters) == 128)
        #expect(JPEGParallelEncoder.row(height: 1000, parameters) == 512)
        parameters.chroma = .full
        #expect(JPEGParallelEncoder.row(height: 65, parameters) == 64)
    }

    @Test func restartMarkersStandBehindEveryRowOfBlocks() throws {
        let file = try coder.encoded(try TestImage.image(40, 100)) { $0.restartMarkers = true }.array
        let markers = zip(file, file.dropFirst()).filter { $0 == 0xFF && (0xD0...0xD7).contains($1) }.map(\.1)
        #expect(markers == [0xD0, 0xD1, 0xD2, 0xD3, 0xD4, 0xD5])
    }

    // MARK: Metadata

    @Test(arguments: Orientation.allCases)
    func theOrientationIsKeptAsATag(orientation: Orientation) throws {
        let image = try TestImage.image(20, 10).changed { $0.orientation = orientation }
        let file = try coder.encoded(image)
        #expect(try coder.described(file).orientation == orientation)
        #expect(try coder.decoded(file).size == (orientation.swapsAxes ? image.size.swapped : image.size))
    }

    @Test(arguments: Orientation.allCases, [true, false])
    func theOrientationOfGivenEXIFIsReplaced(orientation: Orientation, isBigEndian: Bool) throws {
        let image = try TestImage.image(20, 10).changed { $0.orientation = orientation }
        for tags in [[0x0112], [0x010E, 0x0132], [0x010E, 0x0112, 0x0132], []] {
            let given = ExifBlock.bytes(tags: tags, orientation: 3, bigEndian: isBigEndian)
            let file = try coder.encoded(image) { $0.exif = try? Bytes.copying(given) }
            let info = try coder.described(file)
            #expect(info.orientation == orientation)
            let directory = try #require(info.exif.flatMap { ExifDirectory($0) })
            #expect(directory.bigEndian == isBigEndian)
            for tag in tags where tag != 0x0112 { #expect(directory.short(UInt16(tag)) == UInt16(tag & 255)) }
        }
    }

    @Test func blocksAndProfileComeBackWhole() throws {
        let exif = ExifBlock.bytes(tags: [0x0112], orientation: 1, bigEndian: false)
        let xmp = Array("<x:xmpmeta>words</x:xmpmeta>".utf8)
        let profile = (0..<150_000).map { UInt8($0 * 7 & 255) }
        let profileBytes = try Bytes.copying(profile)
        let image = try TestImage.image(20, 10).changed { $0.colorProfile = profileBytes }
        let info = try coder.described(
            try coder.encoded(image) {
                $0.exif = try? Bytes.copying(exif)
                $0.xmp = try? Bytes.copying(xmp)
            })
        #expect(info.exif?.array == exif)
        #expect(info.xmp?.array == xmp)
        #expect(info.colorProfile?.array == profile)
        #expect(info.dpi == nil)
    }

    @Test func blocksThatNoMarkerHoldsAreRefused() throws {
        let image = try TestImage.image(8, 8)
        let padding = [UInt8](repeating: 0, count: 66_000)
        let huge = try Bytes.copying(ExifBlock.bytes(tags: [0x0112], orientation: 1, bigEndian: true) + padding)
        #expect(imageError { _ = try coder.encoded(image) { $0.exif = huge } }?.status == .tooLarge)
        #expect(imageError { _ = try coder.encoded(image) { $0.xmp = huge } }?.status == .tooLarge)
        let none = try Bytes.copying(Array("nothing".utf8))
        #expect(imageError { _ = try coder.encoded(image) { $0.exif = none } }?.status == .invalidArgument)
    }

    @Test func samplesKnownByCodePointsBecomeSRGB() throws {
        let points = CodePoints(primaries: UInt8(12), transfer: 13, matrix: 0, isFullRange: true)
        let image = try TestImage.image(16, 16) { _, _ in [200, 30, 30, 255] }
        let file = try coder.encoded(image.changed { $0.cicp = points })
        let expected = try image.changed { $0.cicp = points }.convertedToSRGB(DecodeOptions(), stop: CancellationToken())
        #expect(try coder.decoded(file).meanDifference(to: expected) < 1.5)
        #expect(try expected.meanDifference(to: image) > 3)
    }

    // MARK: Thumbnail

    @Test(arguments: [(1440, 960, 320, 214), (100, 80, 100, 80), (300, 1200, 80, 320)])
    func aThumbnailLiesInTheEXIFBlock(width: Int, height: Int, thumbWidth: Int, thumbHeight: Int) throws {
        let image = try TestImage.image(width, height)
        let file = try coder.encoded(image.changed { $0.orientation = .right }) { $0.embedsThumbnail = true }
        let info = try coder.described(file)
        #expect(info.orientation == .right)
        let thumbnail = try #require(info.exif.flatMap(ExifBlock.thumbnail))
        let small = try coder.decoded(try Bytes.copying(thumbnail))
        #expect(small.size == PixelSize(width: thumbWidth, height: thumbHeight))
        #expect(small.metadata.sourceSize == small.size)
    }

    @Test func aThumbnailOfAnyDetailAndBesideAnyBlockFitsItsMarker() throws {
        let image = try TestImage.noise(640, 640)
        let given = ExifBlock.bytes(tags: [0x010E, 0x0112], orientation: 1, bigEndian: false)
        for padding in [0, 20_000] {
            let file = try coder.encoded(image) {
                $0.embedsThumbnail = true
                $0.exif = try? Bytes.copying(given + [UInt8](repeating: 0, count: padding))
            }
            let exif = try #require(try coder.described(file).exif)
            #expect(exif.count <= 65_527)
            #expect(ExifDirectory(exif)?.short(0x010E) == 0x0E)
            let thumbnail = try #require(ExifBlock.thumbnail(exif))
            #expect(try coder.decoded(try Bytes.copying(thumbnail)).size.width == 320)
        }
        let full = try Bytes.copying(given + [UInt8](repeating: 0, count: 65_000))
        let error = imageError {
            _ = try coder.encoded(image) {
                $0.embedsThumbnail = true
                $0.exif = full
            }
        }
        #expect(error?.status == .tooLarge)
    }
}
