import CSDImage
import Testing

/// BlurHash and ThumbHash, compared with the results of their reference implementations for the same pixels.
@Suite struct PlaceholderTests {
    /// Two channels that rise linearly along the sides, and one that jumps.
    private func picture(_ width: Int = 40, alpha: (Int, Int) -> UInt8 = { _, _ in 255 }) throws -> Owned {
        try DrawnPicture.draw(width, 30, .SDIMAGE_PIXEL_FORMAT_RGBA8) { x, y in
            [UInt8(6 * x), UInt8(8 * y), UInt8(x * y % 256), alpha(x, y)]
        }
    }

    private func curved(_ width: Int) throws -> Owned {
        try DrawnPicture.draw(width, 30, .SDIMAGE_PIXEL_FORMAT_RGBA8) { x, y in
            [UInt8(x * x / 7), UInt8(y * y / 4), UInt8(x * y % 256), 255]
        }
    }

    private func bytes(_ call: (UnsafeMutablePointer<OpaquePointer?>, UnsafeMutablePointer<OpaquePointer?>) -> sdimage_status)
        throws -> [UInt8]
    {
        let data = try make(sdimage_data_unref, call)
        return Array(UnsafeRawBufferPointer(start: sdimage_data_bytes(data.pointer), count: sdimage_data_length(data.pointer)))
    }

    private func blurHash(_ image: Owned, _ across: UInt32, _ down: UInt32) throws -> String {
        String(decoding: try bytes { sdimage_blurhash_encode(image.pointer, across, down, $0, $1) }, as: UTF8.self)
    }

    private func drawn(_ text: String, _ width: UInt32, _ height: UInt32, punch: Double = 1) throws -> Owned {
        try make(sdimage_image_unref) { sdimage_blurhash_decode(text, text.utf8.count, width, height, punch, $0, $1) }
    }

    private func thumbHash(_ image: Owned) throws -> [UInt8] { try bytes { sdimage_thumbhash_encode(image.pointer, $0, $1) } }

    private func drawn(_ hash: [UInt8]) throws -> Owned {
        try make(sdimage_image_unref) { sdimage_thumbhash_decode(hash, hash.count, $0, $1) }
    }

    private func pixel(_ image: Owned, _ x: UInt32, _ y: UInt32) -> [Int] {
        DrawnPicture.color(image, x, y).map { Int($0 * 255 + 0.5) }
    }

    private func status(_ call: () throws -> Owned) -> sdimage_status? {
        do {
            _ = try call()
            return nil
        } catch { return (error as? CallFailure)?.status }
    }

    // MARK: BlurHash

    @Test func blurHashesAreThoseOfTheReference() throws {
        let image = try picture()
        #expect(try blurHash(image, 4, 3) == "LqG91|2mwtX3l[WTjuf9gFfkfTfm")
        #expect(try blurHash(image, 1, 1) == "00G91|")
        #expect(try blurHash(image, 1, 5) == "apG91|l[gFnhf4")
        let all = "|qG91|2mwtX3jqk8WnoeWol[WTjuf9fSf9fSf8fPgFfkfTfmfRfhfOfhfPnhWrjvfPfNfOfRfTfSf4fSfSfNfOfTfTfOfNob"
        #expect(
            try blurHash(image, 9, 9)
                == all + "WrjrfOfTfSfNfOfTe.fSfOfRfTfNfPfTfOoeWrjrfTfOfOfTfNfRe:fQfPfSfNfTfOfRfR")
    }

    @Test func alphaIsPassedOverInABlurHash() throws {
        #expect(try blurHash(try picture { x, _ in UInt8(x) }, 4, 3) == "LqG91|2mwtX3l[WTjuf9gFfkfTfm")
    }

    @Test func hashesAreThoseOfThePictureAsDisplayed() throws {
        let (plain, turned) = (try picture(), try DrawnPicture.told(try picture(), orientation: .SDIMAGE_ORIENTATION_DOWN))
        let upright = try make(sdimage_image_unref) { flippedImage(plain.pointer, true, true, $0, $1) }
        #expect(try blurHash(turned, 4, 3) == blurHash(upright, 4, 3))
        #expect(try thumbHash(turned) == thumbHash(upright))
        #expect(try thumbHash(turned) != thumbHash(plain))
    }

    @Test func aBlurHashHardlyDependsOnTheSizeOfThePicture() throws {
        let large = try DrawnPicture.draw(900, 700, .SDIMAGE_PIXEL_FORMAT_RGB8) { x, y in
            [UInt8(x * 255 / 900), UInt8(y * 255 / 700), 80]
        }
        let small = try DrawnPicture.draw(90, 70, .SDIMAGE_PIXEL_FORMAT_RGB8) { x, y in
            [UInt8((10 * x + 5) * 255 / 900), UInt8((10 * y + 5) * 255 / 700), 80]
        }
        let (a, b) = (try drawn(try blurHash(large, 4, 3), 9, 7), try drawn(try blurHash(small, 4, 3), 9, 7))
        for x in 0..<9 as Range<UInt32> {
            for y in 0..<7 as Range<UInt32> {
                #expect(zip(pixel(a, x, y), pixel(b, x, y)).allSatisfy { abs($0 - $1) < 20 })
            }
        }
    }

    @Test func drawnBlurHashesAreThoseOfTheReference() throws {
        let first = try drawn("LlMF%n00%#MwS|WCWEM{R*bbWBbH", 8, 6)
        #expect(DrawnPicture.size(first) == [8, 6])
        #expect(sdimage_image_pixel_format(first.pointer) == .SDIMAGE_PIXEL_FORMAT_RGB8)
        let second = try drawn("LEHV6nWB2yk8pyo0adR*.7kCMdnj", 8, 6)
        let expected: [(Owned, UInt32, UInt32, [Int])] = [
            (first, 0, 0, [91, 67, 0]), (first, 7, 0, [236, 227, 216]), (first, 3, 4, [171, 100, 95]),
            (first, 7, 5, [240, 215, 210]), (second, 0, 0, [135, 164, 177]), (second, 4, 3, [158, 125, 108]),
            (second, 7, 5, [139, 143, 146]), (try drawn("LEHV6nWB2yk8pyo0adR*.7kCMdnj", 8, 6, punch: 2), 3, 2, [169, 139, 133]),
        ]
        for (image, x, y, color) in expected {
            #expect(zip(pixel(image, x, y), color).allSatisfy { abs($0 - $1) <= 1 }, "\(pixel(image, x, y)), not \(color)")
        }
    }

    @Test(arguments: [
        "", "0", "LlMF%n", "LlMF%n00%#MwS|WCWEM{R*bbWBb", "LlMF%n00%#MwS|WCWEM{R*bbWBbHH", "LlMF%n00%#MwS|WCWEM{R*bbWB\"H",
        "LlMF%n00%#MwS|WCWEM{R*bbWB~~", "00~~~~", "~0000000", "00é000", "LlMF%n00%#MwS|WCWEM{R*bbW H",
    ]) func badBlurHashesAreBadData(_ text: String) {
        #expect(status { try drawn(text, 8, 6) } == .SDIMAGE_STATUS_BAD_DATA)
    }

    @Test func sizesAndNumbersThatMakeNoSenseAreRefused() throws {
        let (image, text) = (try picture(), "00G91|")
        for (across, down) in [(0, 3), (3, 0), (10, 3), (3, 10), (UInt32.max, 1)] as [(UInt32, UInt32)] {
            #expect(throws: CallFailure.self) { try blurHash(image, across, down) }
        }
        for (width, height) in [(0, 3), (3, 0), (4097, 3), (3, UInt32.max)] as [(UInt32, UInt32)] {
            #expect(status { try drawn(text, width, height) } == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        }
        for punch in [-1, Double.nan, .infinity] {
            #expect(status { try drawn(text, 3, 3, punch: punch) } == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        }
        #expect(sdimage_blurhash_decode(nil, 6, 3, 3, 1, nil, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
    }

    // MARK: ThumbHash

    @Test func thumbHashesAreThoseOfTheReference() throws {
        let landscape: [UInt8] = [
            0x14, 0x07, 0x0A, 0x25, 0x96, 0x80, 0x76, 0x77, 0x70, 0x87, 0x88, 0x78, 0x88, 0x68, 0x88, 0x87, 0xF4, 0xA4, 0x0F,
            0xF9, 0x68,
        ]
        let portrait: [UInt8] = [
            0xCC, 0x76, 0x0D, 0x33, 0x16, 0x74, 0x80, 0x88, 0x78, 0x77, 0x87, 0x87, 0x9F, 0x59, 0x7B, 0xF8, 0x68,
        ]
        let clear: [UInt8] = [
            0xA0, 0x08, 0x86, 0x14, 0x8E, 0x28, 0x91, 0x76, 0xB0, 0x88, 0x88, 0x68, 0x08, 0x0E, 0xED, 0xA0, 0x7F, 0x06, 0x77,
            0x27, 0x87, 0x77, 0x78, 0x77, 0x07,
        ]
        // Linear gradients have components of zero, whose last bit depends on rounding.
        let (wide, tall) = (try curved(40), try curved(12))
        #expect(try thumbHash(wide) == landscape)
        #expect(try thumbHash(tall) == portrait)
        #expect(try thumbHash(try picture { x, y in UInt8(min(255, 4 * (x + y))) }) == clear)
    }

    @Test func aDrawnThumbHashIsThatOfTheReference() throws {
        // The example of the format's description.
        let image = try drawn([
            0xDC, 0xE7, 0x11, 0x25, 0x80, 0x78, 0x77, 0x78, 0x7F, 0x88, 0x87, 0x87, 0x78, 0x48, 0x77, 0x78, 0x88, 0x70, 0xFA,
            0x3D, 0xC0,
        ])
        #expect(DrawnPicture.size(image) == [32, 23])
        let expected: [(UInt32, UInt32, [Int])] = [
            (0, 0, [124, 136, 159, 255]), (3, 0, [126, 139, 161, 255]), (7, 10, [132, 145, 159, 255]),
            (31, 22, [86, 99, 46, 255]),
        ]
        for (x, y, color) in expected {
            #expect(zip(pixel(image, x, y), color).allSatisfy { abs($0 - $1) <= 1 }, "\(pixel(image, x, y)), not \(color)")
        }
    }

    @Test func aThumbHashKeepsProportionsAndAlpha() throws {
        let tall = try drawn(try thumbHash(try picture(12)))
        #expect(DrawnPicture.size(tall) == [14, 32] && !sdimage_image_has_alpha(tall.pointer))
        let clear = try drawn(try thumbHash(try picture { x, _ in x < 20 ? 0 : 255 }))
        #expect(sdimage_image_has_alpha(clear.pointer))
        #expect(pixel(clear, 2, 12)[3] < 60 && pixel(clear, 29, 12)[3] > 200)
        let large = try DrawnPicture.draw(500, 250, .SDIMAGE_PIXEL_FORMAT_RGB8) { x, _ in [UInt8(x / 2), 100, 0] }
        let image = try drawn(try thumbHash(large))
        #expect(DrawnPicture.size(image) == [32, 18] && pixel(image, 1, 9)[0] < 60 && pixel(image, 30, 9)[0] > 190)
    }

    @Test func badThumbHashesAreBadData() {
        let whole: [UInt8] = [
            0xDC, 0xE7, 0x11, 0x25, 0x80, 0x78, 0x77, 0x78, 0x7F, 0x88, 0x87, 0x87, 0x78, 0x48, 0x77, 0x78, 0x88, 0x70, 0xFA,
            0x3D, 0xC0,
        ]
        for count in 0..<20 { #expect(status { try drawn(Array(whole.prefix(count))) } == .SDIMAGE_STATUS_BAD_DATA) }
        // Zero components along a side.
        #expect(status { try drawn([0, 0, 0, 0, 0] + whole) } == .SDIMAGE_STATUS_BAD_DATA)
        var random: UInt32 = 5
        for _ in 0..<2000 {
            let bytes = (0..<24).map { (_: Int) -> UInt8 in
                random = random &* 1_664_525 &+ 1_013_904_223
                return UInt8(random >> 24)
            }
            let status = status { try drawn(bytes) }
            #expect(status == nil || status == .SDIMAGE_STATUS_BAD_DATA)
        }
    }
}
