import CSDImage
import Testing

@Suite struct CoderChoiceTests {
    @Test func theFormatThatTheEncoderChoosesCanBeEncoded() throws {
        #expect(sdimage_can_encode(.SDIMAGE_FORMAT_UNKNOWN))
        #expect(sdimage_can_encode(.SDIMAGE_FORMAT_PNG))
        #expect(!sdimage_can_encode(.SDIMAGE_FORMAT_RAW))
        #expect(!sdimage_can_encode(sdimage_format(rawValue: 99)!))
        let pixels: [UInt8] = [1, 2, 3]
        let image = try make(sdimage_image_unref) { sdimage_image_new(1, 1, 3, .SDIMAGE_PIXEL_FORMAT_RGB8, pixels, $0, $1) }
        let data = try make(sdimage_data_unref) { sdimage_encode(image.pointer, .SDIMAGE_FORMAT_UNKNOWN, nil, $0, $1) }
        #expect(sdimage_sniff(sdimage_data_bytes(data.pointer), sdimage_data_length(data.pointer)) == .SDIMAGE_FORMAT_JPEG)
    }

    @Test func noBytesCannotBeDecoded() {
        let bytes: [UInt8] = [1]
        #expect(!sdimage_can_decode(bytes, 0))
        #expect(!sdimage_can_decode(nil, 0))
    }
}
