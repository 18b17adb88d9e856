import SDImage
import Testing

@testable import SDImageIsolation

/// Messages that a worker might send that was taken over by its image.
@Suite struct MessageReaderTests {
    /// Sends texts as those of an image file.
    private func sent(_ texts: [(key: String, value: String)]) throws(ImageError) -> [(key: String, value: String)] {
        var info = ImageInfo()
        info.format = .png
        info.text = texts
        var writer = MessageWriter()
        try writer.put(info)
        var reader = MessageReader(writer.finish(), [])
        return try reader.info(DecodeLimits.standard).text
    }

    @Test func theNumberOfTextsIsLimited() throws {
        let texts = (0..<256).map { (key: "key \($0)", value: "value") }
        #expect(try sent(texts).map { $0.key } == texts.map { $0.key })
        let error = #expect(throws: ImageError.self) { _ = try sent(texts + [(key: "", value: "")]) }
        #expect(error?.status == .decoderCrashed)
    }

    @Test func theBytesOfAllTextsAreLimited() throws {
        // 64 KiB of Latin-1 in the file.
        let half = String(repeating: "\u{e9}", count: 32768)
        #expect(try sent([(key: "", value: half), (key: half, value: "")]).count == 2)
        let error = #expect(throws: ImageError.self) { _ = try sent([(key: "", value: half), (key: half, value: "a")]) }
        #expect(error?.status == .decoderCrashed)
    }
}
