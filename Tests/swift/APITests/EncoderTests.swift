import CSDImage
import Foundation
import TestSupport
import Testing

/// Encoding through the C API: rules for every format, and PNG, GIF, BMP and ICO.
@Suite struct EncoderTests {
    // MARK: Calls

    private func image(_ width: Int, _ height: Int, _ color: (Int, Int) -> [UInt8]) throws -> Owned {
        let bytes = (0..<height).flatMap { y in (0..<width).flatMap { x in color(x, y) } }
        return try make(sdimage_image_unref) {
            sdimage_image_new(
                UInt32(width), UInt32(height), width * 4, .SDIMAGE_PIXEL_FORMAT_RGBA8, bytes, $0, $1)
        }
    }

    /// A drawing with few colors, which every format can store losslessly; `step` moves its rectangle.
    private func drawing(_ step: Int = 0, isClear: Bool = false) throws -> Owned {
        try image(48, 32) { x, y in
            if (step..<step + 9).contains(x), (4..<20).contains(y) { return [250, 40, 10, 255] }
            return isClear && y > 25 ? [0, 0, 0, 0] : [UInt8(x / 8 * 30), 90, UInt8(y / 8 * 60), 255]
        }
    }

    private func animation(_ frames: [Owned], _ durations: [UInt32], loops: UInt32 = 0) throws -> Owned {
        let pointers = frames.map { OpaquePointer?($0.pointer) }
        defer { withExtendedLifetime(frames) {} }
        return try make(sdimage_image_unref) {
            sdimage_image_new_animation(pointers, durations, pointers.count, loops, $0, $1)
        }
    }

    private func options(_ change: (OpaquePointer?) -> Void) -> Owned {
        let options = Owned(sdimage_encode_options_new()) { sdimage_encode_options_unref($0) }
        change(options.pointer)
        return options
    }

    private func encode(_ image: Owned?, _ format: sdimage_format, _ options: Owned? = nil) throws -> [UInt8] {
        let data = try make(sdimage_data_unref) { sdimage_encode(image?.pointer, format, options?.pointer, $0, $1) }
        return withExtendedLifetime((image, options, data)) {
            let start = sdimage_data_bytes(data.pointer)
            return Array(UnsafeRawBufferPointer(start: start, count: sdimage_data_length(data.pointer)))
        }
    }

    private func decode(_ bytes: [UInt8]) throws -> Owned {
        try make(sdimage_image_unref) { sdimage_decode(bytes, bytes.count, nil, $0, $1) }
    }

    private func color(_ image: Owned, _ x: UInt32, _ y: UInt32) throws -> [Int] {
        var color = sdimage_color()
        var error: OpaquePointer?
        let status = sdimage_image_color_at(image.pointer, x, y, &color, &error)
        guard status == .SDIMAGE_STATUS_OK else { throw CallFailure(status, error) }
        return [color.red, color.green, color.blue, color.alpha].map { Int(($0 * 255).rounded()) }
    }

    private func expectEqual(_ one: Owned, _ other: Owned) throws {
        for y in UInt32(0)..<32 { for x in UInt32(0)..<48 { #expect(try color(one, x, y) == color(other, x, y)) } }
    }

    private func status(_ body: () throws -> Void) -> sdimage_status? {
        do {
            try body()
            return nil
        } catch { return (error as? CallFailure)?.status }
    }

    static let exactFormats: [sdimage_format] = [
        .SDIMAGE_FORMAT_PNG, .SDIMAGE_FORMAT_GIF, .SDIMAGE_FORMAT_BMP, .SDIMAGE_FORMAT_ICO,
    ]
    static let movingFormats: [sdimage_format] = [.SDIMAGE_FORMAT_PNG, .SDIMAGE_FORMAT_GIF]

    // MARK: Stills

    @Test(arguments: exactFormats) func whatWasEncodedIsDecoded(_ format: sdimage_format) throws {
        for isClear in [false, true] {
            let drawn = try drawing(isClear: isClear)
            let bytes = try encode(drawn, format)
            #expect(sdimage_sniff(bytes, bytes.count) == format)
            try expectEqual(try decode(bytes), drawn)
        }
    }

    @Test func everyFormatThatIsWrittenSaysSo() {
        for format in EncoderTests.exactFormats { #expect(sdimage_can_encode(format)) }
        #expect(!sdimage_can_encode(.SDIMAGE_FORMAT_PDF))
    }

    @Test func aPictureWithAlphaBecomesPNGWhereNoFormatIsAsked() throws {
        let bytes = try encode(try drawing(isClear: true), .SDIMAGE_FORMAT_UNKNOWN)
        #expect(sdimage_sniff(bytes, bytes.count) == .SDIMAGE_FORMAT_PNG)
    }

    @Test func noImageIsAnError() throws {
        #expect(status { _ = try encode(nil, .SDIMAGE_FORMAT_PNG) } == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        let drawn = try drawing()
        #expect(sdimage_encode(drawn.pointer, .SDIMAGE_FORMAT_PNG, nil, nil, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
    }

    @Test func aFormatWithoutAnEncoderIsUnsupported() throws {
        let drawn = try drawing()
        #expect(status { _ = try encode(drawn, .SDIMAGE_FORMAT_PDF) } == .SDIMAGE_STATUS_UNSUPPORTED)
        let interlaced = options { sdimage_encode_options_set_progressive($0, true) }
        #expect(status { _ = try encode(drawn, .SDIMAGE_FORMAT_PNG, interlaced) } == .SDIMAGE_STATUS_UNSUPPORTED)
    }

    @Test func aPictureTooLargeForItsFormatIsRefused() throws {
        let wide = try image(300, 2) { x, _ in [UInt8(x & 255), 0, 0, 255] }
        #expect(status { _ = try encode(wide, .SDIMAGE_FORMAT_ICO) } == .SDIMAGE_STATUS_TOO_LARGE)
        let box = options { sdimage_encode_options_set_max_pixel_size($0, 150, 150) }
        let icon = try decode(try encode(wide, .SDIMAGE_FORMAT_ICO, box))
        #expect(sdimage_image_width(icon.pointer) == 150)
    }

    // MARK: Animations

    @Test(arguments: movingFormats) func anAnimationStaysOne(_ format: sdimage_format) throws {
        let frames = try [0, 9, 9, 20].map { try drawing($0) }
        let back = try decode(try encode(try animation(frames, [40, 100, 250, 70], loops: 3), format))
        #expect(sdimage_image_frame_count(back.pointer) == 4)
        #expect(sdimage_image_loop_count(back.pointer) == 3)
        for (index, duration) in [40, 100, 250, 70].enumerated() {
            #expect(sdimage_image_frame_duration_ms(back.pointer, UInt32(index)) == duration)
            let frame = try make(sdimage_image_unref) { sdimage_image_get_frame(back.pointer, UInt32(index), $0, $1) }
            try expectEqual(frame, frames[index])
        }
    }

    @Test(arguments: movingFormats) func optionsChangeWhatIsWrittenOfAnAnimation(_ format: sdimage_format) throws {
        let moving = try animation(try [0, 9].map { try drawing($0) }, [40, 40], loops: 3)
        let first = options { sdimage_encode_options_set_first_frame_only($0, true) }
        let still = try decode(try encode(moving, format, first))
        #expect(sdimage_image_frame_count(still.pointer) == 1)
        let loops = options { sdimage_encode_options_set_loop_count($0, 8) }
        let looped = try decode(try encode(moving, format, loops))
        #expect(sdimage_image_loop_count(looped.pointer) == 8)
        let metadata = try make(sdimage_metadata_unref) { sdimage_image_copy_metadata(moving.pointer, $0, $1) }
        sdimage_metadata_set_loop_count(metadata.pointer, 7)
        let again = try make(sdimage_image_unref) { sdimage_image_with_metadata(moving.pointer, metadata.pointer, $0, $1) }
        let changed = try decode(try encode(again, format))
        #expect(sdimage_image_loop_count(changed.pointer) == 7)
        let small = options { sdimage_encode_options_set_max_pixel_size($0, 24, 24) }
        let back = try decode(try encode(moving, format, small))
        #expect(sdimage_image_width(back.pointer) == 24 && sdimage_image_height(back.pointer) == 16)
        #expect(sdimage_image_frame_count(back.pointer) == 2)
    }

    @Test(arguments: [sdimage_format.SDIMAGE_FORMAT_BMP, .SDIMAGE_FORMAT_ICO])
    func otherFormatsTakeTheFirstFrame(_ format: sdimage_format) throws {
        let frames = try [5, 9].map { try drawing($0) }
        try expectEqual(try decode(try encode(try animation(frames, [40, 40]), format)), frames[0])
    }

    @Test func framesThatDifferInSizeAreNoAnimation() throws {
        let other = try image(2, 2) { _, _ in [0, 0, 0, 255] }
        #expect(status { _ = try animation([try drawing(), other], [1, 2]) } == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        #expect(status { _ = try animation([], []) } == .SDIMAGE_STATUS_INVALID_ARGUMENT)
    }

    // MARK: Files

    @Test func aFileIsWrittenInTheFormatOfItsName() throws {
        let directory = TemporaryDirectory()
        let drawn = try drawing()
        for (name, format) in [("a.PNG", sdimage_format.SDIMAGE_FORMAT_PNG), ("b.gif", .SDIMAGE_FORMAT_GIF)] {
            let path = directory.path + "/" + name
            #expect(sdimage_encode_file(drawn.pointer, path, .SDIMAGE_FORMAT_UNKNOWN, nil, nil) == .SDIMAGE_STATUS_OK)
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
            #expect(sdimage_sniff(bytes, bytes.count) == format)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).count == 2)
    }

    @Test func aFileThatCannotBeWrittenLeavesTheOldOne() throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/a.ico"
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path))
        let wide = try image(300, 2) { x, _ in [UInt8(x & 255), 0, 0, 255] }
        let drawn = try drawing()
        #expect(sdimage_encode_file(wide.pointer, path, .SDIMAGE_FORMAT_ICO, nil, nil) == .SDIMAGE_STATUS_TOO_LARGE)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data([1, 2, 3]))
        let nowhere = directory.path + "/none/a.png"
        #expect(sdimage_encode_file(drawn.pointer, nowhere, .SDIMAGE_FORMAT_PNG, nil, nil) == .SDIMAGE_STATUS_NOT_FOUND)
        #expect(sdimage_encode_file(drawn.pointer, nil, .SDIMAGE_FORMAT_PNG, nil, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["a.ico"])
    }

    @Test func aReplacedFileKeepsItsLinkAndItsPermissions() throws {
        let directory = TemporaryDirectory()
        // The longest name of Linux.
        let path = directory.path + "/" + String(repeating: "n", count: 251) + ".png"
        let link = directory.path + "/a.png", drawn = try drawing()
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path))
        chmod(path, 0o626)
        for written in [link, path] {
            #expect(sdimage_encode_file(drawn.pointer, written, .SDIMAGE_FORMAT_UNKNOWN, nil, nil) == .SDIMAGE_STATUS_OK)
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == path)
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
            #expect(sdimage_sniff(bytes, bytes.count) == .SDIMAGE_FORMAT_PNG)
            var status = stat()
            let result = stat(path, &status)
            #expect(result == 0 && status.st_mode & 0o777 == 0o626)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).count == 2)
    }

    @Test func anOpenFileIsWrittenInItsPlace() throws {
        let directory = TemporaryDirectory(), drawn = try drawing()
        let path = directory.path + "/a"
        try Data([UInt8](repeating: 1, count: 99_999)).write(to: URL(fileURLWithPath: path))
        let file = open(path, O_RDWR)
        defer { close(file) }
        let name = "/dev/fd/\(file)"
        #expect(sdimage_encode_file(drawn.pointer, name, .SDIMAGE_FORMAT_PNG, nil, nil) == .SDIMAGE_STATUS_OK)
        var opened = stat(), named = stat()
        let results = [fstat(file, &opened), stat(path, &named)]
        #expect(results == [0, 0] && opened.st_ino == named.st_ino)
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        #expect(sdimage_sniff(bytes, bytes.count) == .SDIMAGE_FORMAT_PNG && bytes.count < 99_999)
    }

    @Test(arguments: [
        ("a.JPG", sdimage_format.SDIMAGE_FORMAT_JPEG), ("/x.y/b.apng", .SDIMAGE_FORMAT_PNG), ("c.Gif", .SDIMAGE_FORMAT_GIF),
        ("d.dib", .SDIMAGE_FORMAT_BMP), ("e.cur", .SDIMAGE_FORMAT_ICO), ("png", .SDIMAGE_FORMAT_UNKNOWN),
        ("/x.png/f", .SDIMAGE_FORMAT_UNKNOWN), ("", .SDIMAGE_FORMAT_UNKNOWN), ("g.png.", .SDIMAGE_FORMAT_UNKNOWN),
    ])
    func aNameStandsForAFormat(name: String, format: sdimage_format) {
        #expect(sdimage_format_of_name(name) == format)
        #expect(sdimage_format_of_name(nil) == .SDIMAGE_FORMAT_UNKNOWN)
    }

    @Test func anUnknownFormatIsUnsupported() throws {
        let format = unsafeBitCast(99 as UInt32, to: sdimage_format.self)
        let drawn = try drawing(), directory = TemporaryDirectory()
        #expect(!sdimage_can_encode(format))
        #expect(status { _ = try encode(drawn, format) } == .SDIMAGE_STATUS_UNSUPPORTED)
        let path = directory.path + "/a.png"
        #expect(sdimage_encode_file(drawn.pointer, path, format, nil, nil) == .SDIMAGE_STATUS_UNSUPPORTED)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
    }

    // In a process of its own, because libjpeg reads the limit of its memory from the environment.
    @Test func anEncoderThatCannotStartIsClosedOnce() async {
        await #expect(processExitsWith: .success) { try EncoderTests().encodeWithoutMemory() }
    }

    /// Limits the memory of libjpeg to 1000 bytes (libjpeg.txt, "Memory management"), so that it cannot hold the coefficients.
    private func encodeWithoutMemory() throws {
        setenv("JPEGMEM", "1", 1)
        let drawn = try drawing()
        let options = options { sdimage_encode_options_set_progressive($0, true) }
        for _ in 0..<20 {
            let status = status { _ = try encode(drawn, .SDIMAGE_FORMAT_JPEG, options) }
            #expect(status == .SDIMAGE_STATUS_ENCODE_FAILED)
        }
    }

    @Test func theAlphaOfTheBackgroundIsIgnored() throws {
        func onBackground(red: Double, alpha: Double) -> Owned {
            options { sdimage_encode_options_set_background_color($0, sdimage_color(red: red, green: 0, blue: 0, alpha: alpha)) }
        }
        let drawn = try drawing(isClear: true)
        let red = onBackground(red: 1, alpha: 1)
        let odd = onBackground(red: 1, alpha: .nan)
        let bad = onBackground(red: .nan, alpha: 1)
        #expect(try encode(drawn, .SDIMAGE_FORMAT_JPEG, odd) == encode(drawn, .SDIMAGE_FORMAT_JPEG, red))
        #expect(status { _ = try encode(drawn, .SDIMAGE_FORMAT_JPEG, bad) } == .SDIMAGE_STATUS_INVALID_ARGUMENT)
    }

    @Test(arguments: [sdimage_format.SDIMAGE_FORMAT_GIF, .SDIMAGE_FORMAT_PNG, .SDIMAGE_FORMAT_WEBP])
    func framesOfAnotherSizeAreRefused(format: sdimage_format) throws {
        let frames = HostFrames([100, 100])
        let image = try frames.image()
        frames.side = 6
        #expect(status { _ = try encode(image, format) } == .SDIMAGE_STATUS_INVALID_ARGUMENT)
    }

    @Test func aColorOutsideIsAnError() throws {
        let drawn = try drawing()
        #expect(try color(drawn, 47, 31) == [150, 90, 180, 255])
        #expect(status { _ = try color(drawn, 48, 0) } == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        #expect(status { _ = try color(drawn, 0, 32) } == .SDIMAGE_STATUS_INVALID_ARGUMENT)
    }
}
