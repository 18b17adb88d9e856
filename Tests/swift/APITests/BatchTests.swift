import CSDImage
import Foundation
import SDImage
import TestSupport
import Testing

/// Many images in one array.
@Suite struct BatchTests {
    /// The side of all images, and a byte value that no image contains.
    private static let side = 4
    private static let untouched: UInt8 = 7

    private static let red: [UInt8] = [200, 30, 60]

    private func options(_ width: UInt32 = 4, _ height: UInt32 = 4) -> Owned {
        Owned(sdimage_batch_options_new(width, height)) { sdimage_batch_options_unref($0) }
    }

    private func arraySize(_ options: Owned, _ count: Int) -> Int {
        withExtendedLifetime(options) { sdimage_batch_options_array_size(options.pointer, count) }
    }

    /// A manager whose loader responds to the last path component with the image of that name, or with NOT_FOUND.
    private func manager(_ pictures: [String: [UInt8]], cache: Owned? = nil) throws -> Owned {
        let loader = ScriptedLoader { request, sink in
            let url = String(cString: sdimage_request_url(request, nil))
            guard let bytes = pictures.first(where: { url.hasSuffix($0.key) })?.value else { return .SDIMAGE_STATUS_NOT_FOUND }
            let status = sdimage_load_sink_write(sink, bytes, bytes.count, nil)
            sdimage_load_sink_finish(sink, nil)
            return status
        }
        return try makeManager(cache: cache, loader: try loader.makeLoader())
    }

    /// Loads a batch until it ends, and returns the contents of the array.
    private func load(
        _ manager: Owned, _ options: Owned, _ urls: [String], size: Int? = nil, listener: PrefetchListener? = nil
    ) throws -> (bytes: [UInt8], group: Owned) {
        let size = size ?? sdimage_batch_options_array_size(options.pointer, urls.count)
        var bytes = [UInt8](repeating: BatchTests.untouched, count: size)
        let group = try bytes.withUnsafeMutableBytes { memory in
            let group = try #require(try start(manager, options, urls, memory.baseAddress, size, listener))
            #expect(sdimage_prefetch_group_wait(group.pointer, .max, nil) == .SDIMAGE_STATUS_OK)
            return group
        }
        return (bytes, group)
    }

    private func start(
        _ manager: Owned, _ options: Owned, _ urls: [String], _ memory: UnsafeMutableRawPointer?, _ size: Int,
        _ listener: PrefetchListener? = nil
    ) throws -> Owned? {
        try PrefetchListener.withTexts(urls) { texts in
            var group: OpaquePointer?
            var error: OpaquePointer?
            var handler = listener?.handler() ?? sdimage_prefetch_handler()
            handler.size = MemoryLayout<sdimage_prefetch_handler>.size
            let status = sdimage_manager_load_batch(
                manager.pointer, options.pointer, texts.baseAddress, nil, texts.count, memory, size, &handler,
                listener?.retained(), listener == nil ? nil : PrefetchListener.destroy, &group, &error)
            guard status == .SDIMAGE_STATUS_OK else { throw CallFailure(status, error) }
            return group.map { Owned($0) { sdimage_prefetch_group_unref($0) } }
        }
    }

    private func failures(_ group: Owned) -> [Int: sdimage_status] {
        var found: [Int: sdimage_status] = [:]
        for number in 0..<sdimage_prefetch_group_skipped_count(group.pointer) {
            var index = 0
            var failure: OpaquePointer?
            #expect(
                sdimage_prefetch_group_get_failure(group.pointer, number, &index, &failure, nil) == .SDIMAGE_STATUS_OK)
            found[index] = sdimage_error_code(failure)
            sdimage_error_unref(failure)
        }
        return found
    }

    /// Columns of red, green and blue, each a third of `width`.
    private func flag(width: Int, height: Int) throws -> [UInt8] {
        let image = try DrawnPicture.draw(width, height, .SDIMAGE_PIXEL_FORMAT_RGB8) { x, _ in
            [x * 3 < width ? 255 : 0, (width..<2 * width).contains(x * 3) ? 255 : 0, x * 3 >= 2 * width ? 255 : 0]
        }
        return try encode(image)
    }

    private func encode(_ image: Owned) throws -> [UInt8] {
        let data = try make(sdimage_data_unref) { sdimage_encode(image.pointer, .SDIMAGE_FORMAT_PNG, nil, $0, $1) }
        return Array(UnsafeRawBufferPointer(start: sdimage_data_bytes(data.pointer), count: sdimage_data_length(data.pointer)))
    }

    @Test func everyPictureGoesToItsPlaceAndFailuresAreToldByIndex() throws {
        let manager = try manager(["red": makePNG(width: 40, height: 30), "bad": Array("<html>".utf8)])
        let (bytes, group) = try load(manager, options(), ["test://red", "test://none", "test://bad", "test://red"])
        let place = 4 * 4 * 3
        let whole = (0..<16).flatMap { _ in BatchTests.red }
        #expect(bytes.count == 4 * place)
        #expect(Array(bytes[..<place]) == whole)
        #expect(bytes[place..<3 * place].allSatisfy { $0 == BatchTests.untouched })
        #expect(Array(bytes[(3 * place)...]) == whole)
        #expect(failures(group) == [1: .SDIMAGE_STATUS_NOT_FOUND, 2: .SDIMAGE_STATUS_NOT_AN_IMAGE])
    }

    @Test func thePictureCoversFitsOrFillsItsPlace() throws {
        let manager = try manager(["flag": try flag(width: 48, height: 16)])
        let options = options()
        func row(_ y: Int) throws -> [[UInt8]] {
            let bytes = try load(manager, options, ["test://flag"]).bytes
            return (0..<4).map { Array(bytes[(y * 4 + $0) * 3..<(y * 4 + $0) * 3 + 3]) }
        }
        // Aspect fill, cropped to the green middle.
        #expect(try row(1) == [[0, 255, 0], [0, 255, 0], [0, 255, 0], [0, 255, 0]])
        sdimage_batch_options_set_scale_mode(options.pointer, .SDIMAGE_SCALE_MODE_FILL)
        let stretched = try row(0)
        #expect(stretched[0][0] > 200 && stretched[3][2] > 200)
        sdimage_batch_options_set_scale_mode(options.pointer, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
        sdimage_batch_options_set_background_color(options.pointer, sdimage_color(red: 1, green: 1, blue: 0, alpha: 0))
        #expect(try row(0) == [[UInt8]](repeating: [255, 255, 0], count: 4))
        #expect(try row(3) == [[UInt8]](repeating: [255, 255, 0], count: 4))
        let middle = try row(1) + row(2)
        #expect(middle.contains { $0[0] > 200 && $0[1] < 60 })
    }

    @Test func aSmallPictureIsEnlargedAndAScaleInItsNameDoesNotCount() throws {
        let manager = try manager(["a@2x.png": makePNG(width: 2, height: 2)])
        let bytes = try load(manager, options(), ["test://a@2x.png"]).bytes
        #expect(bytes == (0..<16).flatMap { _ in BatchTests.red })
    }

    @Test func clearPixelsShowTheBackgroundWhereTheFormatHasNoAlpha() throws {
        let half = try DrawnPicture.draw(8, 8, .SDIMAGE_PIXEL_FORMAT_RGBA8) { x, _ in x < 4 ? [255, 0, 0, 255] : [9, 9, 9, 0] }
        let manager = try manager(["half": try encode(half)])
        let options = options(8, 8)
        let formats: [(sdimage_pixel_format, Int, [UInt8], [UInt8])] = [
            (.SDIMAGE_PIXEL_FORMAT_RGB8, 3, [255, 0, 0], [0, 0, 255]),
            (.SDIMAGE_PIXEL_FORMAT_RGB16, 6, [255, 255, 0, 0, 0, 0], [0, 0, 0, 0, 255, 255]),
            (.SDIMAGE_PIXEL_FORMAT_GRAY8, 1, [76], [29]),
            (.SDIMAGE_PIXEL_FORMAT_RGBA8, 4, [255, 0, 0, 255], [9, 9, 9, 0]),
            (.SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED, 4, [0, 0, 255, 255], [0, 0, 0, 0]),
        ]
        sdimage_batch_options_set_background_color(options.pointer, sdimage_color(red: 0, green: 0, blue: 1, alpha: 1))
        for (format, size, left, right) in formats {
            sdimage_batch_options_set_pixel_format(options.pointer, format)
            let bytes = try load(manager, options, ["test://half"]).bytes
            #expect(bytes.count == 64 * size)
            #expect(Array(bytes[..<size]) == left, "\(format)")
            #expect(Array(bytes[(7 * size)..<(8 * size)]) == right, "\(format)")
        }
    }

    @Test func bytesBetweenRowsAndPicturesAreLeftAlone() throws {
        let manager = try manager(["red": makePNG(width: 9, height: 9)])
        let options = options(2, 2)
        sdimage_batch_options_set_strides(options.pointer, 8, 20)
        #expect(sdimage_batch_options_array_size(options.pointer, 2) == 20 + 8 + 6)
        let bytes = try load(manager, options, ["test://red", "test://red"]).bytes
        let row = BatchTests.red + BatchTests.red
        let gap = [UInt8](repeating: BatchTests.untouched, count: 2)
        let picture = row + gap + row
        #expect(bytes == picture + [UInt8](repeating: BatchTests.untouched, count: 6) + picture)
    }

    @Test func theRequestsTransformerComesFirst() throws {
        let manager = try manager(["flag": try flag(width: 48, height: 16)])
        let request = makeRequest("")
        let crop = try make(sdimage_transformer_unref) {
            sdimage_transformer_new_crop(sdimage_rect(x: 0, y: 0, width: 16, height: 16), $0, $1)
        }
        sdimage_request_add_transformer(request.pointer, crop.pointer)
        let options = options()
        sdimage_batch_options_set_request(options.pointer, request.pointer)
        let bytes = try load(manager, options, ["test://flag"]).bytes
        #expect(bytes == (0..<16).flatMap { _ in [255, 0, 0] as [UInt8] })
    }

    /// Resizing an image whose transformer failed happens outside its load.
    @Test func bringingAPictureToItsSizeHasATimeLimit() throws {
        let failing = CountingTransformer(width: 5, failure: .SDIMAGE_STATUS_TRANSFORM_FAILED)
        let transformer = try failing.makeTransformer(key: "never")
        let manager = try manager(["red": makePNG(width: 40, height: 30)])
        let request = makeRequest("")
        sdimage_request_add_transformer(request.pointer, transformer.pointer)
        let options = options()
        sdimage_batch_options_set_request(options.pointer, request.pointer)
        let late = try CallTimeLimits.$frame.withValue(0) { try load(manager, options, ["test://red"]).group }
        #expect(failures(late) == [0: .SDIMAGE_STATUS_TIMEOUT])
        #expect(failures(try load(manager, options, ["test://red"]).group).isEmpty)
    }

    @Test func whatWasLoadedIsTakenFromMemory() throws {
        let cache = try makeCache(in: nil)
        let manager = try manager(["red": makePNG(width: 40, height: 30)], cache: cache)
        _ = try load(manager, options(), ["test://red"])
        let listener = PrefetchListener()
        let bytes = try load(manager, options(), ["test://red"], listener: listener).bytes
        #expect(listener.waitForCompletion())
        #expect(listener.log.first == "fetched 0 memory")
        #expect(bytes == (0..<16).flatMap { _ in BatchTests.red })
    }

    @Test func afterCancellingTheArrayIsTheCallersAgain() throws {
        let held = HeldLoader()
        let manager = try makeManager(cache: nil, loader: try held.makeLoader())
        let options = options()
        let size = sdimage_batch_options_array_size(options.pointer, 3)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: BatchTests.untouched, count: size)
        let listener = PrefetchListener()
        let group = try #require(
            try start(manager, options, ["test://a", "test://b", "test://c"], memory, size, listener))
        let sinks = (0..<3).map { _ in held.next() }
        sdimage_prefetch_group_cancel(group.pointer)
        #expect(UnsafeRawBufferPointer(start: memory, count: size).allSatisfy { $0 == BatchTests.untouched })
        memory.deallocate()  // the address sanitizer would report a late write
        let png = makePNG(width: 9, height: 9)
        for sink in sinks {
            _ = sdimage_load_sink_write(sink, png, png.count, nil)
            sdimage_load_sink_finish(sink, nil)
            sdimage_load_sink_unref(sink)
        }
        #expect(listener.waitForCompletion())
        #expect(listener.completed == ["completed 0 0 CANCELLED"])
        #expect(listener.waitForDestroy())
    }

    @Test func whatMakesNoSenseIsRefused() throws {
        let manager = try manager([:])
        func refusal(_ options: Owned, size: Int = 1 << 20, offset: Int = 0, isNull: Bool = false) throws -> sdimage_status {
            let memory = UnsafeMutableRawPointer.allocate(byteCount: 1 << 20, alignment: 16)
            defer { memory.deallocate() }
            let listener = PrefetchListener()
            do {
                let group = try start(manager, options, ["test://x"], isNull ? nil : memory + offset, size, listener)
                sdimage_prefetch_group_cancel(group?.pointer)
            } catch let failure as CallFailure {
                #expect(listener.waitForDestroy())
                return failure.status
            }
            return .SDIMAGE_STATUS_OK
        }
        let invalid = sdimage_status.SDIMAGE_STATUS_INVALID_ARGUMENT
        #expect(try refusal(options(0, 4)) == invalid)
        #expect(arraySize(options(0, 4), 1) == 0)
        #expect(try refusal(options(.max, .max)) == invalid)
        #expect(arraySize(options(), .max) == 0)
        #expect(arraySize(options(), 2) == 96)
        #expect(try refusal(options(), size: 47) == invalid)
        #expect(try refusal(options(), isNull: true) == invalid)
        let narrow = options()
        sdimage_batch_options_set_strides(narrow.pointer, 11, 0)
        #expect(try refusal(narrow) == invalid)
        let overlapping = options()
        sdimage_batch_options_set_strides(overlapping.pointer, 0, 47)
        #expect(try refusal(overlapping) == invalid)
        let beyond = options()
        sdimage_batch_options_set_strides(beyond.pointer, -1, 0)
        #expect(try refusal(beyond) == invalid)
        let wide = options()
        sdimage_batch_options_set_pixel_format(wide.pointer, .SDIMAGE_PIXEL_FORMAT_RGB16)
        #expect(try refusal(wide, offset: 1) == invalid)
        #expect(sdimage_manager_close(manager.pointer, 1000, nil) == .SDIMAGE_STATUS_OK)
        #expect(try refusal(options()) == .SDIMAGE_STATUS_SHUTDOWN)
    }

    @Test func anEmptyListIsComplete() throws {
        let listener = PrefetchListener()
        #expect(try start(try manager([:]), options(), [], nil, 0, listener) == nil)
        #expect(listener.waitForCompletion())
        #expect(listener.completed == ["completed 0 0"])
    }
}

/// Thumbnails that cover their box.
@Suite struct CoveringThumbnailTests {
    private func thumbnail(_ bytes: [UInt8], _ width: UInt32, _ height: UInt32) throws -> [UInt32] {
        let options = Owned(sdimage_decode_options_new()) { sdimage_decode_options_unref($0) }
        sdimage_decode_options_set_thumbnail_size(options.pointer, width, height, .SDIMAGE_SCALE_MODE_ASPECT_FILL)
        #expect(sdimage_decode_options_thumbnail_mode(options.pointer) == .SDIMAGE_SCALE_MODE_ASPECT_FILL)
        let image = try make(sdimage_image_unref) { sdimage_decode(bytes, bytes.count, options.pointer, $0, $1) }
        return DrawnPicture.size(image)
    }

    @Test func theBoxIsCoveredAndNothingIsEnlarged() throws {
        let wide = makePNG(width: 60, height: 20)
        #expect(try thumbnail(wide, 10, 10) == [30, 10])
        #expect(try thumbnail(makePNG(width: 20, height: 60), 10, 10) == [10, 30])
        #expect(try thumbnail(wide, 30, 10) == [30, 10])
        // A box that the image cannot cover when scaled down: full size.
        #expect(try thumbnail(wide, 10, 20) == [60, 20])
        #expect(try thumbnail(wide, 100, 10) == [60, 20])
    }

    @Test func everyFormatCoversTheBox() throws {
        let image = try DrawnPicture.draw(64, 32, .SDIMAGE_PIXEL_FORMAT_RGB8) { x, y in [UInt8(x * 4), UInt8(y * 8), 90] }
        for format: sdimage_format in [
            .SDIMAGE_FORMAT_JPEG, .SDIMAGE_FORMAT_PNG, .SDIMAGE_FORMAT_GIF, .SDIMAGE_FORMAT_WEBP, .SDIMAGE_FORMAT_BMP,
        ] {
            let data = try make(sdimage_data_unref) { sdimage_encode(image.pointer, format, nil, $0, $1) }
            let bytes = Array(
                UnsafeRawBufferPointer(start: sdimage_data_bytes(data.pointer), count: sdimage_data_length(data.pointer)))
            #expect(try thumbnail(bytes, 8, 8) == [16, 8], "\(format)")
        }
    }

    @Test func aCoveringThumbnailHasAKeyOfItsOwn() throws {
        let manager = try makeManager(cache: nil)
        let request = makeRequest("test://a.png")
        sdimage_request_set_thumbnail_size(request.pointer, 8, 8, .SDIMAGE_SCALE_MODE_ASPECT_FILL)
        let key = try make(sdimage_data_unref) { sdimage_manager_get_cache_key(manager.pointer, request.pointer, $0, $1) }
        let text = String(
            decoding: UnsafeRawBufferPointer(start: sdimage_data_bytes(key.pointer), count: sdimage_data_length(key.pointer)),
            as: UTF8.self)
        #expect(text.contains("Thumbnail") && text.contains("2)"))
    }
}
