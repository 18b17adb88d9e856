import SDImage
import Testing

@Suite struct SnifferTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
        let format: ImageFormat

        init(_ description: String, _ bytes: [UInt8], _ format: ImageFormat) {
            testDescription = description
            self.bytes = bytes
            self.format = format
        }

        init(text: String, _ format: ImageFormat) { self.init(text, Array(text.utf8), format) }
    }

    /// A file type box with a major and compatible brands.
    static func brands(_ major: String, _ compatible: String...) -> [UInt8] {
        let size = UInt8(16 + compatible.count * 4)
        return [0, 0, 0, size] + Array("ftyp\(major)".utf8) + [0, 0, 0, 0] + compatible.flatMap { Array($0.utf8) }
    }

    static func icon(kind: UInt8 = 1, count: UInt8 = 1, reserved: UInt8 = 0, size: UInt8 = 40, offset: UInt8 = 22) -> [UInt8] {
        [0, 0, kind, 0, count, 0, 16, 16, 0, reserved, 1, 0, 32, 0, size, 0, 0, 0, offset, 0, 0, 0]
    }

    static func bitmap(header: UInt8) -> [UInt8] { Array("BM".utf8) + [UInt8](repeating: 0, count: 12) + [header, 0, 0, 0] }

    static let cases: [Case] = [
        Case("jpeg", [0xFF, 0xD8, 0xFF, 0xE0], .jpeg),
        Case("half a jpeg signature", [0xFF, 0xD8], .unknown),
        Case("png", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], .png),
        Case("png whose line end was converted", [0x89, 0x50, 0x4E, 0x47, 0x0A, 0x1A, 0x0A, 0], .unknown),
        Case(text: "GIF87a", .gif),
        Case(text: "GIF89a", .gif),
        Case(text: "GIF88a", .unknown),
        Case(text: "RIFF\u{10}\0\0\0WEBPVP8 ", .webp),
        Case(text: "RIFF\u{10}\0\0\0WAVEfmt ", .unknown),
        Case("tiff, little-endian", [0x49, 0x49, 0x2A, 0], .tiff),
        Case("tiff, big-endian", [0x4D, 0x4D, 0, 0x2A], .tiff),
        Case("BigTIFF, little-endian", [0x49, 0x49, 0x2B, 0], .tiff),
        Case("BigTIFF, big-endian", [0x4D, 0x4D, 0, 0x2B], .tiff),
        Case("jxl codestream", [0xFF, 0x0A, 0, 0], .jxl),
        Case("jxl container", [0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A], .jxl),
        Case(text: "%PDF-1.7", .pdf),
        Case("avif", brands("avif"), .avif),
        Case("avif sequence", brands("avis"), .avif),
        Case("heic", brands("heic"), .heic),
        Case("heic sequence", brands("hevc"), .heic),
        Case("structural brand of an avif", brands("mif1", "miaf", "avif"), .avif),
        Case("structural brand of a heic", brands("mif1", "heic"), .heic),
        Case("structural brand alone", brands("msf1"), .heif),
        Case("structural brand among the compatible ones", brands("zzzz", "mif1"), .heif),
        Case("film", brands("isom", "iso2", "avc1"), .unknown),
        Case("brand behind the end of the box", brands("isom") + Array("avif".utf8), .unknown),
        Case("bmp of OS/2", bitmap(header: 12), .bmp),
        Case("bmp of Windows", bitmap(header: 40), .bmp),
        Case("two letters and an impossible header", bitmap(header: 7), .unknown),
        Case(text: "BMW is a maker of cars.", .unknown),
        Case("ico", icon(), .ico),
        Case("cursor", icon(kind: 2), .ico),
        Case("icon of an old writer", icon(reserved: 255), .ico),
        Case("icon without entries", icon(count: 0), .unknown),
        Case("icon entry without bytes", icon(size: 0), .unknown),
        Case("icon entry inside the directory", icon(offset: 6), .unknown),
        Case(text: "<svg xmlns='http://www.w3.org/2000/svg'/>", .svg),
        Case(text: "\u{FEFF}<?xml version='1.0'?>\n<!-- a > b --><!DOCTYPE svg [<!ENTITY a '>'>]>\n<svg>", .svg),
        Case(text: "<html><svg></svg></html>", .unknown),
        Case(text: "<svgnot>", .unknown),
        Case(text: "<!-- never closed <svg>", .unknown),
        Case("svg behind 5,000 spaces", [UInt8](repeating: 0x20, count: 5000) + Array("<svg>".utf8), .unknown),
        Case("nothing", [], .unknown),
    ]

    @Test(arguments: cases) func wholeSignaturesDecide(_ example: Case) throws {
        #expect(FormatSniffer.format(of: try .copying(example.bytes)) == example.format)
    }

    @Test(arguments: cases) func everyPrefixIsReadWithinItsBounds(_ example: Case) throws {
        for length in 0..<min(example.bytes.count, 64) {
            let format = FormatSniffer.format(of: try .copying(Array(example.bytes[..<length])))
            #expect(format == .unknown || format == example.format || length >= 4)
        }
    }
}
