import CSDImage
import Foundation
import TestSupport
import Testing

/// Every property of options and metadata can be read.
@Suite struct OptionGetterTests {
    @Test func decodeOptions() {
        let options = Owned(sdimage_decode_options_new()) { sdimage_decode_options_unref($0) }
        expectProperty(
            options, sdimage_decode_options_set_format_hint, sdimage_decode_options_format_hint, .SDIMAGE_FORMAT_UNKNOWN,
            .SDIMAGE_FORMAT_AVIF)
        expectProperty(
            options, sdimage_decode_options_set_early_thumbnail, sdimage_decode_options_has_early_thumbnail, false, true)
        #expect(!sdimage_decode_options_has_scale(options.pointer))
        expectProperty(
            options, sdimage_decode_options_set_transfer_characteristics, sdimage_decode_options_transfer_characteristics,
            .SDIMAGE_TRANSFER_CHARACTERISTICS_DEFAULT, .SDIMAGE_TRANSFER_CHARACTERISTICS_PQ,
            .SDIMAGE_TRANSFER_CHARACTERISTICS_HLG)
        expectRestorable(options, sdimage_decode_options_set_scale, sdimage_decode_options_scale, 1, 2)
        #expect(!sdimage_decode_options_has_scale(options.pointer))
        sdimage_decode_options_set_scale(options.pointer, 1)
        #expect(sdimage_decode_options_has_scale(options.pointer))
    }

    @Test func encodeOptions() {
        let options = Owned(sdimage_encode_options_new()) { sdimage_encode_options_unref($0) }
        expectProperty(options, sdimage_encode_options_set_max_file_size, sdimage_encode_options_max_file_size, 0, 9)
        expectRestorable(options, sdimage_encode_options_set_max_work_ms, sdimage_encode_options_max_work_ms, 60_000, 9)
        expectProperty(options, sdimage_encode_options_set_progressive, sdimage_encode_options_is_progressive, false, true)
        expectProperty(
            options, sdimage_encode_options_set_chroma, sdimage_encode_options_chroma, .SDIMAGE_CHROMA_420, .SDIMAGE_CHROMA_422,
            .SDIMAGE_CHROMA_444)
        expectProperty(
            options, sdimage_encode_options_set_restart_markers, sdimage_encode_options_has_restart_markers, false, true)
        expectProperty(
            options, sdimage_encode_options_set_transfer_characteristics, sdimage_encode_options_transfer_characteristics,
            .SDIMAGE_TRANSFER_CHARACTERISTICS_DEFAULT, .SDIMAGE_TRANSFER_CHARACTERISTICS_HLG,
            .SDIMAGE_TRANSFER_CHARACTERISTICS_PQ)
        expectProperty(options, sdimage_encode_options_set_bits_per_channel, sdimage_encode_options_bits_per_channel, 0, 12)
        expectProperty(
            options, sdimage_encode_options_set_max_content_light_level, sdimage_encode_options_max_content_light_level, 0, 1000)
        expectProperty(
            options, sdimage_encode_options_set_max_frame_average_light_level,
            sdimage_encode_options_max_frame_average_light_level, 0, 400)
        expectProperty(options, sdimage_encode_options_set_max_colors, sdimage_encode_options_max_colors, 256, 2)
        expectProperty(options, sdimage_encode_options_set_dithering, sdimage_encode_options_dithering, 1, 0.5)
        #expect(sdimage_encode_options_max_pixel_size(options.pointer) == sdimage_size(width: 0, height: 0))
        sdimage_encode_options_set_max_pixel_size(options.pointer, 7, 9)
        #expect(sdimage_encode_options_max_pixel_size(options.pointer) == sdimage_size(width: 7, height: 9))
    }

    @Test func parametersOfLibwebpAreSetOrNot() {
        let options = Owned(sdimage_encode_options_new()) { sdimage_encode_options_unref($0) }
        var value = 5.0
        #expect(!sdimage_encode_options_get_webp(options.pointer, .SDIMAGE_WEBP_PARAMETER_METHOD, &value) && value == 0)
        sdimage_encode_options_set_webp(options.pointer, .SDIMAGE_WEBP_PARAMETER_METHOD, 6)
        #expect(sdimage_encode_options_get_webp(options.pointer, .SDIMAGE_WEBP_PARAMETER_METHOD, &value) && value == 6)
        #expect(!sdimage_encode_options_get_webp(options.pointer, .SDIMAGE_WEBP_PARAMETER_NONE, nil))
    }

    @Test func theLoopCountIsThatSetOrThatOfTheImage() throws {
        let options = Owned(sdimage_encode_options_new()) { sdimage_encode_options_unref($0) }
        #expect(sdimage_encode_options_loop_count(options.pointer, nil) == .max)
        let png = makePNG(width: 2, height: 2)
        let image = try make(sdimage_image_unref) { sdimage_decode(png, png.count, nil, $0, $1) }
        #expect(sdimage_encode_options_loop_count(options.pointer, image.pointer) == 0)
        sdimage_encode_options_set_loop_count(options.pointer, 3)
        #expect(sdimage_encode_options_loop_count(options.pointer, nil) == 3)
        #expect(sdimage_encode_options_loop_count(options.pointer, image.pointer) == 3)
        sdimage_encode_options_set_loop_count(options.pointer, .max)
        #expect(sdimage_encode_options_loop_count(options.pointer, nil) == .max)
    }

    @Test func metadata() throws {
        let png = makePNG(width: 2, height: 3)
        let image = try make(sdimage_image_unref) { sdimage_decode(png, png.count, nil, $0, $1) }
        let metadata = try make(sdimage_metadata_unref) { sdimage_image_copy_metadata(image.pointer, $0, $1) }
        expectProperty(metadata, sdimage_metadata_set_scale, sdimage_metadata_scale, 1, 2.5)
        expectProperty(
            metadata, sdimage_metadata_set_format, sdimage_metadata_format, .SDIMAGE_FORMAT_PNG, .SDIMAGE_FORMAT_GIF)
        expectProperty(
            metadata, sdimage_metadata_set_orientation, sdimage_metadata_orientation, .SDIMAGE_ORIENTATION_UP,
            .SDIMAGE_ORIENTATION_LEFT)
        expectProperty(metadata, sdimage_metadata_set_memory_cost, sdimage_metadata_memory_cost, -1, 9, -1)
        expectProperty(metadata, sdimage_metadata_set_has_alpha, sdimage_metadata_has_alpha, false, true)
        expectProperty(metadata, sdimage_metadata_set_frame_count, sdimage_metadata_frame_count, 1, 3)
        expectProperty(metadata, sdimage_metadata_set_loop_count, sdimage_metadata_loop_count, 0, 4)
        expectProperty(metadata, sdimage_metadata_set_duration_ms, sdimage_metadata_duration_ms, 0, 500)
        expectProperty(metadata, sdimage_metadata_set_bits_per_channel, sdimage_metadata_bits_per_channel, 0, 16)
        expectProperty(metadata, sdimage_metadata_set_channels, sdimage_metadata_channels, 0, 3)
        expectProperty(metadata, sdimage_metadata_set_progressive, sdimage_metadata_is_progressive, false, true)
        #expect(sdimage_metadata_source_size(metadata.pointer) == sdimage_size(width: 2, height: 3))
        sdimage_metadata_set_source_size(metadata.pointer, 20, 30)
        #expect(sdimage_metadata_source_size(metadata.pointer) == sdimage_size(width: 20, height: 30))
    }

    @Test func blocksAndCodePointsOfMetadata() throws {
        let png = makePNG(width: 2, height: 2)
        let image = try make(sdimage_image_unref) { sdimage_decode(png, png.count, nil, $0, $1) }
        let metadata = try make(sdimage_metadata_unref) { sdimage_image_copy_metadata(image.pointer, $0, $1) }
        let data = try make(sdimage_data_unref) { sdimage_data_new("abc", 3, $0, $1) }
        let blocks: [((OpaquePointer?, OpaquePointer?) -> Void, (OpaquePointer?) -> OpaquePointer?)] = [
            (sdimage_metadata_set_color_profile, sdimage_metadata_color_profile),
            (sdimage_metadata_set_exif, sdimage_metadata_exif),
            (sdimage_metadata_set_xmp, sdimage_metadata_xmp),
            (sdimage_metadata_set_extended_data, sdimage_metadata_extended_data),
        ]
        for (set, get) in blocks {
            #expect(get(metadata.pointer) == nil)
            set(metadata.pointer, data.pointer)
            #expect(get(metadata.pointer) == data.pointer)
            set(metadata.pointer, nil)
            #expect(get(metadata.pointer) == nil)
        }
        var (primaries, transfer, matrix): (UInt32, UInt32, UInt32) = (7, 7, 7)
        var isFull = true
        #expect(!sdimage_metadata_get_cicp(metadata.pointer, &primaries, &transfer, &matrix, &isFull))
        #expect(primaries == 0 && transfer == 0 && matrix == 0 && !isFull)
        sdimage_metadata_set_cicp(metadata.pointer, 9, 16, 1, true)
        #expect(sdimage_metadata_get_cicp(metadata.pointer, &primaries, &transfer, &matrix, &isFull))
        #expect(primaries == 9 && transfer == 16 && matrix == 1 && isFull)
        #expect(sdimage_metadata_get_cicp(metadata.pointer, nil, nil, nil, nil))
    }

    @Test func batchOptions() throws {
        let options = Owned(sdimage_batch_options_new(4, 4)) { sdimage_batch_options_unref($0) }
        expectProperty(
            options, sdimage_batch_options_set_pixel_format, sdimage_batch_options_pixel_format, .SDIMAGE_PIXEL_FORMAT_RGB8,
            .SDIMAGE_PIXEL_FORMAT_GRAY8)
        expectProperty(
            options, sdimage_batch_options_set_scale_mode, sdimage_batch_options_scale_mode, .SDIMAGE_SCALE_MODE_ASPECT_FILL,
            .SDIMAGE_SCALE_MODE_FILL)
        expectProperty(
            options, sdimage_batch_options_set_background_color, sdimage_batch_options_background_color,
            sdimage_color(red: 0, green: 0, blue: 0, alpha: 1), sdimage_color(red: 1, green: 0.5, blue: 0, alpha: 1))
        expectProperty(options, sdimage_batch_options_set_max_concurrent, sdimage_batch_options_max_concurrent, 64, 3)
        var (row, image) = (1, 1)
        sdimage_batch_options_get_strides(options.pointer, &row, &image)
        #expect(row == 0 && image == 0)
        sdimage_batch_options_set_strides(options.pointer, 16, 99)
        sdimage_batch_options_get_strides(options.pointer, &row, &image)
        #expect(row == 16 && image == 99)
        #expect(stored(sdimage_request_unref) { sdimage_batch_options_copy_request(options.pointer, $0) } == nil)
        let request = makeRequest("test://a")
        sdimage_request_set_timeout_ms(request.pointer, 7)
        sdimage_batch_options_set_request(options.pointer, request.pointer)
        let copy = try #require(stored(sdimage_request_unref) { sdimage_batch_options_copy_request(options.pointer, $0) })
        #expect(sdimage_request_timeout_ms(copy.pointer) == 7)
        #expect(stored(sdimage_dispatcher_unref) { sdimage_batch_options_get_dispatcher(options.pointer, $0) } == nil)
        let queue = try make(sdimage_dispatcher_unref) { sdimage_dispatcher_new_pollable($0, $1) }
        sdimage_batch_options_set_dispatcher(options.pointer, queue.pointer)
        let read = try #require(stored(sdimage_dispatcher_unref) { sdimage_batch_options_get_dispatcher(options.pointer, $0) })
        #expect(sdimage_dispatcher_descriptor(read.pointer) == sdimage_dispatcher_descriptor(queue.pointer))
    }

    @Test func targetOptions() throws {
        let options = Owned(sdimage_target_options_new()) { sdimage_target_options_unref($0) }
        expectText(options, sdimage_target_options_set_key, sdimage_target_options_key, "image")
        expectProperty(
            options, sdimage_target_options_set_placeholder_time, sdimage_target_options_placeholder_time,
            .SDIMAGE_PLACEHOLDER_TIME_NOW, .SDIMAGE_PLACEHOLDER_TIME_ON_FAILURE)
        expectProperty(
            options, sdimage_target_options_set_cached_placeholder, sdimage_target_options_cached_placeholder,
            .SDIMAGE_CACHED_PLACEHOLDER_NONE, .SDIMAGE_CACHED_PLACEHOLDER_MEMORY, .SDIMAGE_CACHED_PLACEHOLDER_MEMORY_AND_DISK)
        expectProperty(
            options, sdimage_target_options_set_previous_load, sdimage_target_options_previous_load,
            .SDIMAGE_PREVIOUS_LOAD_CANCEL, .SDIMAGE_PREVIOUS_LOAD_KEEP)
        expectProperty(
            options, sdimage_target_options_set_image_setting, sdimage_target_options_image_setting,
            .SDIMAGE_IMAGE_SETTING_AUTOMATIC, .SDIMAGE_IMAGE_SETTING_MANUAL)
        expectProperty(
            options, sdimage_target_options_set_transition_rule, sdimage_target_options_transition_rule,
            .SDIMAGE_TRANSITION_RULE_WAITED, .SDIMAGE_TRANSITION_RULE_ALWAYS)
        expectProperty(
            options, sdimage_target_options_set_show_image_in_transition,
            sdimage_target_options_should_show_image_in_transition, true, false)
        expectProperty(
            options, sdimage_target_options_set_wait_for_transition, sdimage_target_options_should_wait_for_transition, false,
            true)
        #expect(sdimage_target_options_transition(options.pointer) == .SDIMAGE_TRANSITION_NONE)
        sdimage_target_options_set_transition(options.pointer, .SDIMAGE_TRANSITION_FADE, 0)
        #expect(sdimage_target_options_transition(options.pointer) == .SDIMAGE_TRANSITION_FADE)
        #expect(sdimage_target_options_transition_duration_ms(options.pointer) == 500)
        #expect(stored(sdimage_manager_unref) { sdimage_target_options_get_manager(options.pointer, $0) } == nil)
        let manager = try makeManager(cache: nil)
        sdimage_target_options_set_manager(options.pointer, manager.pointer)
        let read = stored(sdimage_manager_unref) { sdimage_target_options_get_manager(options.pointer, $0) }
        #expect(read?.pointer == manager.pointer)
    }

    @Test func thePlaceholderOfATargetIsTheLastOneSet() throws {
        let options = Owned(sdimage_target_options_new()) { sdimage_target_options_unref($0) }
        let png = makePNG(width: 2, height: 2)
        let image = try make(sdimage_image_unref) { sdimage_decode(png, png.count, nil, $0, $1) }
        sdimage_target_options_set_placeholder(options.pointer, image.pointer)
        #expect(
            stored(sdimage_image_unref) { sdimage_target_options_get_placeholder(options.pointer, $0) }?.pointer == image.pointer)
        sdimage_target_options_set_blurhash(options.pointer, "LEHV6nWB2yk8", -1, 8, 6)
        #expect(stored(sdimage_image_unref) { sdimage_target_options_get_placeholder(options.pointer, $0) } == nil)
        var length = 0
        #expect(text(sdimage_target_options_blurhash(options.pointer, &length)) == "LEHV6nWB2yk8" && length == 12)
        #expect(sdimage_target_options_blurhash_size(options.pointer) == sdimage_size(width: 8, height: 6))
        #expect(sdimage_target_options_thumbhash(options.pointer, &length) == nil && length == 0)
        sdimage_target_options_set_thumbhash(options.pointer, [UInt8]([1, 0, 2]), 3)
        let hash = sdimage_target_options_thumbhash(options.pointer, &length)
        #expect(Data(bytes: hash!, count: length) == Data([1, 0, 2]))
        #expect(sdimage_target_options_blurhash(options.pointer, nil) == nil)
        #expect(sdimage_target_options_blurhash_size(options.pointer) == sdimage_size(width: 0, height: 0))
    }
}
