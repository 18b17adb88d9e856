import CSDImage
import Foundation
import TestSupport
import Testing

/// Samples in PQ and HLG: written to files, and decoded.
@Suite struct HDRTransferTests {
    private static let transfers: [sdimage_transfer_characteristics] = [
        .SDIMAGE_TRANSFER_CHARACTERISTICS_PQ, .SDIMAGE_TRANSFER_CHARACTERISTICS_HLG,
    ]
    /// One step of ten bits.
    private static let step = 64

    /// An image of one row.
    private func image<Sample>(_ samples: [Sample], _ format: sdimage_pixel_format) throws -> Owned {
        let pixel = sdimage_pixel_format_bytes(format)
        let bytes = samples.count * MemoryLayout<Sample>.stride
        return try make(sdimage_image_unref) { image, error in
            samples.withUnsafeBytes {
                sdimage_image_new(UInt32(bytes / pixel), 1, bytes, format, $0.baseAddress, image, error)
            }
        }
    }

    private func encode(
        _ image: Owned, _ format: sdimage_format = .SDIMAGE_FORMAT_PNG, _ change: (OpaquePointer?) -> Void
    ) throws -> [UInt8] {
        let options = Owned(sdimage_encode_options_new()) { sdimage_encode_options_unref($0) }
        change(options.pointer)
        let data = try make(sdimage_data_unref) { sdimage_encode(image.pointer, format, options.pointer, $0, $1) }
        return withExtendedLifetime((image, options, data)) {
            Array(UnsafeRawBufferPointer(start: sdimage_data_bytes(data.pointer), count: sdimage_data_length(data.pointer)))
        }
    }

    private func decode(_ bytes: [UInt8], _ change: (OpaquePointer?) -> Void) throws -> Owned {
        let options = decodeOptions(change)
        return try make(sdimage_image_unref) { sdimage_decode(bytes, bytes.count, options.pointer, $0, $1) }
    }

    /// The samples of the first row.
    private func row<Sample>(_ image: Owned, of type: Sample.Type) -> [Sample] {
        withExtendedLifetime(image) {
            let pixel = sdimage_pixel_format_bytes(sdimage_image_pixel_format(image.pointer))
            let bytes = UnsafeRawBufferPointer(
                start: sdimage_image_pixels(image.pointer), count: Int(sdimage_image_width(image.pointer)) * pixel)
            return Array(bytes.bindMemory(to: Sample.self))
        }
    }

    /// The file without conversion of its samples.
    private func samples(_ file: [UInt8]) throws -> [UInt16] {
        let image = try decode(file) {
            sdimage_decode_options_set_convert_to_srgb($0, false)
            sdimage_decode_options_set_pixel_format($0, .SDIMAGE_PIXEL_FORMAT_RGB16)
        }
        return row(image, of: UInt16.self)
    }

    /// The bodies of the chunks of a name.
    private func chunks(_ name: String, _ file: [UInt8]) -> [[UInt8]] {
        var (found, at): ([[UInt8]], Int) = ([], 8)
        while at + 12 <= file.count {
            let length = file[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
            if Array(file[at + 4..<at + 8]) == Array(name.utf8) { found.append(Array(file[at + 8..<at + 8 + length])) }
            at += length + 12
        }
        return found
    }

    private func isClose(_ one: [UInt16], _ other: [UInt16], _ steps: Int = HDRTransferTests.step) -> Bool {
        one.count == other.count && zip(one, other).allSatisfy { abs(Int($0) - Int($1)) <= steps }
    }

    /// Samples of BT.2020 for light of its own primaries relative to SDR white, by the formulas of ITU-R BT.2100.
    private func signal(_ light: [Double], _ transfer: sdimage_transfer_characteristics) -> [UInt16] {
        let isPQ = transfer == .SDIMAGE_TRANSFER_CHARACTERISTICS_PQ
        let display = light.map { min(max($0 * 203 / (isPQ ? 10_000 : 1000), 0), 1) }
        let luminance = 0.2627 * display[0] + 0.6780 * display[1] + 0.0593 * display[2]
        let values = display.map { isPQ ? pq($0) : hlg(luminance > 0 ? $0 * pow(luminance, -1 / 6.0) : 0) }
        return values.map { UInt16((min(max($0, 0), 1) * 65535).rounded()) }
    }

    private func pq(_ light: Double) -> Double {
        let power = pow(light, 2610.0 / 16384)
        return pow((3424.0 / 4096 + 2413.0 / 128 * power) / (1 + 2392.0 / 128 * power), 2523.0 / 32)
    }

    private func hlg(_ light: Double) -> Double {
        light <= 1.0 / 12 ? (3 * light).squareRoot() : 0.17883277 * log(12 * light - 0.28466892) + 0.55991073
    }

    private func isClose(_ one: [Float], _ other: [Float], relative: Float) -> Bool {
        one.count == other.count && zip(one, other).allSatisfy { abs($0 - $1) <= max(abs($1), 0.01) * relative }
    }

    // MARK: Encoding

    @Test(arguments: transfers) func lightIsWrittenByTheFormulas(_ transfer: sdimage_transfer_characteristics) throws {
        // Grays up to the peak of PQ, and colors of BT.2020 as light of sRGB primaries.
        var (light, wanted): ([Float], [UInt16]) = ([], [])
        for level in [0, 0.001, 0.01, 0.1, 0.5, 1, 2, 4, 4.9, 20, 49] {
            light += [Float(level), Float(level), Float(level), 1]
            wanted += signal([level, level, level], transfer)
        }
        for color in [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.2, 0.7, 0.1]] {
            let matrix: [Double] = [
                1.660491002, -0.587641139, -0.072849863, -0.124550475, 1.132899897, -0.008349423, -0.018150763, -0.100578898,
                1.118729661,
            ]
            for row in 0..<3 {
                let sum: Double = matrix[3 * row] * color[0] + matrix[3 * row + 1] * color[1] + matrix[3 * row + 2] * color[2]
                light.append(Float(sum))
            }
            light.append(1)
            wanted += signal(color, transfer)
        }
        let opaque = try opaque(try image(light, .SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT))
        let file = try encode(opaque) { sdimage_encode_options_set_transfer_characteristics($0, transfer) }
        #expect(chunks("cICP", file) == [[9, UInt8(transfer.rawValue), 0, 1]])
        #expect(chunks("IHDR", file).first?[8...9] == [16, 2])
        let written = try samples(file)
        #expect(isClose(written, wanted), "\(written) \(wanted)")
    }

    /// The same pixels, said to be opaque.
    private func opaque(_ image: Owned) throws -> Owned {
        let metadata = try make(sdimage_metadata_unref) { sdimage_image_copy_metadata(image.pointer, $0, $1) }
        sdimage_metadata_set_has_alpha(metadata.pointer, false)
        return try make(sdimage_image_unref) { sdimage_image_with_metadata(image.pointer, metadata.pointer, $0, $1) }
    }

    @Test(arguments: transfers) func everySampleComesBack(_ transfer: sdimage_transfer_characteristics) throws {
        var drawn: [UInt16] = []
        for v: UInt16 in stride(from: 0, through: 65520, by: 21) { drawn += [v, v, v, v, v - v / 4, v - v / 8] }
        let plain = try image(drawn, .SDIMAGE_PIXEL_FORMAT_RGB16)
        let metadata = try make(sdimage_metadata_unref) { sdimage_image_copy_metadata(plain.pointer, $0, $1) }
        sdimage_metadata_set_cicp(metadata.pointer, 9, UInt32(transfer.rawValue), 0, true)
        let told = try make(sdimage_image_unref) { sdimage_image_with_metadata(plain.pointer, metadata.pointer, $0, $1) }
        // Written as they are, with and without the option.
        let file = try encode(told) { _ in }
        #expect(chunks("cICP", file) == [[9, UInt8(transfer.rawValue), 0, 1]])
        #expect(try samples(file) == drawn)
        #expect(try encode(told) { sdimage_encode_options_set_transfer_characteristics($0, transfer) } == file)
        // Through linear light. Floats do not hold a dark channel of a color whose others are thousands of times brighter.
        let light = try decode(file) { sdimage_decode_options_set_pixel_format($0, .SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT) }
        let again = try encode(light) { sdimage_encode_options_set_transfer_characteristics($0, transfer) }
        #expect(isClose(try samples(again), drawn))
    }

    @Test func imagesInSRGBAreConverted() throws {
        let gray = try image([UInt8](repeating: 255, count: 3), .SDIMAGE_PIXEL_FORMAT_GRAY8)
        for (transfer, white) in zip(HDRTransferTests.transfers, [0.5807, 0.75]) {
            let file = try encode(gray) { sdimage_encode_options_set_transfer_characteristics($0, transfer) }
            #expect(try samples(file).allSatisfy { abs(Double($0) / 65535 - white) < 0.001 })
        }
    }

    @Test func alphaIsKept() throws {
        let glass = try image([Float]([1, 1, 1, 0.25, 0, 0, 0, 1]), .SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT)
        let file = try encode(glass) {
            sdimage_encode_options_set_transfer_characteristics($0, .SDIMAGE_TRANSFER_CHARACTERISTICS_PQ)
        }
        let back = try decode(file) { sdimage_decode_options_set_pixel_format($0, .SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT) }
        #expect(isClose(row(back, of: Float.self), [1, 1, 1, 0.25, 0, 0, 0, 1], relative: 0.001))
    }

    @Test func theLightLevelIsAChunk() throws {
        let gray = try image([UInt8](repeating: 255, count: 3), .SDIMAGE_PIXEL_FORMAT_GRAY8)
        let file = try encode(gray) {
            sdimage_encode_options_set_max_content_light_level($0, 1000)
            sdimage_encode_options_set_max_frame_average_light_level($0, 70_000)
        }
        // 10,000,000 and 655,350,000: units of 0.0001 cd/m2, and the largest light level.
        #expect(chunks("cLLI", file) == [[0x00, 0x98, 0x96, 0x80, 0x27, 0x0F, 0xD8, 0xF0]])
        #expect(chunks("cLLI", try encode(gray) { _ in }).isEmpty)
    }

    @Test func theDepthOfAFileIsChosen() throws {
        let noise = try image([UInt16]([1, 2, 3, 0xABCD, 0, 0xFFFF]), .SDIMAGE_PIXEL_FORMAT_RGB16)
        let bright = try image([Float]([4, 4, 4, 1]), .SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT)
        for (image, bits) in [(noise, 8), (noise, 16), (bright, 8), (bright, 16)] {
            let file = try encode(image) { sdimage_encode_options_set_bits_per_channel($0, UInt32(bits)) }
            // A palette has eight bits, too.
            #expect(chunks("IHDR", file).first.map { $0[8] <= 8 ? 8 : Int($0[8]) } == bits)
        }
        let small = try image([UInt8]([1, 2, 3]), .SDIMAGE_PIXEL_FORMAT_RGB8)
        let wide = try encode(small) { sdimage_encode_options_set_bits_per_channel($0, 16) }
        #expect(try samples(wide) == [257, 514, 771])
    }

    @Test func framesOfAnimationsAreConverted() throws {
        let levels: [UInt8] = [100, 136, 186]
        let moving = try MovingPicture.image(try MovingPicture.bytes(of: levels, .SDIMAGE_FORMAT_GIF))
        let file = try encode(moving) {
            sdimage_encode_options_set_transfer_characteristics($0, .SDIMAGE_TRANSFER_CHARACTERISTICS_PQ)
        }
        #expect(chunks("cICP", file) == [[9, 16, 0, 1]] && chunks("IHDR", file).first?[8] == 16)
        for options in [decodeOptions(), decodeOptions { sdimage_decode_options_set_convert_to_srgb($0, false) }] {
            let back = try make(sdimage_image_unref) { sdimage_decode(file, file.count, options.pointer, $0, $1) }
            let isConverted = sdimage_decode_options_should_convert_to_srgb(options.pointer)
            for (index, gray) in levels.enumerated() {
                let frame = try make(sdimage_image_unref) { sdimage_image_get_frame(back.pointer, UInt32(index), $0, $1) }
                let light = pow((Double(gray) / 255 + 0.055) / 1.055, 2.4)
                // Tone-mapped for a peak of 1000 cd/m2 (ITU-R BT.2446-1, section 4.1): light of 26, 50 and 100 cd/m2.
                let mapped = [0.0722, 0.1265, 0.2266].map { 1.055 * pow($0, 1 / 2.4) - 0.055 }
                let wanted = isConverted ? mapped[index] : pq(light * 203 / 10_000)
                #expect(abs(DrawnPicture.color(frame, 4, 4)[0] - wanted) < 0.008)
            }
        }
    }

    @Test func formatsWithoutCodePointsReceiveSRGB() throws {
        let gray = try image([UInt8](repeating: 120, count: 3), .SDIMAGE_PIXEL_FORMAT_GRAY8)
        let signals = try decode(try encode(gray) { _ in }) {
            sdimage_decode_options_set_transfer_characteristics($0, .SDIMAGE_TRANSFER_CHARACTERISTICS_PQ)
        }
        for format: sdimage_format in [
            .SDIMAGE_FORMAT_JPEG, .SDIMAGE_FORMAT_WEBP, .SDIMAGE_FORMAT_GIF, .SDIMAGE_FORMAT_BMP, .SDIMAGE_FORMAT_ICO,
        ] {
            let back = try decode(try encode(signals, format) { _ in }) { _ in }
            #expect(abs(DrawnPicture.color(back, 1, 0)[0] * 255 - 120) < 2.5)
        }
    }

    @Test func rangeAndMatrixOfYCbCrAreNotThoseOfRGB() throws {
        let plain = try image([UInt16]([1000, 2000, 3000]), .SDIMAGE_PIXEL_FORMAT_RGB16)
        let metadata = try make(sdimage_metadata_unref) { sdimage_image_copy_metadata(plain.pointer, $0, $1) }
        sdimage_metadata_set_cicp(metadata.pointer, 9, 18, 9, false)
        let video = try make(sdimage_image_unref) { sdimage_image_with_metadata(plain.pointer, metadata.pointer, $0, $1) }
        let file = try encode(video) {
            sdimage_encode_options_set_transfer_characteristics($0, .SDIMAGE_TRANSFER_CHARACTERISTICS_HLG)
        }
        #expect(chunks("cICP", file) == [[9, 18, 0, 1]])
        #expect(try samples(file) == [1000, 2000, 3000])
    }

    @Test func formatsRefuseWhatTheyCannotStore() throws {
        let gray = try image([UInt8](repeating: 255, count: 3), .SDIMAGE_PIXEL_FORMAT_GRAY8)
        func status(_ format: sdimage_format, _ change: (OpaquePointer?) -> Void) -> sdimage_status {
            do { _ = try encode(gray, format, change) } catch let failure as CallFailure { return failure.status } catch {}
            return .SDIMAGE_STATUS_OK
        }
        for format: sdimage_format in [
            .SDIMAGE_FORMAT_JPEG, .SDIMAGE_FORMAT_WEBP, .SDIMAGE_FORMAT_GIF, .SDIMAGE_FORMAT_BMP, .SDIMAGE_FORMAT_ICO,
        ] {
            for transfer in HDRTransferTests.transfers {
                let refused = status(format) { sdimage_encode_options_set_transfer_characteristics($0, transfer) }
                #expect(refused == .SDIMAGE_STATUS_UNSUPPORTED)
            }
            #expect(status(format) { sdimage_encode_options_set_bits_per_channel($0, 16) } == .SDIMAGE_STATUS_UNSUPPORTED)
            #expect(status(format) { sdimage_encode_options_set_bits_per_channel($0, 8) } == .SDIMAGE_STATUS_OK)
        }
        // Without a format, one that can is chosen.
        let file = try encode(gray, .SDIMAGE_FORMAT_UNKNOWN) {
            sdimage_encode_options_set_transfer_characteristics($0, .SDIMAGE_TRANSFER_CHARACTERISTICS_PQ)
        }
        #expect(chunks("cICP", file).count == 1)
        #expect(
            status(.SDIMAGE_FORMAT_PNG) { sdimage_encode_options_set_bits_per_channel($0, 10) } == .SDIMAGE_STATUS_UNSUPPORTED)
        #expect(
            status(.SDIMAGE_FORMAT_PNG) { sdimage_encode_options_set_bits_per_channel($0, 9) } == .SDIMAGE_STATUS_INVALID_ARGUMENT
        )
    }

    // MARK: Decoding

    @Test(arguments: transfers) func everyImageIsDecodedToTheTransfer(_ transfer: sdimage_transfer_characteristics) throws {
        let code = UInt32(transfer.rawValue)
        let grays = try image([UInt8]([255, 0, 188]), .SDIMAGE_PIXEL_FORMAT_GRAY8)
        let file = try encode(grays) { _ in }
        let plain = try decode(file) { sdimage_decode_options_set_transfer_characteristics($0, transfer) }
        #expect(sdimage_image_pixel_format(plain.pointer) == .SDIMAGE_PIXEL_FORMAT_RGB16)
        #expect(sdimage_image_transfer_characteristics(plain.pointer) == code)
        #expect(sdimage_image_color_primaries(plain.pointer) == 9)
        #expect(!sdimage_image_is_hdr(plain.pointer))
        let half = pow((188 / 255.0 + 0.055) / 1.055, 2.4)
        let wanted = [1.0, 0.0, half].flatMap { (light: Double) -> [UInt16] in signal([light, light, light], transfer) }
        #expect(isClose(row(plain, of: UInt16.self), wanted), "\(row(plain, of: UInt16.self)) \(wanted)")
    }

    @Test func brightImagesKeepTheirLight() throws {
        let light: [Float] = [4, 4, 4, 1, 0.5, 0.25, 0.125, 1]
        let bright = try opaque(try image(light, .SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT))
        for (from, to) in zip(HDRTransferTests.transfers, HDRTransferTests.transfers.reversed()) {
            let file = try encode(bright) { sdimage_encode_options_set_transfer_characteristics($0, from) }
            let image = try decode(file) {
                sdimage_decode_options_set_transfer_characteristics($0, to)
                sdimage_decode_options_set_pixel_format($0, .SDIMAGE_PIXEL_FORMAT_RGBA16)
            }
            #expect(sdimage_image_is_hdr(image.pointer))
            #expect(sdimage_image_pixel_format(image.pointer) == .SDIMAGE_PIXEL_FORMAT_RGBA16)
            // An image in PQ or HLG is written as it is, and has the same light.
            let again = try decode(try encode(image) { _ in }) {
                sdimage_decode_options_set_pixel_format($0, .SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT)
            }
            #expect(isClose(row(again, of: Float.self), light, relative: 0.005))
        }
    }

    @Test func gainMapsAreApplied() throws {
        let file = try Fixtures.bytes("hdr/sunset.jpg")
        let light = try decode(file) { sdimage_decode_options_set_dynamic_range($0, .SDIMAGE_DYNAMIC_RANGE_HDR) }
        let signals = try decode(file) {
            sdimage_decode_options_set_dynamic_range($0, .SDIMAGE_DYNAMIC_RANGE_HDR)
            sdimage_decode_options_set_transfer_characteristics($0, .SDIMAGE_TRANSFER_CHARACTERISTICS_PQ)
        }
        #expect(
            sdimage_image_is_hdr(signals.pointer) && sdimage_image_pixel_format(signals.pointer) == .SDIMAGE_PIXEL_FORMAT_RGB16)
        let back = try decode(try encode(signals) { _ in }) {
            sdimage_decode_options_set_pixel_format($0, .SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT)
        }
        #expect(isClose(row(back, of: Float.self), row(light, of: Float.self), relative: 0.02))
        let small = try decode(file) {
            sdimage_decode_options_set_dynamic_range($0, .SDIMAGE_DYNAMIC_RANGE_HDR)
            sdimage_decode_options_set_transfer_characteristics($0, .SDIMAGE_TRANSFER_CHARACTERISTICS_HLG)
            sdimage_decode_options_set_thumbnail_size($0, 60, 60, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
        }
        #expect(sdimage_image_width(small.pointer) == 60 && sdimage_image_transfer_characteristics(small.pointer) == 18)
    }

    @Test func decodersGiveTheSameImage() throws {
        let file = try Fixtures.bytes("hdr/sunset.jpg")
        let options = decodeOptions {
            sdimage_decode_options_set_transfer_characteristics($0, .SDIMAGE_TRANSFER_CHARACTERISTICS_HLG)
        }
        let whole = try make(sdimage_image_unref) { sdimage_decode(file, file.count, options.pointer, $0, $1) }
        let decoder = try Feeding(options)
        decoder.append(file, finished: true)
        let image = try make(sdimage_image_unref) { sdimage_decoder_get_image(decoder.decoder.pointer, $0, $1) }
        #expect(Seen(image.pointer) == Seen(whole.pointer))
        #expect(sdimage_image_transfer_characteristics(image.pointer) == 18)
    }

    @Test func framesHaveTheTransfer() throws {
        let file = try MovingPicture.bytes(of: [0, 255], .SDIMAGE_FORMAT_GIF)
        let image = try decode(file) {
            sdimage_decode_options_set_transfer_characteristics($0, .SDIMAGE_TRANSFER_CHARACTERISTICS_HLG)
        }
        let frame = try make(sdimage_image_unref) { sdimage_image_get_frame(image.pointer, 1, $0, $1) }
        #expect(sdimage_image_transfer_characteristics(frame.pointer) == 18)
        #expect(isClose(Array(row(frame, of: UInt16.self).prefix(3)), signal([1, 1, 1], .SDIMAGE_TRANSFER_CHARACTERISTICS_HLG)))
    }

    @Test func limitsApplyToTheResult() throws {
        let file = try encode(try DrawnPicture.draw(40, 40, .SDIMAGE_PIXEL_FORMAT_RGB8) { _, _ in [9, 8, 7] }) { _ in }
        let image = try decode(file) {
            sdimage_decode_options_set_transfer_characteristics($0, .SDIMAGE_TRANSFER_CHARACTERISTICS_PQ)
            sdimage_decode_options_set_limit_bytes($0, 16 * 16 * 8)
        }
        #expect(DrawnPicture.size(image) == [16, 16])
        let failure = #expect(throws: CallFailure.self) {
            try decode(file) {
                sdimage_decode_options_set_transfer_characteristics($0, .SDIMAGE_TRANSFER_CHARACTERISTICS_PQ)
                sdimage_decode_options_set_max_bytes($0, 40 * 40 * 6)
            }
        }
        // Rows are padded to 64 bytes.
        #expect(failure?.status == .SDIMAGE_STATUS_TOO_LARGE)
    }

    @Test func otherPixelFormatsAreRefused() throws {
        for format: sdimage_pixel_format in [
            .SDIMAGE_PIXEL_FORMAT_RGB8, .SDIMAGE_PIXEL_FORMAT_GRAY16, .SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT,
        ] {
            let failure = #expect(throws: CallFailure.self) {
                try decode(makePNG(width: 2, height: 2)) {
                    sdimage_decode_options_set_transfer_characteristics($0, .SDIMAGE_TRANSFER_CHARACTERISTICS_PQ)
                    sdimage_decode_options_set_pixel_format($0, format)
                }
            }
            #expect(failure?.status == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        }
    }
}
