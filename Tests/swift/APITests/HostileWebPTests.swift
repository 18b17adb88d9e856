import CSDImage
import Foundation
import TestSupport
import Testing

/// Chunks before the image data of a WebP cost time proportional to their number, for any division of the bytes into pieces.
@Suite(.serialized) struct HostileWebPTests {
    /// An extended still image whose image data follow `count` empty chunks (RFC 9649, section 2.7).
    private func file(chunks count: Int) throws -> [UInt8] {
        let image = try DrawnPicture.draw(4, 4, .SDIMAGE_PIXEL_FORMAT_RGBA8) { x, y in [UInt8(x), UInt8(y), 0, 128] }
        let options = Owned(sdimage_encode_options_new()) { sdimage_encode_options_unref($0) }
        sdimage_encode_options_set_lossless(options.pointer, true)
        let data = try make(sdimage_data_unref) { sdimage_encode(image.pointer, .SDIMAGE_FORMAT_WEBP, options.pointer, $0, $1) }
        let simple = UnsafeRawBufferPointer(start: sdimage_data_bytes(data.pointer), count: sdimage_data_length(data.pointer))
        let picture = Array(simple.dropFirst(12))
        let empty: [UInt8] = Array("abcd".utf8) + HostileFile.little(0)
        var body = Array("WEBPVP8X".utf8) + HostileFile.little(10) + [0x10, 0, 0, 0, 3, 0, 0, 3, 0, 0]
        body.reserveCapacity(body.count + count * empty.count + picture.count)
        for _ in 0..<count { body += empty }
        body += picture
        return Array("RIFF".utf8) + HostileFile.little(body.count) + body
    }

    /// Beyond the default time limit, which a busy machine exceeds.
    private let patient = decodeOptions { sdimage_decode_options_set_max_work_ms($0, 600_000) }

    private func decode(_ bytes: [UInt8]) throws {
        let image = try make(sdimage_image_unref) { sdimage_decode(bytes, bytes.count, patient.pointer, $0, $1) }
        #expect(sdimage_image_width(image.pointer) == 4)
    }

    /// Walking all chunks again for each piece passed to libwebp would make eight times as many chunks take about forty times as
    /// long.
    @Test func chunksAreWalkedOnce() throws {
        let few = try file(chunks: 1 << 13), many = try file(chunks: 1 << 16 - 4)
        var (ofFew, ofMany) = (Double.infinity, Double.infinity)
        // The minimum of processor times, measured in turns: other programs that use the caches of the processor affect both.
        for _ in 0..<3 {
            ofFew = min(ofFew, try ProcessorTime.ofThread { try decode(few) })
            ofMany = min(ofMany, try ProcessorTime.ofThread { try decode(many) })
        }
        #expect(ofMany < 20 * ofFew)
    }

    /// libwebp allocates an entry for each chunk, four times the bytes of an empty one.
    @Test func manyChunksAreRefused() throws {
        let bytes = try file(chunks: 1 << 16)
        var image: OpaquePointer?
        var info: OpaquePointer?
        #expect(sdimage_decode(bytes, bytes.count, patient.pointer, &image, nil) == .SDIMAGE_STATUS_TOO_LARGE)
        #expect(sdimage_info_new(bytes, bytes.count, nil, &info, nil) == .SDIMAGE_STATUS_TOO_LARGE)
        // Data after the container are not its chunks.
        try decode(try file(chunks: 8) + [UInt8](repeating: 0, count: 1 << 20))
    }
}
