import CSDImage
import Foundation
import TestSupport
import Testing

/// Serialized: registered coders are those of the process.
@Suite(.serialized) struct CoderChoiceTests {
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

    @Test func aFormatWithoutACoderSuggestsAPlugIn() throws {
        let tiff: [UInt8] = Array("II*\0".utf8) + [8, 0, 0, 0, 0, 0]
        let hint = "a plug-in may be missing (sdimage_plugins_load_all)"
        let failure = #expect(throws: CallFailure.self) {
            try make(sdimage_image_unref) { sdimage_decode(tiff, tiff.count, nil, $0, $1) }
        }
        #expect(failure?.status == .SDIMAGE_STATUS_UNSUPPORTED)
        #expect(failure?.message == "decoder: no coder registered for tiff, \(hint)")
        let image = try make(sdimage_image_unref) { sdimage_image_new(1, 1, 1, .SDIMAGE_PIXEL_FORMAT_GRAY8, [3], $0, $1) }
        let refusal = #expect(throws: CallFailure.self) {
            try make(sdimage_data_unref) { sdimage_encode(image.pointer, .SDIMAGE_FORMAT_JXL, nil, $0, $1) }
        }
        #expect(refusal?.status == .SDIMAGE_STATUS_UNSUPPORTED)
        #expect(refusal?.message == "encoder: no coder encodes jxl, \(hint)")
    }

    /// In a process of its own, because folders and isolation are those of the process.
    @Test func aPlugInThatWorkersOpenHasNoError() async {
        await #expect(processExitsWith: .success) { try CoderChoiceTests().listIsolatedPlugIns() }
    }

    func listIsolatedPlugIns() throws {
        let folder = TemporaryDirectory()
        setenv("SDIMAGE_PLUGIN_PATH", folder.path, 1)
        // Readable, and never opened.
        try Data().write(to: URL(fileURLWithPath: folder.path + "/libsdimage-tiff.so.1"))
        sdimage_set_isolation(.SDIMAGE_ISOLATION_RISKY)
        let plugins = try make(sdimage_plugin_list_unref) { sdimage_plugins_load_all($0, $1) }
        let rows = 0..<sdimage_plugin_list_count(plugins.pointer)
        let row = try #require(rows.first { text(sdimage_plugin_list_name(plugins.pointer, $0)) == "tiff" })
        #expect(sdimage_plugin_list_error(plugins.pointer, row) == nil)
        #expect(text(sdimage_plugin_list_library(plugins.pointer, row)) == "libtiff")
    }

    /// A coder of raw files without a signature: of one pixel, and of the value "shade" of the program.
    private func makeRawCoder() throws -> Owned {
        var table = sdimage_coder_vtable()
        table.size = MemoryLayout<sdimage_coder_vtable>.size
        table.can_decode = { _, _, _ in false }
        table.decode = { _, bytes, _, options, image, error in
            guard sdimage_decode_options_format_hint(options) == .SDIMAGE_FORMAT_RAW else { return .SDIMAGE_STATUS_BAD_DATA }
            return sdimage_image_new(1, 1, 1, .SDIMAGE_PIXEL_FORMAT_GRAY8, bytes, image, error)
        }
        table.can_encode = { _, format in format == .SDIMAGE_FORMAT_RAW }
        table.encode = { _, _, _, options, data, error in
            let shade = UInt8(sdimage_options_int64(sdimage_encode_options_options(options), "shade", 0))
            return sdimage_data_new([shade], 1, data, error)
        }
        table.can_decode_format = { _, format in format == .SDIMAGE_FORMAT_RAW }
        return try make(sdimage_coder_unref) { sdimage_coder_new_custom("raw", &table, nil, nil, $0, $1) }
    }

    private func decode(_ bytes: [UInt8], _ hint: sdimage_format) -> (status: sdimage_status, image: Owned?) {
        let options = sdimage_decode_options_new()
        defer { sdimage_decode_options_unref(options) }
        sdimage_decode_options_set_format_hint(options, hint)
        var image: OpaquePointer?
        let status = sdimage_decode(bytes, bytes.count, options, &image, nil)
        return (status, image.map { Owned($0) { sdimage_image_unref($0) } })
    }

    @Test func aHintSelectsACoderOfTheProgram() throws {
        let coder = try makeRawCoder()
        #expect(sdimage_coder_register(coder.pointer, nil) == .SDIMAGE_STATUS_OK)
        defer { sdimage_coder_unregister(coder.pointer, nil) }
        #expect(decode([7], .SDIMAGE_FORMAT_UNKNOWN).status == .SDIMAGE_STATUS_NOT_AN_IMAGE)
        #expect(decode([7], .SDIMAGE_FORMAT_TIFF).status == .SDIMAGE_STATUS_NOT_AN_IMAGE)
        let image = try #require(decode([7], .SDIMAGE_FORMAT_RAW).image)
        #expect(sdimage_image_pixels(image.pointer).load(as: UInt8.self) == 7)
        withExtendedLifetime(image) {}
        // A signature takes precedence.
        let png = try #require(decode(makePNG(width: 3, height: 2), .SDIMAGE_FORMAT_RAW).image)
        #expect(sdimage_image_width(png.pointer) == 3)
        var diagnosis: OpaquePointer?
        sdimage_diagnosis_new(&diagnosis, nil)
        defer { sdimage_diagnosis_unref(diagnosis) }
        #expect(sdimage_diagnosis_can_decode(diagnosis, .SDIMAGE_FORMAT_RAW))
    }

    @Test func anEncoderReadsTheValuesOfTheProgram() throws {
        let coder = try makeRawCoder()
        #expect(sdimage_coder_register(coder.pointer, nil) == .SDIMAGE_STATUS_OK)
        defer { sdimage_coder_unregister(coder.pointer, nil) }
        let image = try make(sdimage_image_unref) { sdimage_image_new(1, 1, 1, .SDIMAGE_PIXEL_FORMAT_GRAY8, [3], $0, $1) }
        let values = Owned(sdimage_options_new()) { sdimage_options_unref($0) }
        sdimage_options_set_int64(values.pointer, "shade", 9)
        let options = Owned(sdimage_encode_options_new()) { sdimage_encode_options_unref($0) }
        sdimage_encode_options_set_options(options.pointer, values.pointer)
        #expect(sdimage_options_int64(sdimage_encode_options_options(options.pointer), "shade", 0) == 9)
        let data = try make(sdimage_data_unref) { sdimage_encode(image.pointer, .SDIMAGE_FORMAT_RAW, options.pointer, $0, $1) }
        #expect(sdimage_data_length(data.pointer) == 1)
        #expect(sdimage_data_bytes(data.pointer).load(as: UInt8.self) == 9)
        withExtendedLifetime((data, options)) {}
    }

    @Test func noBytesCannotBeDecoded() {
        let bytes: [UInt8] = [1]
        #expect(!sdimage_can_decode(bytes, 0))
        #expect(!sdimage_can_decode(nil, 0))
    }
}
