import SDImage
import SDImageCodecs
import TestSupport
import Testing

/// EXIF, XMP, profiles, resolution and texts in the headers of each format.
@Suite struct MetadataTests {
    private func info(_ coder: any ImageCoder, _ data: [UInt8], _ change: (inout DecodeOptions) -> Void = { _ in }) throws
        -> ImageInfo
    {
        var options = DecodeOptions()
        change(&options)
        return try coder.info(try .copying(data), options: options, stop: CancellationToken())
    }

    private func array(_ bytes: Bytes?) -> [UInt8]? { bytes.map { bytes in unsafe bytes.withUnsafeBytes { unsafe Array($0) } } }

    private func texts(_ info: ImageInfo) -> [String] { info.text.map { "\($0.key)=\($0.value)" } }

    /// A TIFF block with orientation 6 and a resolution of 300 by 150 dots.
    static func exif(unit: UInt16 = 2, denominators: [UInt32] = [1, 2], offset: UInt32 = 8 + 2 + 4 * 12 + 4) -> [UInt8] {
        func two(_ v: UInt16) -> [UInt8] { [UInt8(v >> 8), UInt8(v & 255)] }
        func four(_ v: UInt32) -> [UInt8] { two(UInt16(v >> 16)) + two(UInt16(v & 0xFFFF)) }
        var block: [UInt8] = Array("MM".utf8) + two(42) + four(8) + two(4)
        block += two(0x0112) + two(3) + four(1) + two(6) + two(0)
        block += two(0x011A) + two(5) + four(1) + four(offset)
        block += two(0x011B) + two(5) + four(1) + four(offset &+ 8)
        block += two(0x0128) + two(3) + four(1) + two(unit) + two(0)
        return block + four(0) + four(300) + four(denominators[0]) + four(300) + four(denominators[1])
    }

    // MARK: EXIF

    private func resolution(_ block: [UInt8]) throws -> [Double]? {
        ExifResolution.read(try .copying(block)).map { [$0.x, $0.y] }
    }

    @Test func exifTellsTheResolutionInBothUnits() throws {
        #expect(try resolution(MetadataTests.exif()) == [300, 150])
        #expect(try resolution(Array("Exif\0\0".utf8) + MetadataTests.exif()) == [300, 150])
        #expect(try resolution(MetadataTests.exif(unit: 3)) == [762, 381])
        #expect(try resolution(MetadataTests.exif(unit: 1)) == nil)
    }

    @Test(arguments: [UInt32(0), 61, 0x7FFF_FFFF, 0xFFFF_FFF8, 0xFFFF_FFFF]) func fractionsOutsideTheBlockAreNoResolution(
        _ offset: UInt32
    ) throws {
        let found = try resolution(MetadataTests.exif(offset: offset))
        #expect(found.map { $0.allSatisfy { $0 > 0 && $0.isFinite } } ?? true)
    }

    @Test func aFractionByZeroIsNoResolution() throws {
        #expect(try resolution(MetadataTests.exif(denominators: [0, 1])) == nil)
    }

    @Test func bigTIFFIsNoExif() throws {
        var block = MetadataTests.exif()
        block[3] = 43
        #expect(try resolution(block) == nil)
        #expect(ExifOrientation.read(try .copying(block)) == .up)
    }

    @Test func everyTruncationOfExifIsReadWithinBounds() throws {
        let block = MetadataTests.exif()
        for length in 0..<block.count { _ = try resolution(Array(block[..<length])) }
        for bit in 0..<block.count * 8 {
            var damaged = block
            damaged[bit / 8] ^= 1 << (bit % 8)
            _ = try resolution(damaged)
        }
    }

    // MARK: JPEG

    private func jfif(unit: UInt8, _ x: UInt8, _ y: UInt8) -> (marker: UInt8, body: [UInt8]) {
        (0xE0, Array("JFIF\0".utf8) + [1, 2, unit, 0, x, 0, y, 0, 0])
    }

    private static let packetLabel = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
    private static let extensionLabel = Array("http://ns.adobe.com/xmp/extension/\0".utf8)

    @Test func jpegGivesAllItsBlocks() throws {
        let data = MetadataFixture.jpeg([
            jfif(unit: 1, 96, 72), (0xE1, Array("Exif\0\0".utf8) + MetadataTests.exif()),
            (0xE1, MetadataTests.packetLabel + Array("<x/>".utf8)), (0xFE, Array("first".utf8)),
            (0xE2, Array("ICC_PROFILE\0".utf8) + [2, 2] + [3, 4]), (0xE2, Array("ICC_PROFILE\0".utf8) + [1, 2] + [1, 2]),
            (0xFE, [0x67, 0x72, 0xFC, 0x6E]), (0xFE, Array("zwölf".utf8)),
        ])
        let info = try info(JPEGCoder(), data)
        #expect(array(info.exif) == MetadataTests.exif())
        #expect(array(info.xmp) == Array("<x/>".utf8))
        #expect(array(info.colorProfile) == [1, 2, 3, 4])
        #expect(info.dpi?.x == 96 && info.dpi?.y == 72)
        #expect(texts(info) == ["comment=first", "comment=grün", "comment=zwölf"])
    }

    @Test func jfifCountsInInchesCentimetresOrNotAtAll() throws {
        let metric = try info(JPEGCoder(), MetadataFixture.jpeg([jfif(unit: 2, 100, 50)]))
        #expect(metric.dpi?.x == 254 && metric.dpi?.y == 127)
        #expect(try info(JPEGCoder(), MetadataFixture.jpeg([jfif(unit: 0, 1, 1)])).dpi == nil)
        #expect(try info(JPEGCoder(), MetadataFixture.jpeg([jfif(unit: 1, 0, 1)])).dpi == nil)
    }

    @Test func exifGivesTheResolutionThatTheContainerLacks() throws {
        let found = try info(
            JPEGCoder(), MetadataFixture.jpeg([jfif(unit: 0, 1, 1), (0xE1, Array("Exif\0\0".utf8) + MetadataTests.exif())]))
        #expect(found.dpi?.x == 300 && found.dpi?.y == 150)
    }

    @Test func theOrientationOfAJFIFFileIsHonouredOnce() throws {
        let data = MetadataFixture.jpeg([jfif(unit: 1, 72, 72), (0xE1, Array("Exif\0\0".utf8) + MetadataTests.exif())])
        let upright = try JPEGCoder().decode(try .copying(data), options: DecodeOptions(), stop: CancellationToken())
        #expect(upright.size == PixelSize(width: 8, height: 16))
        #expect(upright.metadata.orientation == .up)
        var options = DecodeOptions()
        options.applyOrientation = false
        let stored = try JPEGCoder().decode(try .copying(data), options: options, stop: CancellationToken())
        #expect(stored.size == PixelSize(width: 16, height: 8))
        #expect(stored.metadata.orientation == .right)
        #expect(try stored.fitted(DecodeOptions(), stop: CancellationToken()).content == upright.content)
    }

    private func extendedXMP(
        _ pieces: [(offset: Int, text: String)], total: Int, digest: String = "0123456789ABCDEF0123456789ABCDEF"
    ) -> [(marker: UInt8, body: [UInt8])] {
        pieces.map { piece in
            let numbers = PNGBuilder.four(total) + PNGBuilder.four(piece.offset)
            return (0xE1, MetadataTests.extensionLabel + Array(digest.utf8) + numbers + Array(piece.text.utf8))
        }
    }

    private static let packet =
        "<x:xmpmeta><rdf:RDF xmlns:rdf=\"r\"><rdf:Description xmpNote:HasExtendedXMP=\"0123456789ABCDEF0123456789ABCDEF\"/>"
        + "</rdf:RDF></x:xmpmeta>"
    private static let rest = "<x:xmpmeta><rdf:RDF xmlns:rdf=\"r\"><rdf:Description big=\"yes\"/></rdf:RDF></x:xmpmeta>"

    @Test func extendedXMPIsJoinedToItsPacket() throws {
        let rest = MetadataTests.rest
        let pieces = extendedXMP([(40, String(rest.dropFirst(40))), (0, String(rest.prefix(40)))], total: rest.utf8.count)
        let packet = [(marker: UInt8(0xE1), body: MetadataTests.packetLabel + Array(MetadataTests.packet.utf8))]
        let expected = MetadataTests.packet.replacing("</rdf:RDF>", with: "<rdf:Description big=\"yes\"/></rdf:RDF>")
        #expect(array(try info(JPEGCoder(), MetadataFixture.jpeg(pieces + packet)).xmp) == Array(expected.utf8))
    }

    /// Prefixes of the digests are everywhere in the packet: seconds, without optimization, if each piece compares them there.
    @Test func theDigestsOfExtendedXMPAreFoundInLinearTime() throws {
        let digest = String(repeating: "A", count: 31)
        let pieces = (0..<256).flatMap { extendedXMP([(0, "x")], total: 10, digest: digest + String($0 % 10)) }
        let packet = [
            (
                marker: UInt8(0xE1),
                body: MetadataTests.packetLabel + Array("HasExtendedXMP=".utf8) + [UInt8](repeating: 0x41, count: 65_000)
            )
        ]
        let data = MetadataFixture.jpeg(packet + pieces)
        // The least of several, because other programs use the caches of the processor.
        let times = try (0..<3).map { _ in try ProcessorTime.ofThread { _ = try info(JPEGCoder(), data) } }
        #expect(times.contains { $0 < 1 })
    }

    @Test func extendedXMPThatIsIncompleteOrOfAnotherPacketIsLeftOut() throws {
        let rest = MetadataTests.rest
        let size = rest.utf8.count
        let packet = [(marker: UInt8(0xE1), body: MetadataTests.packetLabel + Array(MetadataTests.packet.utf8))]
        for pieces in [
            extendedXMP([(0, String(rest.prefix(40)))], total: size),
            extendedXMP([(0, rest)], total: size, digest: String(repeating: "F", count: 32)),
            extendedXMP([(0, rest)], total: 0xFFFF_FFFF), extendedXMP([(0, rest)], total: size - 1),
            extendedXMP([(0, String(rest.prefix(40))), (20, String(rest.dropFirst(20)))], total: size),
            extendedXMP([(0, "no RDF in here")], total: 14),
        ] {
            #expect(array(try info(JPEGCoder(), MetadataFixture.jpeg(packet + pieces)).xmp) == Array(MetadataTests.packet.utf8))
        }
    }

    // MARK: PNG

    private func hexText(_ kind: String, _ bytes: [UInt8]) -> [UInt8] {
        let digits = bytes.enumerated().map { (index: Int, byte: UInt8) -> String in
            let hex = String(byte, radix: 16)
            return (hex.count == 1 ? "0" + hex : hex) + (index % 36 == 35 ? "\n" : "")
        }
        return Array("\n\(kind)\n\(String(repeating: " ", count: 4))\(bytes.count)\n\(digits.joined())\n".utf8)
    }

    @Test func pngGivesAllItsBlocks() throws {
        let profile: [UInt8] = Array("icc".utf8) + [0, 0] + PNGBuilder.zlib([9, 8, 7])
        let packet = Array("XML:com.adobe.xmp\0\0\0\0\0<x/>".utf8)
        let data = MetadataFixture.png([
            ("iCCP", profile), ("pHYs", PNGBuilder.four(11811) + PNGBuilder.four(5906) + [1]),
            ("eXIf", MetadataTests.exif()), ("iTXt", packet), ("tEXt", Array("Title\0gr".utf8) + [0xFC, 0x6E]),
            ("zTXt", Array("Comment\0\0".utf8) + PNGBuilder.zlib(Array("packed".utf8))),
            ("iTXt", Array("Author\0\0\0de\0Autor\0zwölf".utf8)),
            ("iTXt", Array("Deep\0".utf8) + [1, 0, 0, 0] + PNGBuilder.zlib(Array("π".utf8))),
        ])
        let info = try info(PNGCoder(), data)
        #expect(array(info.exif) == MetadataTests.exif())
        #expect(array(info.xmp) == Array("<x/>".utf8))
        #expect(array(info.colorProfile) == [9, 8, 7])
        #expect(abs((info.dpi?.x ?? 0) - 300) < 0.01 && abs((info.dpi?.y ?? 0) - 150) < 0.02)
        #expect(texts(info) == ["Title=grün", "Comment=packed", "Author=zwölf", "Deep=π"])
    }

    @Test(arguments: ["exif", "APP1"]) func profilesInHexadecimalDigitsAreExif(_ kind: String) throws {
        let text = hexText(kind, Array("Exif\0\0".utf8) + MetadataTests.exif())
        let packed = Array("Raw profile type \(kind)\0\0".utf8) + PNGBuilder.zlib(text)
        #expect(array(try info(PNGCoder(), MetadataFixture.png([("zTXt", packed)])).exif) == MetadataTests.exif())
        let plain = Array("Raw profile type \(kind)\0".utf8) + text
        let found = try info(PNGCoder(), MetadataFixture.png([("tEXt", plain)]))
        #expect(array(found.exif) == MetadataTests.exif())
        #expect(found.text.isEmpty)
    }

    @Test(arguments: [
        "", "\nexif\n", "\nexif\n  99999999999999999999\n00", "\nexif\n 4\n0011", "\nexif\n 2\nzz00", "\nexif\n -1\n00",
        "exif 2 0000", "\nexif\n 0\n", "\nexif\n 1\n0",
    ]) func damagedDigitsAreNoProfile(_ text: String) throws {
        #expect(try info(PNGCoder(), MetadataFixture.png([("tEXt", Array("Raw profile type exif\0\(text)".utf8))])).exif == nil)
    }

    @Test func damagedTextsAreLeftOut() throws {
        let data = MetadataFixture.png([
            ("tEXt", Array("no zero".utf8)), ("tEXt", Array("\0no key".utf8)), ("tEXt", [UInt8](repeating: 65, count: 100) + [0]),
            ("zTXt", Array("a\0\0not a stream".utf8)), ("zTXt", Array("b\0\u{1}".utf8)), ("zTXt", Array("c\0".utf8)),
            ("iTXt", Array("d\0".utf8)), ("iTXt", Array("e\0\u{2}\0\0\0x".utf8)), ("iTXt", Array("f\0\0\0no end".utf8)),
            ("iTXt", Array("g\0\0\0\0\0".utf8) + [0xFF, 0xFE]), ("pHYs", [0]),
            ("pHYs", PNGBuilder.four(1) + PNGBuilder.four(1) + [0]),
            ("eXIf", []), ("tEXt", Array("good\0one".utf8)),
        ])
        let info = try info(PNGCoder(), data)
        #expect(texts(info) == ["good=one"])
        #expect(info.dpi == nil && info.exif == nil)
    }

    @Test func textsThatUnpackWithoutEndAreLeftOut() throws {
        let bomb = Array("a\0\0".utf8) + PNGBuilder.zlib([UInt8](repeating: 65, count: 70_000))
        let packet = Array("XML:com.adobe.xmp\0".utf8) + [1, 0, 0, 0] + PNGBuilder.zlib([UInt8](repeating: 65, count: 1_200_000))
        let found = try info(PNGCoder(), MetadataFixture.png([("zTXt", bomb), ("iTXt", packet)]))
        #expect(found.text.isEmpty && found.xmp == nil)
        #expect(
            try info(PNGCoder(), MetadataFixture.png([("tEXt", Array("a\0bcdef".utf8))])) { $0.limits.metadataBytes = 5 }.text
                .isEmpty
        )
        #expect(
            try info(PNGCoder(), MetadataFixture.png([("eXIf", MetadataTests.exif())])) { $0.limits.metadataBytes = 5 }.exif
                == nil)
    }

    @Test func textsAreFewAndShortInAll() throws {
        let many = (0..<2000).map { (name: "tEXt", data: Array("k\($0)\0v".utf8)) }
        #expect(try info(PNGCoder(), MetadataFixture.png(many)).text.count <= 256)
        let long = (0..<20).map { (name: "tEXt", data: Array("k\($0)\0".utf8) + [UInt8](repeating: 65, count: 10_000)) }
        #expect(try info(PNGCoder(), MetadataFixture.png(long)).text.count == 6)
    }

    // MARK: GIF

    private func blocks(_ bytes: [UInt8]) -> [UInt8] {
        stride(from: 0, to: bytes.count, by: 255).flatMap { (start: Int) -> [UInt8] in
            let part = bytes[start..<min(start + 255, bytes.count)]
            return [UInt8(part.count)] + part
        } + [0]
    }

    private func packet(_ text: [UInt8]) -> [UInt8] {
        [0x21, 0xFF, 11] + Array("XMP DataXMP".utf8) + text + [1] + (0...255).reversed().map { UInt8($0) } + [0]
    }

    @Test func gifGivesAllItsBlocks() throws {
        let profile = [UInt8](repeating: 5, count: 700)
        let data = MetadataFixture.gif([
            [0x21, 0xFE] + blocks(Array("hello".utf8)), packet(Array("<x>packet</x>".utf8)),
            [0x21, 0xFF, 11] + Array("ICCRGBG1012".utf8) + blocks(profile),
            [0x21, 0xFE] + blocks([UInt8](repeating: 66, count: 300)),
        ])
        let info = try info(GIFCoder(), data)
        #expect(array(info.xmp) == Array("<x>packet</x>".utf8))
        #expect(array(info.colorProfile) == profile)
        #expect(texts(info) == ["comment=hello", "comment=" + String(repeating: "B", count: 300)])
        #expect(info.storedSize == PixelSize(width: 1, height: 1))
    }

    @Test func packetsOfEveryLengthEndWhereTheyShould() throws {
        for length in 1..<600 {
            let text = (0..<length).map { (index: Int) -> UInt8 in UInt8(0x20 + index * 7 % 90) }
            #expect(array(try info(GIFCoder(), MetadataFixture.gif([packet(text)])).xmp) == text)
        }
    }

    @Test func truncatedBlocksOfGIFAreReadWithinBounds() throws {
        let data = MetadataFixture.gif([[0x21, 0xFE] + blocks(Array("hello".utf8)), packet(Array("<x/>".utf8))])
        for length in 0..<data.count { _ = try? info(GIFCoder(), Array(data[..<length])) }
    }

    // MARK: WebP

    @Test func webpGivesAllItsBlocks() throws {
        let data = try MetadataFixture.webp(
            [("ICCP", [1, 2, 3]), ("EXIF", Array("Exif\0\0".utf8) + MetadataTests.exif()), ("XMP ", Array("<x/>".utf8))],
            flags: 0x2C)
        let found = try info(WebPCoder(), data)
        #expect(array(found.exif) == MetadataTests.exif())
        #expect(array(found.xmp) == Array("<x/>".utf8))
        #expect(array(found.colorProfile) == [1, 2, 3])
        #expect(found.dpi?.x == 300 && found.dpi?.y == 150)
    }
}
