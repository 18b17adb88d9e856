import CSDImage
import Testing

@Suite struct WebPParameterTests {
    private func status(_ parameter: sdimage_webp_parameter, _ value: Double) throws -> sdimage_status {
        let pixels = [UInt8](repeating: 128, count: 8 * 8 * 4)
        let image = try make(sdimage_image_unref) {
            sdimage_image_new(8, 8, 32, .SDIMAGE_PIXEL_FORMAT_RGBA8, pixels, $0, $1)
        }
        let options = Owned(sdimage_encode_options_new()) { sdimage_encode_options_unref($0) }
        sdimage_encode_options_set_webp(options.pointer, parameter, value)
        var data: OpaquePointer?
        defer { sdimage_data_unref(data) }
        return sdimage_encode(image.pointer, .SDIMAGE_FORMAT_WEBP, options.pointer, &data, nil)
    }

    @Test(arguments: [
        (sdimage_webp_parameter.SDIMAGE_WEBP_PARAMETER_ALPHA_FILTERING, 2.0), (.SDIMAGE_WEBP_PARAMETER_ALPHA_COMPRESSION, 1),
        (.SDIMAGE_WEBP_PARAMETER_ALPHA_QUALITY, 100), (.SDIMAGE_WEBP_PARAMETER_METHOD, 6),
    ]) func valuesAboveTheRangeAreRefused(parameter: sdimage_webp_parameter, most: Double) throws {
        #expect(try status(parameter, most) == .SDIMAGE_STATUS_OK)
        #expect(try status(parameter, most + 1) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        #expect(try status(parameter, -1) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
    }
}
