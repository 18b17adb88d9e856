import CSDImage
import Foundation
import Testing

/// A host source that records its reads.
private final class Tape: @unchecked Sendable {
    // Unchecked: only the test's thread uses it.
    var bytes: [UInt8] = []
    var largestRead = 0
    var total = 0
    /// Maximum number of bytes that one read returns.
    var most = Int.max

    var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
    static func of(_ pointer: UnsafeMutableRawPointer?) -> Tape { Unmanaged.fromOpaque(pointer!).takeUnretainedValue() }

    static var table: sdimage_source_vtable {
        var table = sdimage_source_vtable()
        table.size = MemoryLayout<sdimage_source_vtable>.size
        table.read = { pointer, offset, buffer, length, read, error in
            let tape = Tape.of(pointer)
            guard let start = Int(exactly: offset), start < tape.bytes.count else {
                if let error { error.pointee = sdimage_error_new(.SDIMAGE_STATUS_IO_ERROR, "outside") }
                return .SDIMAGE_STATUS_IO_ERROR
            }
            let count = min(length, tape.bytes.count - start, tape.most)
            tape.bytes[start..<(start + count)].withUnsafeBytes { buffer!.copyMemory(from: $0.baseAddress!, byteCount: count) }
            tape.largestRead = max(tape.largestRead, length)
            tape.total += count
            read!.pointee = count
            return .SDIMAGE_STATUS_OK
        }
        return table
    }

    func source(length: Int? = nil) throws -> Owned {
        var table = Tape.table
        return try make(sdimage_source_unref) {
            sdimage_source_new_custom(UInt64(length ?? bytes.count), &table, pointer, nil, $0, $1)
        }
    }
}

@Suite(.serialized) struct SourceTests {
    private func decoder(_ source: Owned, _ coder: Owned? = nil) throws -> Owned {
        try make(sdimage_decoder_unref) { sdimage_decoder_new_source(source.pointer, nil, coder?.pointer, $0, $1) }
    }

    private func image(_ decoder: Owned) throws -> Owned {
        try make(sdimage_image_unref) { sdimage_decoder_get_image(decoder.pointer, $0, $1) }
    }

    @Test func aSourceGivesWhatLiesInsideAndNothingBehindItsEnd() throws {
        let tape = Tape()
        tape.bytes = Array(0..<100)
        tape.most = 7
        let source = try tape.source()
        #expect(sdimage_source_size(source.pointer) == 100)
        var buffer = [UInt8](repeating: 0, count: 50)
        var read = 0
        #expect(sdimage_source_read(source.pointer, 80, &buffer, 50, &read, nil) == .SDIMAGE_STATUS_OK)
        #expect(read == 20)
        #expect(Array(buffer.prefix(20)) == Array(80..<100))
        #expect(sdimage_source_read(source.pointer, 100, &buffer, 50, &read, nil) == .SDIMAGE_STATUS_OK)
        #expect(read == 0)
        #expect(sdimage_source_read(source.pointer, .max, &buffer, 50, &read, nil) == .SDIMAGE_STATUS_OK)
        #expect(read == 0)
    }

    @Test func aFileIsReadAsItIsAskedFor() throws {
        let path = NSTemporaryDirectory() + "source-\(UUID().uuidString).png"
        defer { unlink(path) }
        let png = makePNG(width: 30, height: 20)
        try Data(png).write(to: URL(fileURLWithPath: path))
        let source = try make(sdimage_source_unref) { sdimage_source_new_file(path, $0, $1) }
        #expect(sdimage_source_size(source.pointer) == UInt64(png.count))
        let picture = try image(try decoder(source))
        #expect(sdimage_image_width(picture.pointer) == 30)
        var out: OpaquePointer?
        #expect(sdimage_source_new_file(path + ".none", &out, nil) == .SDIMAGE_STATUS_NOT_FOUND)
        #expect(sdimage_source_new_file(NSTemporaryDirectory(), &out, nil) == .SDIMAGE_STATUS_NOT_A_FILE)
    }

    @Test func aSourceThatFailsOrIsShorterThanItSaidIsAnErrorOfReading() throws {
        let tape = Tape()
        tape.bytes = makePNG(width: 30, height: 20)
        let longer = try tape.source(length: tape.bytes.count + 5)
        let failure = #expect(throws: CallFailure.self) { try decoder(longer) }
        #expect(failure?.status == .SDIMAGE_STATUS_IO_ERROR)
        tape.bytes += [UInt8](repeating: 0, count: 4096)
        let huge = try tape.source(length: 1 << 40)
        let refusal = #expect(throws: CallFailure.self) { try decoder(huge) }
        #expect(refusal?.status == .SDIMAGE_STATUS_TOO_LARGE)
    }

    /// A coder of "TAIL" files: the gray value of the image is the last byte of the file.
    private func tailCoder() throws -> Owned {
        var table = sdimage_coder_vtable()
        table.size = MemoryLayout<sdimage_coder_vtable>.size
        table.can_decode = { _, bytes, length in length >= 4 && memcmp(bytes!, "TAIL", 4) == 0 }
        table.decode = { _, _, _, _, _, _ in .SDIMAGE_STATUS_UNSUPPORTED }
        table.open_source = { _, source, _, instance, error in
            var last: UInt8 = 0
            var read = 0
            let status = sdimage_source_read(source, sdimage_source_size(source) - 1, &last, 1, &read, error)
            instance!.pointee = UnsafeMutableRawPointer(bitPattern: Int(last) + 1)
            return status
        }
        table.instance_image = { _, instance, image, error in
            var gray = UInt8(Int(bitPattern: instance) - 1)
            return sdimage_image_new(1, 1, 64, .SDIMAGE_PIXEL_FORMAT_GRAY8, &gray, image, error)
        }
        return try make(sdimage_coder_unref) { sdimage_coder_new_custom("tail", &table, nil, nil, $0, $1) }
    }

    @Test func aCoderThatReadsASourceItselfReadsOnlyWhatItNeeds() throws {
        let tape = Tape()
        tape.bytes = Array("TAIL".utf8) + [UInt8](repeating: 0, count: 1 << 20) + [77]
        let picture = try image(try decoder(try tape.source(), try tailCoder()))
        #expect(sdimage_image_pixels(picture.pointer)?.load(as: UInt8.self) == 77)
        #expect(tape.total < 5000)
    }

    @Test func aSourceThatACoderReadsItselfHasNoEncodedBytes() throws {
        let tape = Tape()
        tape.bytes = Array("TAIL".utf8) + [77]
        let decoder = try decoder(try tape.source(), try tailCoder())
        let provider = try make(sdimage_frame_provider_unref) {
            sdimage_frame_provider_new_decoder(decoder.pointer, $0, $1)
        }
        var data: OpaquePointer?
        #expect(sdimage_frame_provider_get_data(provider.pointer, &data, nil) == .SDIMAGE_STATUS_NOT_FOUND)
        // A coder without sources of its own receives all bytes.
        tape.bytes = makePNG(width: 3, height: 2)
        let whole = try self.decoder(try tape.source())
        let frames = try make(sdimage_frame_provider_unref) { sdimage_frame_provider_new_decoder(whole.pointer, $0, $1) }
        let bytes = try make(sdimage_data_unref) { sdimage_frame_provider_get_data(frames.pointer, $0, $1) }
        #expect(sdimage_data_length(bytes.pointer) == tape.bytes.count)
    }

    @Test func aVectorPictureIsDrawnAtTheSizeThatIsWantedAndAgainAtAnyOther() throws {
        let coder = try makeVectorCoder()
        #expect(sdimage_coder_register(coder.pointer, nil) == .SDIMAGE_STATUS_OK)
        defer { sdimage_coder_unregister(coder.pointer, nil) }
        let bytes = Array("VECTOR".utf8)
        let options = Owned(sdimage_decode_options_new()) { sdimage_decode_options_unref($0) }
        let own = try make(sdimage_image_unref) { sdimage_decode(bytes, bytes.count, options.pointer, $0, $1) }
        #expect(sdimage_image_width(own.pointer) == 20)
        #expect(sdimage_image_is_vector(own.pointer))
        sdimage_decode_options_set_thumbnail_size(options.pointer, 60, 60, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
        let larger = try make(sdimage_image_unref) { sdimage_decode(bytes, bytes.count, options.pointer, $0, $1) }
        #expect(sdimage_image_width(larger.pointer) == 60)
        #expect(sdimage_image_height(larger.pointer) == 30)
        #expect(sdimage_image_source_size(larger.pointer).width == 20)
        #expect(sdimage_image_pixels(larger.pointer)?.load(as: UInt8.self) == 60)
        let drawn = try make(sdimage_image_unref) { sdimage_image_render(larger.pointer, 90, 7, $0, $1) }
        #expect(sdimage_image_height(drawn.pointer) == 7)
        #expect(sdimage_image_pixels(drawn.pointer)?.load(as: UInt8.self) == 90)
        var out: OpaquePointer?
        #expect(sdimage_image_render(larger.pointer, 60_000, 60_000, &out, nil) == .SDIMAGE_STATUS_TOO_LARGE)
        #expect(sdimage_image_render(larger.pointer, 0, 5, &out, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
    }

    @Test func aPictureMadeOfPixelsCannotBeDrawnAgain() throws {
        let png = makePNG(width: 30, height: 20)
        let picture = try make(sdimage_image_unref) { sdimage_decode(png, png.count, nil, $0, $1) }
        var out: OpaquePointer?
        #expect(!sdimage_image_is_vector(picture.pointer))
        #expect(sdimage_image_render(picture.pointer, 5, 5, &out, nil) == .SDIMAGE_STATUS_UNSUPPORTED)
    }
}

/// A coder of "VECT" files: a vector image of 20 x 10 drawn at any size; each pixel's gray value is the width.
func makeVectorCoder() throws -> Owned {
    var table = sdimage_coder_vtable()
    table.size = MemoryLayout<sdimage_coder_vtable>.size
    table.can_decode = { _, bytes, length in length >= 4 && memcmp(bytes!, "VECT", 4) == 0 }
    table.info = { _, _, _, metadata, _ in
        sdimage_metadata_set_source_size(metadata, 20, 10)
        return .SDIMAGE_STATUS_OK
    }
    table.render = { _, _, _, _, size, image, error in
        var pixels: UnsafeMutableRawPointer?
        var stride = 0
        let status = sdimage_image_new_uninitialized(
            size.width, size.height, .SDIMAGE_PIXEL_FORMAT_GRAY8, image, &pixels, &stride, error)
        if status == .SDIMAGE_STATUS_OK { memset(pixels!, Int32(size.width), stride * Int(size.height)) }
        return status
    }
    table.decode = { _, _, _, _, image, error in
        let gray = [UInt8](repeating: 20, count: 200)
        return sdimage_image_new(20, 10, 20, .SDIMAGE_PIXEL_FORMAT_GRAY8, gray, image, error)
    }
    return try make(sdimage_coder_unref) { sdimage_coder_new_custom("vect", &table, nil, nil, $0, $1) }
}
