import CSDImage
import TestSupport
import Testing

/// Arguments of type `size_t` from 2^63 on, which Swift imports as negative numbers: -1 is SIZE_MAX, `.min` is 2^63.
@Suite struct SizeArgumentTests {
    private let folder = TemporaryDirectory()

    private static let large = [-1, Int.min]

    private func picture() throws -> Owned { try DrawnPicture.draw(2, 2, .SDIMAGE_PIXEL_FORMAT_RGB8) { _, _ in [1, 2, 3] } }

    /// The message of a call that fails with INVALID_ARGUMENT.
    private func refusal(_ call: (UnsafeMutablePointer<OpaquePointer?>) -> sdimage_status) -> String {
        var error: OpaquePointer?
        #expect(call(&error) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        defer { sdimage_error_unref(error) }
        return String(cString: sdimage_error_message(error))
    }

    @Test(arguments: large) func limitsBecomeTheMaximum(size: Int) throws {
        let decode = decodeOptions {
            sdimage_decode_options_set_max_bytes($0, size)
            sdimage_decode_options_set_limit_bytes($0, size)
        }
        #expect(sdimage_decode_options_max_bytes(decode.pointer) == .max)
        #expect(sdimage_decode_options_limit_bytes(decode.pointer) == .max)
        #expect(Outcome.whole(makePNG(width: 3, height: 2), decode).seen?.width == 3)
        let encode = Owned(sdimage_encode_options_new()) { sdimage_encode_options_unref($0) }
        sdimage_encode_options_set_max_file_size(encode.pointer, size)
        #expect(sdimage_encode_options_max_file_size(encode.pointer) == .max)
        let downloader = Owned(sdimage_downloader_config_new()) { sdimage_downloader_config_unref($0) }
        sdimage_downloader_config_set_max_body_bytes(downloader.pointer, size)
        #expect(sdimage_downloader_config_max_body_bytes(downloader.pointer) == .max)
        let request = makeRequest("test://a")
        sdimage_request_set_max_body_bytes(request.pointer, size)
        #expect(sdimage_request_max_body_bytes(request.pointer) == .max)
    }

    @Test func limitsOfACacheBecomeTheMaximum() throws {
        let config = Owned(sdimage_cache_config_new()) { sdimage_cache_config_unref($0) }
        sdimage_cache_config_set_directory(config.pointer, folder.path)
        sdimage_cache_config_set_max_memory_cost(config.pointer, -1)
        sdimage_cache_config_set_max_memory_count(config.pointer, -1)
        sdimage_cache_config_set_inline_entry_limit(config.pointer, -1)
        #expect(sdimage_cache_config_max_memory_cost(config.pointer) == .max)
        #expect(sdimage_cache_config_max_memory_count(config.pointer) == .max)
        #expect(sdimage_cache_config_inline_entry_limit(config.pointer) == .max)
        let cache = try make(sdimage_cache_unref) { sdimage_cache_new(config.pointer, $0, $1) }
        let data = try make(sdimage_data_unref) { sdimage_data_new("bytes", 5, $0, $1) }
        for key in ["a", "b", "c"] {
            #expect(sdimage_cache_store_data(cache.pointer, key, -1, data.pointer, nil) == .SDIMAGE_STATUS_OK)
        }
        let page = try make(sdimage_cache_page_unref) { sdimage_cache_list(cache.pointer, nil, nil, -1, $0, $1) }
        #expect(sdimage_cache_page_count(page.pointer) == 3)
        #expect(!sdimage_cache_page_is_file(page.pointer, 0))
        let image = try picture()
        sdimage_cache_set_memory_limits(cache.pointer, -1, -1)
        #expect(sdimage_cache_set_memory_image(cache.pointer, "a", -1, image.pointer, nil) == .SDIMAGE_STATUS_OK)
        #expect(sdimage_cache_contains(cache.pointer, "a", -1) == .SDIMAGE_CACHE_LAYERS_ALL)
    }

    @Test func aMemoryCostFrom2To63OnIsTheMaximum() throws {
        let image = try picture()
        let metadata = try make(sdimage_metadata_unref) { sdimage_image_copy_metadata(image.pointer, $0, $1) }
        sdimage_metadata_set_memory_cost(metadata.pointer, .min)
        #expect(sdimage_metadata_memory_cost(metadata.pointer) == .max)
        sdimage_metadata_set_memory_cost(metadata.pointer, -1)
        #expect(sdimage_metadata_memory_cost(metadata.pointer) == -1)
    }

    @Test(arguments: large) func capacitiesAreLargeEnough(size: Int) throws {
        let image = try picture()
        let same = try make(sdimage_image_unref) { sdimage_image_limit_bytes(image.pointer, size, $0, $1) }
        #expect(same.pointer == image.pointer)
        var colors = [sdimage_color](repeating: sdimage_color(), count: 4)
        #expect(sdimage_image_colors_in(image.pointer, 0, 0, 2, 2, &colors, size, nil) == .SDIMAGE_STATUS_OK)
        #expect(colors[3].alpha == 1)
        let options = Owned(sdimage_batch_options_new(2, 2)) { sdimage_batch_options_unref($0) }
        let manager = try makeManager(cache: nil)
        var group: OpaquePointer?
        #expect(
            sdimage_manager_load_batch(
                manager.pointer, options.pointer, nil, nil, 0, nil, size, nil, nil, nil, &group, nil) == .SDIMAGE_STATUS_OK)
        sdimage_prefetch_group_unref(group)
    }

    @Test func aLengthOfMemoryIsRefusedWithItsValue() throws {
        let data = try make(sdimage_data_unref) { sdimage_data_new("bytes", 5, $0, $1) }
        let source = try make(sdimage_source_unref) { sdimage_source_new_data(data.pointer, $0, $1) }
        var (buffer, count): ([UInt8], Int) = ([0], 0)
        #expect(
            refusal { sdimage_source_read(source.pointer, 0, &buffer, -1, &count, $0) }
                == "source: NULL buffer, or length exceeds the address space")
        var image: OpaquePointer?
        #expect(
            refusal { sdimage_image_new(1, 1, -1, .SDIMAGE_PIXEL_FORMAT_GRAY8, buffer, &image, $0) }
                == "image: stride of 18446744073709551615 bytes is shorter than a row or overflows")
        let resources = try make(sdimage_resources_unref) { sdimage_resources_new(folder.path, nil, $0, $1) }
        #expect(
            refusal { sdimage_resources_set_scales(resources.pointer, nil, -1, $0) }
                == "argument: list of 18446744073709551615 numbers, limit 67108864")
    }
}
