import CSDImage
import Testing

/// The orientation in XMP, which counts where EXIF has none.
@Suite struct XMPOrientationTests {
    private static let formats: [sdimage_format] = [.SDIMAGE_FORMAT_JPEG, .SDIMAGE_FORMAT_PNG, .SDIMAGE_FORMAT_WEBP]
    private static let packet = "<x:xmpmeta><rdf:Description tiff:Orientation=\"1\" tiff:Make=\"m\"/></x:xmpmeta>"
    /// A directory of one entry: the orientation 1, and the width of the image.
    private static let exif: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]
    private static let exifWithoutOrientation: [UInt8] = exif.prefix(10) + [0, 1] + exif.dropFirst(12)

    private func data(_ bytes: [UInt8]) throws -> Owned {
        try make(sdimage_data_unref) { sdimage_data_new(bytes, bytes.count, $0, $1) }
    }

    /// A file of 8 by 4 pixels.
    private func file(_ format: sdimage_format, exif: [UInt8]? = nil, packet: String = packet) throws -> [UInt8] {
        let pixels = [UInt8](repeating: 90, count: 8 * 4 * 3)
        let image = try make(sdimage_image_unref) {
            sdimage_image_new(8, 4, 24, .SDIMAGE_PIXEL_FORMAT_RGB8, pixels, $0, $1)
        }
        let options = Owned(sdimage_encode_options_new()) { sdimage_encode_options_unref($0) }
        let xmp = try data(Array(packet.utf8))
        sdimage_encode_options_set_xmp(options.pointer, xmp.pointer)
        let block = try exif.map { try data($0) }
        sdimage_encode_options_set_exif(options.pointer, block?.pointer)
        let file = try make(sdimage_data_unref) { sdimage_encode(image.pointer, format, options.pointer, $0, $1) }
        return Array(UnsafeRawBufferPointer(start: sdimage_data_bytes(file.pointer), count: sdimage_data_length(file.pointer)))
    }

    /// The same file with another orientation in its XMP packet. The encoder writes that of the image.
    private func turned(_ file: [UInt8], _ value: Int) throws -> [UInt8] {
        let name = Array("tiff:Orientation=\"".utf8)
        let start = try #require(file.indices.first { file[$0...].starts(with: name) })
        var file = file
        file[start + name.count] = UInt8(48 + value)
        // The checksum of the PNG chunk.
        if let chunk = file.indices.first(where: { file[$0...].starts(with: Array("iTXt".utf8)) }) {
            let length = file[chunk - 4..<chunk].reduce(0) { $0 << 8 | Int($1) }
            let sum = PNGChecksum.of(file[chunk..<chunk + 4 + length])
            for index in 0..<4 { file[chunk + 4 + length + index] = UInt8(truncatingIfNeeded: sum >> (24 - 8 * UInt32(index))) }
        }
        return file
    }

    private func decode(_ file: [UInt8], appliesOrientation: Bool = true) throws -> Owned {
        let options = decodeOptions { sdimage_decode_options_set_apply_orientation($0, appliesOrientation) }
        return try make(sdimage_image_unref) { sdimage_decode(file, file.count, options.pointer, $0, $1) }
    }

    @Test(arguments: formats, 1...8) func theOrientationInXMPIsApplied(format: sdimage_format, value: Int) throws {
        for exif in [nil, XMPOrientationTests.exifWithoutOrientation] {
            let file = try turned(try file(format, exif: exif), value)
            let image = try decode(file)
            #expect(sdimage_image_width(image.pointer) == (value >= 5 ? 4 : 8))
            #expect(sdimage_image_orientation(image.pointer) == .SDIMAGE_ORIENTATION_UP)
            let stored = try decode(file, appliesOrientation: false)
            #expect(sdimage_image_width(stored.pointer) == 8)
            #expect(sdimage_image_orientation(stored.pointer).rawValue == UInt32(value))
            let info = try makeInfo(file)
            #expect(sdimage_info_orientation(info.pointer).rawValue == UInt32(value))
            let feeding = try Feeding()
            #expect(feeding.feed(file, .sevens) == .picture(Seen(image.pointer)))
        }
    }

    @Test(arguments: formats) func theOrientationInEXIFTakesPrecedence(format: sdimage_format) throws {
        let image = try decode(try turned(try file(format, exif: XMPOrientationTests.exif), 6))
        #expect(sdimage_image_width(image.pointer) == 8)
    }

    @Test(arguments: formats) func blocksOfMetadataOutliveTheBytesOfTheCaller(format: sdimage_format) throws {
        var bytes = try file(format, packet: XMPOrientationTests.packet)
        let info = try bytes.withUnsafeMutableBytes { buffer in
            let info = try make(sdimage_info_unref) { sdimage_info_new(buffer.baseAddress, buffer.count, nil, $0, $1) }
            for index in buffer.indices { buffer[index] = 0 }
            return info
        }
        let kept = Owned(sdimage_data_ref(sdimage_info_xmp(info.pointer))) { sdimage_data_unref($0) }
        let text = withExtendedLifetime(kept) {
            String(
                decoding: UnsafeRawBufferPointer(
                    start: sdimage_data_bytes(kept.pointer), count: sdimage_data_length(kept.pointer)), as: UTF8.self)
        }
        #expect(text == XMPOrientationTests.packet)
    }

    @Test(arguments: formats) func encodersWriteTheOrientationOfTheImage(format: sdimage_format) throws {
        let packet = XMPOrientationTests.packet.replacing("=\"1\"", with: "=\"6\"")
        let file = try file(format, packet: packet)
        let image = try decode(file)
        #expect(sdimage_image_width(image.pointer) == 8)
        let info = try makeInfo(file)
        let block = sdimage_info_xmp(info.pointer)
        let bytes = UnsafeRawBufferPointer(start: sdimage_data_bytes(block), count: sdimage_data_length(block))
        #expect(String(decoding: bytes, as: UTF8.self) == XMPOrientationTests.packet)
        withExtendedLifetime(info) {}
    }
}

/// The checksum of PNG chunks.
enum PNGChecksum {
    static func of(_ bytes: some Sequence<UInt8>) -> UInt32 {
        var sum: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        return ~sum
    }
}
