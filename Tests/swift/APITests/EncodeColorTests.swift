import CSDImage
import Testing

/// Color spaces of encoded images through the C API. Serialized: registered coders are those of the process.
@Suite(.serialized) struct EncodeColorTests {
    /// An encoder of TIFF that writes what it finds: whether there is a profile, primaries, transfer, and the first sample.
    private func makeWitness() throws -> Owned {
        var table = sdimage_coder_vtable()
        table.size = MemoryLayout<sdimage_coder_vtable>.size
        table.can_decode = { _, _, _ in false }
        table.decode = { _, _, _, _, _, _ in .SDIMAGE_STATUS_BAD_DATA }
        table.can_encode = { _, format in format == .SDIMAGE_FORMAT_TIFF }
        table.encode = { _, image, _, _, data, error in
            let hasProfile = sdimage_image_color_profile(image) != nil
            let codes = [sdimage_image_color_primaries(image), sdimage_image_transfer_characteristics(image)]
            let sample = sdimage_image_pixels(image).load(as: UInt8.self)
            let found: [UInt8] = [hasProfile ? 1 : 0, UInt8(codes[0]), UInt8(codes[1]), sample]
            return sdimage_data_new(found, found.count, data, error)
        }
        return try make(sdimage_coder_unref) { sdimage_coder_new_custom("witness", &table, nil, nil, $0, $1) }
    }

    /// One pixel with a profile and code points. The matrix is 0.
    private func pixel(_ samples: [UInt8], _ primaries: UInt32, _ transfer: UInt32, isFull: Bool = true) throws -> Owned {
        let plain = try make(sdimage_image_unref) {
            sdimage_image_new(1, 1, samples.count, .SDIMAGE_PIXEL_FORMAT_RGB8, samples, $0, $1)
        }
        let metadata = try make(sdimage_metadata_unref) { sdimage_image_copy_metadata(plain.pointer, $0, $1) }
        let profile = try make(sdimage_data_unref) { sdimage_data_new([1, 2, 3], 3, $0, $1) }
        sdimage_metadata_set_color_profile(metadata.pointer, profile.pointer)
        sdimage_metadata_set_cicp(metadata.pointer, primaries, transfer, 0, isFull)
        return try make(sdimage_image_unref) { sdimage_image_with_metadata(plain.pointer, metadata.pointer, $0, $1) }
    }

    private func encode(_ image: Owned, _ format: sdimage_format) throws -> [UInt8] {
        let data = try make(sdimage_data_unref) { sdimage_encode(image.pointer, format, nil, $0, $1) }
        return withExtendedLifetime((image, data)) {
            Array(UnsafeRawBufferPointer(start: sdimage_data_bytes(data.pointer), count: sdimage_data_length(data.pointer)))
        }
    }

    private func withWitness(_ body: () throws -> Void) throws {
        let coder = try makeWitness()
        #expect(sdimage_coder_register(coder.pointer, nil) == .SDIMAGE_STATUS_OK)
        defer { sdimage_coder_unregister(coder.pointer, nil) }
        try body()
    }

    /// Expects what the witness finds in an image.
    private func expect(_ image: Owned, _ found: [UInt8]) throws {
        let file = try encode(image, .SDIMAGE_FORMAT_TIFF)
        #expect(file == found)
    }

    @Test func knownCodePointsTakePrecedenceOverTheProfile() throws {
        try withWitness {
            try expect(try pixel([200, 60, 60], 9, 8), [0, 9, 8, 200])
            // Unspecified (ITU-T H.273): the profile describes the pixels.
            try expect(try pixel([200, 60, 60], 2, 2), [1, 0, 0, 200])
        }
    }

    @Test func narrowSamplesBecomeFullForCodersThatAreNotToldOfThem() throws {
        try withWitness {
            let white = try pixel([235, 235, 235], 1, 13, isFull: false)
            try expect(white, [0, 0, 0, 255])
            // PQ stays PQ: with primaries of BT.2020 and 16 bits, of which this is the low byte of the maximum.
            let peak = try pixel([235, 235, 235], 9, 16, isFull: false)
            try expect(peak, [0, 9, 16, 255])
        }
    }

    @Test func unspecifiedCodePointsDoNotReplaceTheProfileOfAPNG() throws {
        let file = try encode(try pixel([200, 60, 60], 2, 2), .SDIMAGE_FORMAT_PNG)
        let text = String(decoding: file, as: UTF8.self)
        #expect(text.contains("iCCP") && !text.contains("cICP"))
        let other = String(decoding: try encode(try pixel([200, 60, 60], 9, 8), .SDIMAGE_FORMAT_PNG), as: UTF8.self)
        #expect(other.contains("cICP") && !other.contains("iCCP"))
    }

    @Test func unusedAlphaDoesNotDarkenASmallerFile() throws {
        // Every pixel has an alpha of 0 that counts for nothing.
        let bytes = [[UInt8]](repeating: [200, 100, 50, 0], count: 64).flatMap { $0 }
        let drawn = try make(sdimage_image_unref) {
            sdimage_image_new(8, 8, 32, .SDIMAGE_PIXEL_FORMAT_RGBA8, bytes, $0, $1)
        }
        let metadata = try make(sdimage_metadata_unref) { sdimage_image_copy_metadata(drawn.pointer, $0, $1) }
        sdimage_metadata_set_has_alpha(metadata.pointer, false)
        let image = try make(sdimage_image_unref) { sdimage_image_with_metadata(drawn.pointer, metadata.pointer, $0, $1) }
        let options = Owned(sdimage_encode_options_new()) { sdimage_encode_options_unref($0) }
        sdimage_encode_options_set_max_pixel_size(options.pointer, 4, 4)
        let data = try make(sdimage_data_unref) { sdimage_encode(image.pointer, .SDIMAGE_FORMAT_PNG, options.pointer, $0, $1) }
        let small = try make(sdimage_image_unref) {
            sdimage_decode(sdimage_data_bytes(data.pointer), sdimage_data_length(data.pointer), nil, $0, $1)
        }
        var color = sdimage_color()
        #expect(sdimage_image_color_at(small.pointer, 1, 1, &color, nil) == .SDIMAGE_STATUS_OK)
        let samples: [Int] = [color.red, color.green, color.blue].map { Int(($0 * 255).rounded()) }
        #expect(samples == [200, 100, 50])
        withExtendedLifetime((options, data)) {}
    }
}
