import SDImage
import Testing

@Suite struct ExifTests {
    /// A TIFF block with one directory of one entry.
    static func block(
        bigEndian: Bool, tag: UInt16 = 0x0112, type: UInt16 = 3, count: UInt32 = 1, value: UInt16, directory: UInt32 = 8,
        entries: UInt16 = 1
    ) -> [UInt8] {
        func two(_ v: UInt16) -> [UInt8] { bigEndian ? [UInt8(v >> 8), UInt8(v & 255)] : [UInt8(v & 255), UInt8(v >> 8)] }
        func four(_ v: UInt32) -> [UInt8] {
            let high = two(UInt16(v >> 16)), low = two(UInt16(v & 0xFFFF))
            return bigEndian ? high + low : low + high
        }
        let order = Array((bigEndian ? "MM" : "II").utf8)
        return order + two(42) + four(directory) + two(entries) + two(tag) + two(type) + four(count) + two(value) + two(0)
    }

    static func read(_ bytes: [UInt8]) throws -> Orientation { ExifOrientation.read(try .copying(bytes)) }

    @Test(arguments: [true, false], 1...8) func everyValueIsReadInBothByteOrders(bigEndian: Bool, value: Int) throws {
        let block = ExifTests.block(bigEndian: bigEndian, value: UInt16(value))
        #expect(try ExifTests.read(block).rawValue == Int32(value))
        #expect(try ExifTests.read(Array("Exif\0\0".utf8) + block).rawValue == Int32(value))
    }

    @Test(arguments: [
        ExifTests.block(bigEndian: true, value: 0), ExifTests.block(bigEndian: true, value: 9),
        ExifTests.block(bigEndian: true, tag: 0x0113, value: 6), ExifTests.block(bigEndian: true, type: 4, value: 6),
        ExifTests.block(bigEndian: false, count: 2, value: 6),
        ExifTests.block(bigEndian: false, value: 6, directory: 0xFFFF_FFFF),
        ExifTests.block(bigEndian: false, value: 6, directory: 4), [], Array("MM".utf8), Array("Exif\0\0".utf8),
    ]) func whatIsNotAnOrientationIsUpright(_ block: [UInt8]) throws {
        #expect(try ExifTests.read(block) == .up)
    }

    @Test func moreEntriesThanBytesEndTheSearch() throws {
        let block = ExifTests.block(bigEndian: true, tag: 1, value: 6, entries: 0xFFFF)
        #expect(try ExifTests.read(block) == .up)
    }

    @Test func everyTruncationIsUpright() throws {
        let block = ExifTests.block(bigEndian: true, value: 6)
        for length in 0..<block.count - 2 { #expect(try ExifTests.read(Array(block[..<length])) == .up) }
    }
}
