import CSDImage
import TestSupport
import Testing

/// JPEG files with corrupt pixel data.
@Suite struct DamagedImageTests {
    /// A JPEG whose pixel data is interrupted.
    static func damagedJPEG(width: UInt32, height: UInt32) throws -> [UInt8] {
        var randoms = Randoms(seed: UInt64(width))
        let pixels = (0..<Int(width * height) * 3).map { _ in UInt8(randoms.below(256)) }
        let image = try make(sdimage_image_unref) {
            sdimage_image_new(width, height, Int(width) * 3, .SDIMAGE_PIXEL_FORMAT_RGB8, pixels, $0, $1)
        }
        let data = try make(sdimage_data_unref) { sdimage_encode(image.pointer, .SDIMAGE_FORMAT_JPEG, nil, $0, $1) }
        var file = Array(
            UnsafeRawBufferPointer(start: sdimage_data_bytes(data.pointer), count: sdimage_data_length(data.pointer)))
        // A marker that ends the data of the scan.
        file.replaceSubrange(file.count / 2..<file.count / 2 + 2, with: [0xFF, 0xD3])
        return file
    }

    private let file = try? DamagedImageTests.damagedJPEG(width: 200, height: 160)

    @Test(arguments: [0, 7, 4096]) func aCompleteFileIsDeliveredAndMarked(piece: Int) throws {
        let file = try #require(file)
        let image = try make(sdimage_image_unref) { sdimage_decode(file, file.count, nil, $0, $1) }
        #expect(sdimage_image_width(image.pointer) == 200)
        #expect(sdimage_image_is_damaged(image.pointer))
        #expect(!sdimage_image_is_incremental(image.pointer))
        guard piece > 0 else { return }
        let feeding = try Feeding()
        for start in stride(from: 0, to: file.count, by: piece) {
            feeding.append(file[start..<min(file.count, start + piece)])
        }
        feeding.append([], finished: true)
        #expect(feeding.look() == .picture(Seen(image.pointer)))
    }

    @Test func aFileWithoutItsEndIsTruncated() throws {
        let cut = try #require(file).dropLast(2)
        #expect(Outcome.whole(Array(cut)).status == .SDIMAGE_STATUS_TRUNCATED)
        let options = decodeOptions { sdimage_decode_options_set_accept_partial($0, true) }
        #expect(Outcome.whole(Array(cut), options).seen?.isIncremental == true)
    }

    @Test func anIntactImageIsNotDamaged() throws {
        let file = try Fixtures.bytes("jpeg/large.jpg")
        let image = try make(sdimage_image_unref) { sdimage_decode(file, file.count, nil, $0, $1) }
        #expect(!sdimage_image_is_damaged(image.pointer))
        #expect(!sdimage_image_is_damaged(nil))
    }

    @Test func cachesKeepTheImageAndItsMark() throws {
        let folder = TemporaryDirectory()
        let cache = try makeCache(in: folder)
        let loader = try ScriptedLoader.answering(try #require(file)).makeLoader()
        let manager = try makeManager(cache: cache, loader: loader)
        for source in [
            sdimage_image_source.SDIMAGE_IMAGE_SOURCE_LOADER, .SDIMAGE_IMAGE_SOURCE_MEMORY, .SDIMAGE_IMAGE_SOURCE_DISK,
        ] {
            if source == .SDIMAGE_IMAGE_SOURCE_DISK {
                _ = sdimage_cache_clear(cache.pointer, .SDIMAGE_CACHE_LAYERS_MEMORY, nil)
            }
            let request = makeRequest("test://h/damaged.jpg")
            sdimage_request_set_wait_for_store(request.pointer, true)
            let result = try make(sdimage_result_unref) {
                sdimage_manager_load_sync(manager.pointer, request.pointer, $0, $1)
            }
            #expect(sdimage_result_source(result.pointer) == source)
            #expect(sdimage_image_is_damaged(sdimage_result_image(result.pointer)))
        }
    }
}
