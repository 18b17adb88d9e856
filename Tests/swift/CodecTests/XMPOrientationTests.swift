import SDImage
import Testing

@testable import SDImageCodecs

@Suite struct XMPOrientationTests {
    private func read(_ text: String) throws -> Orientation? { XMPOrientation.read(try .copying(Array(text.utf8))) }

    @Test(arguments: [
        "<a tiff:Orientation=\"6\"/>", "<a tiff:Orientation='6'/>", "<a tiff:Orientation = \" 6 \"/>",
        "<tiff:Orientation>6</tiff:Orientation>", "<tiff:Orientation>\n 6\n</tiff:Orientation>",
        "tiff:Orientation tiff:Orientation=\"0\" tiff:Orientation=\"16\" tiff:Orientation=\"6\" tiff:Orientation=\"3\"",
    ]) func attributesAndElementsAreRead(text: String) throws {
        #expect(try read(text) == .right)
    }

    @Test(arguments: [
        "", "tiff:Orientation", "tiff:Orientation=", "tiff:Orientation=\"", "tiff:Orientation>", "tiff:Orientation=\"9\"",
        "tiff:Orientation=\"61\"", "tiff:Orientation=6", "exif:Orientation=\"6\"", "tiff:Orientatio",
    ]) func otherTextIsNoOrientation(text: String) throws {
        #expect(try read(text) == nil)
        let packet = try Bytes.copying(Array(text.utf8))
        #expect(try XMPOrientation.replacing(in: packet, by: .left) === packet)
    }

    @Test func anOrientationIsReplaced() throws {
        let packet = try Bytes.copying(Array("<a tiff:Orientation=\"6\"/>".utf8))
        #expect(try XMPOrientation.replacing(in: packet, by: .right) === packet)
        #expect(try XMPOrientation.replacing(in: packet, by: .up).array == Array("<a tiff:Orientation=\"1\"/>".utf8))
    }

    @Test(arguments: [false, true], [false, true]) func packetsOfPNGArePacked(isPacked: Bool, isLast: Bool) throws {
        let packet = Array("<a tiff:Orientation=\"6\"/>".utf8)
        var builder = PNGBuilder.header(2, 1, depth: 8, type: 0)
        let text =
            Array("XML:com.adobe.xmp".utf8) + [0, isPacked ? 1 : 0, 0, 0, 0] + (isPacked ? PNGBuilder.zlib(packet) : packet)
        if !isLast { builder.chunk("iTXt", text) }
        builder.chunk("IDAT", PNGBuilder.rows([[1, 2]]))
        if isLast { builder.chunk("iTXt", text) }
        builder.chunk("IEND", [])
        let bytes = try Bytes.copying(builder.bytes)
        let image = try PNGCoder().decode(bytes, options: DecodeOptions(), stop: CancellationToken())
        #expect(image.size == PixelSize(width: 1, height: 2))
        let info = try PNGCoder().info(bytes, options: DecodeOptions(), stop: CancellationToken())
        #expect(info.orientation == .right)
        #expect(info.xmp?.array == packet)
    }
}
