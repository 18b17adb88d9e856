import SDImage
import SDImageCodecs

/// Small files with metadata of every kind.
enum MetadataFixture {
    /// A small image with segments inserted after the SOI marker.
    static func jpeg(_ segments: [(marker: UInt8, body: [UInt8])]) -> [UInt8] {
        let file = JPEGBuilder.file(16, 8, JPEGBuilder.samplings[0])
        let inserted = segments.flatMap { (segment: (marker: UInt8, body: [UInt8])) -> [UInt8] in
            let length = segment.body.count + 2
            return [0xFF, segment.marker, UInt8(length >> 8), UInt8(length & 255)] + segment.body
        }
        return Array(file[..<2]) + inserted + Array(file[2...])
    }

    /// An image of one gray pixel with chunks before its data.
    static func png(_ chunks: [(name: String, data: [UInt8])]) -> [UInt8] {
        var builder = PNGBuilder.header(1, 1, depth: 8, type: 0)
        for chunk in chunks { builder.chunk(chunk.name, chunk.data) }
        return builder.finished([[7]])
    }

    /// An image of one pixel after extensions.
    static func gif(_ extensions: [[UInt8]]) -> [UInt8] {
        Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255] + extensions.flatMap { $0 }
            + [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3B]
    }

    /// A lossless image in the extended format. `flags`: the announced chunks (RFC 9649, section 2.7.1).
    static func webp(_ chunks: [(name: String, data: [UInt8])], flags: UInt8) throws -> [UInt8] {
        let still = try CodecFixture.data("webp/lossless.webp")
        func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
            let size = PNGBuilder.four(data.count).reversed()
            return Array(name.utf8) + size + data + (data.count % 2 == 1 ? [0] : [])
        }
        let size = try WebPCoder().info(try .copying(still), options: DecodeOptions(), stop: CancellationToken()).storedSize
        func three(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8 & 255), UInt8(value >> 16)] }
        let header = chunk("VP8X", [flags, 0, 0, 0] + three(size.width - 1) + three(size.height - 1))
        let before = chunks.filter { $0.name == "ICCP" }.flatMap { chunk($0.name, $0.data) }
        let after = chunks.filter { $0.name != "ICCP" }.flatMap { chunk($0.name, $0.data) }
        let body = Array("WEBP".utf8) + header + before + Array(still[12...]) + after
        return Array("RIFF".utf8) + PNGBuilder.four(body.count).reversed() + body
    }
}
