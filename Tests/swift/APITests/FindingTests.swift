import CSDImage
import Testing

/// Inputs with which fuzzing found a fault. They are also seeds of `Tests/fuzz/run`, each for its own target.
@Suite struct FindingTests {
    /// Number of bytes before the image data that these targets read as their options.
    private static let headers = ["decoder": 3, "options": 12]

    @Test(arguments: Fixtures.findings)
    func aPastFindingEndsAlikeHoweverItIsCut(name: String) throws {
        let target = name.split(separator: "/").dropLast().last.map(String.init) ?? ""
        let bytes = Array(try Fixtures.bytes(name).dropFirst(FindingTests.headers[target] ?? 0))
        let whole = Outcome.whole(bytes)
        for cut in Cut.allCases {
            let feeding = try Feeding()
            #expect(feeding.feed(bytes, cut) == whole, "pieces of \(cut)")
        }
    }

    // MARK: Limits against damage

    @Test func ofAnAnimationBeyondTheLimitsTheFramesDoNotMatter() throws {
        let frame = chunk("ANMF", [UInt8](repeating: 255, count: 24))
        let file = webp(
            chunk("VP8X", [2, 0, 0, 0] + size(16384, 16384)) + chunk("ANIM", [0, 0, 0, 0, 0, 0]) + frame + frame)
        try expectAlways(.SDIMAGE_STATUS_TOO_LARGE, file)
    }

    @Test func aContainerThatContradictsItsImageIsDamagedAndNotTooLarge() throws {
        // A key frame of 8 x 8 pixels.
        let picture: [UInt8] = [0x10, 0, 0, 0x9D, 0x01, 0x2A, 8, 0, 8, 0] + [UInt8](repeating: 0, count: 40)
        let file = webp(chunk("VP8X", [0, 0, 0, 0] + size(32768, 65535)) + chunk("VP8 ", picture))
        try expectAlways(.SDIMAGE_STATUS_BAD_DATA, file)
    }

    @Test func whereNoPartCanBeShownTheEndTellsWhatIsWrong() throws {
        let interlaced = try Fixtures.bytes("pictures/contour-map.png")
        let options = decodeOptions {
            sdimage_decode_options_set_thumbnail_size($0, 500, 375, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
            sdimage_decode_options_set_max_bytes($0, 100_000)
        }
        try expectAlways(.SDIMAGE_STATUS_TOO_LARGE, interlaced, options)
        try expectAlways(.SDIMAGE_STATUS_TRUNCATED, Array(interlaced.prefix(interlaced.count / 2)), options)
    }

    /// Without a conversion, the canvas itself becomes the image.
    @Test func theCanvasOfAnAnimationKeepsTheLimitOfBytes() throws {
        let options = decodeOptions { sdimage_decode_options_set_max_bytes($0, 100_000) }
        try expectAlways(.SDIMAGE_STATUS_TOO_LARGE, try Fixtures.bytes("pictures/orbits.gif"), options)
    }

    private func expectAlways(_ status: sdimage_status, _ bytes: [UInt8], _ options: Owned? = nil) throws {
        #expect(Outcome.whole(bytes, options) == .failure(status))
        for cut in Cut.allCases {
            let feeding = try Feeding(options)
            #expect(feeding.feed(bytes, cut) == .failure(status), "pieces of \(cut)")
        }
    }

    private func webp(_ chunks: [UInt8]) -> [UInt8] { chunk("RIFF", Array("WEBP".utf8) + chunks) }

    private func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        Array(name.utf8) + littleEndian(data.count, bytes: 4) + data
    }

    /// Size fields of the extended WebP header, which store width and height minus one.
    private func size(_ width: Int, _ height: Int) -> [UInt8] {
        littleEndian(width - 1, bytes: 3) + littleEndian(height - 1, bytes: 3)
    }

    private func littleEndian(_ value: Int, bytes: Int) -> [UInt8] { (0..<bytes).map { UInt8(value >> ($0 * 8) & 255) } }
}
