import CSDImage
import Foundation
import TestSupport
import Testing

/// Every property of a request can be read, and an independent copy has it too.
@Suite struct RequestGetterTests {
    private let request = makeRequest("test://a")

    @Test func numbersAndEnums() {
        expectProperty(
            request, sdimage_request_set_priority, sdimage_request_priority, .SDIMAGE_PRIORITY_NORMAL, .SDIMAGE_PRIORITY_LOW,
            .SDIMAGE_PRIORITY_HIGH)
        expectProperty(
            request, sdimage_request_set_source_policy, sdimage_request_source_policy, .SDIMAGE_SOURCE_POLICY_ANY,
            .SDIMAGE_SOURCE_POLICY_CACHE_ONLY, .SDIMAGE_SOURCE_POLICY_LOADER_ONLY)
        expectRestorable(
            request, sdimage_request_set_progressive_interval_ms, sdimage_request_progressive_interval_ms, 100, 7)
        expectProperty(
            request, sdimage_request_set_blocking_reads, sdimage_request_blocking_reads, .SDIMAGE_BLOCKING_READS_NONE,
            .SDIMAGE_BLOCKING_READS_DISK, .SDIMAGE_BLOCKING_READS_ALL)
        expectProperty(request, sdimage_request_set_timeout_ms, sdimage_request_timeout_ms, 0, 9)
        expectProperty(request, sdimage_request_set_max_body_bytes, sdimage_request_max_body_bytes, 0, 11)
    }

    @Test func booleans() {
        expectProperty(request, sdimage_request_set_progressive, sdimage_request_is_progressive, false, true)
        expectProperty(request, sdimage_request_set_early_thumbnail, sdimage_request_has_early_thumbnail, false, true)
        expectProperty(request, sdimage_request_set_include_data, sdimage_request_should_include_data, false, true)
        expectProperty(request, sdimage_request_set_wait_for_store, sdimage_request_should_wait_for_store, false, true)
        expectProperty(request, sdimage_request_set_retry_failed, sdimage_request_should_retry_failed, false, true)
        expectProperty(request, sdimage_request_set_handle_cookies, sdimage_request_should_handle_cookies, false, true)
        expectProperty(
            request, sdimage_request_set_accept_invalid_certificates, sdimage_request_should_accept_invalid_certificates, false,
            true)
        expectProperty(request, sdimage_request_set_transform_animated, sdimage_request_should_transform_animated, false, true)
        expectProperty(request, sdimage_request_set_transform_vector, sdimage_request_should_transform_vector, false, true)
        expectProperty(request, sdimage_request_set_preload_frames, sdimage_request_should_preload_frames, false, true)
        expectProperty(request, sdimage_request_set_require_animation, sdimage_request_should_require_animation, false, true)
    }

    @Test func aResetPropertyIsNotSet() {
        expectProperty(
            request, sdimage_request_set_freshness, sdimage_request_freshness, .SDIMAGE_FRESHNESS_IGNORE,
            .SDIMAGE_FRESHNESS_RESPECT, .SDIMAGE_FRESHNESS_REFRESH)
        #expect(sdimage_request_has_freshness(request.pointer))
        sdimage_request_reset_freshness(request.pointer)
        #expect(!sdimage_request_has_freshness(request.pointer))
        #expect(sdimage_request_freshness(request.pointer) == .SDIMAGE_FRESHNESS_IGNORE)
        expectProperty(request, sdimage_request_set_max_retries, sdimage_request_max_retries, 0, 5, 0)
        #expect(sdimage_request_has_max_retries(request.pointer))
        sdimage_request_reset_max_retries(request.pointer)
        #expect(!sdimage_request_has_max_retries(request.pointer))
    }

    @Test func theKeyIsLentUntilItChanges() {
        var length = 5
        #expect(sdimage_request_cache_key(request.pointer, &length) == nil)
        #expect(length == 0)
        sdimage_request_set_cache_key(request.pointer, "k\0y", 3)
        let key = sdimage_request_cache_key(request.pointer, &length)
        #expect(Data(bytes: key!, count: length) == Data([0x6B, 0, 0x79]))
        #expect(sdimage_request_cache_key(request.pointer, nil) == key)
        sdimage_request_set_cache_key(request.pointer, nil, 0)
        #expect(sdimage_request_cache_key(request.pointer, &length) == nil)
    }

    @Test func headerFieldsAreLentUntilTheyChange() {
        sdimage_request_set_header(request.pointer, "A", "1")
        sdimage_request_set_header(request.pointer, "B", "2")
        var value: UnsafePointer<CChar>?
        let name = sdimage_request_header_at(request.pointer, 0, &value)
        #expect(text(name) == "A" && text(value) == "1")
        let first = sdimage_request_header(request.pointer, "a")
        #expect(text(sdimage_request_header_at(request.pointer, 1, nil)) == "B")
        #expect(sdimage_request_header(request.pointer, "A") == first)
        #expect(text(name) == "A" && text(value) == "1" && text(first) == "1")
        #expect(sdimage_request_header_at(request.pointer, 2, &value) == nil && value == nil)
    }

    @Test func theThumbnailIsThatOfTheDecodeOptions() throws {
        #expect(sdimage_request_thumbnail_size(request.pointer) == sdimage_size(width: 0, height: 0))
        sdimage_request_set_thumbnail_size(request.pointer, 7, 9, .SDIMAGE_SCALE_MODE_FILL)
        #expect(sdimage_request_thumbnail_size(request.pointer) == sdimage_size(width: 7, height: 9))
        #expect(sdimage_request_thumbnail_mode(request.pointer) == .SDIMAGE_SCALE_MODE_FILL)
        let options = try #require(
            stored(sdimage_decode_options_unref) { sdimage_request_copy_decode_options(request.pointer, $0) })
        #expect(sdimage_decode_options_thumbnail_mode(options.pointer) == .SDIMAGE_SCALE_MODE_FILL)
    }

    @Test func theEncodeOptionsAreACopy() throws {
        let options = Owned(sdimage_encode_options_new()) { sdimage_encode_options_unref($0) }
        sdimage_encode_options_set_quality(options.pointer, 0.25)
        sdimage_request_set_encode_options(request.pointer, options.pointer)
        let copy = try #require(
            stored(sdimage_encode_options_unref) { sdimage_request_copy_encode_options(request.pointer, $0) })
        sdimage_encode_options_set_quality(copy.pointer, 0.5)
        let again = try #require(
            stored(sdimage_encode_options_unref) { sdimage_request_copy_encode_options(request.pointer, $0) })
        #expect(sdimage_encode_options_quality(again.pointer) == 0.25)
    }

    @Test func outputsAreWrittenWithoutARequestOrTarget() {
        let other = OpaquePointer(bitPattern: 1)
        for get in [
            sdimage_request_copy_decode_options, sdimage_request_copy_encode_options, sdimage_target_get_latest_key,
            { sdimage_target_get_url($0, nil, $1) },
        ] as [(OpaquePointer?, UnsafeMutablePointer<OpaquePointer?>?) -> Void] {
            var object = other
            get(nil, &object)
            #expect(object == nil)
        }
        var (length, received, expected): (Int, Int64, Int64) = (7, 7, 7)
        #expect(text(sdimage_request_url(nil, &length)) == "" && length == 0)
        sdimage_task_progress(nil, &received, &expected)
        #expect(received == 0 && expected == -1)
    }

    @Test func theEncodeFormatIsUnknownUntilItIsSet() {
        #expect(sdimage_request_encode_format(request.pointer) == .SDIMAGE_FORMAT_UNKNOWN)
        sdimage_request_set_encode_format(request.pointer, .SDIMAGE_FORMAT_BMP)
        #expect(sdimage_request_encode_format(request.pointer) == .SDIMAGE_FORMAT_BMP)
    }

    @Test func objectsTellInheritedFromNone() throws {
        let chain = try make(sdimage_loader_unref) { sdimage_loader_new_chain($0, $1) }
        expectSetting(
            chain, sdimage_loader_unref, sdimage_request_set_loader, sdimage_request_get_loader, sdimage_request_reset_loader)
        let cache = try makeCache(in: nil)
        expectSetting(
            cache, sdimage_cache_unref, sdimage_request_set_cache, sdimage_request_get_cache, sdimage_request_reset_cache)
        expectSetting(
            cache, sdimage_cache_unref, sdimage_request_set_original_cache, sdimage_request_get_original_cache,
            sdimage_request_reset_original_cache)
        let dispatcher = try make(sdimage_dispatcher_unref) { sdimage_dispatcher_new_immediate($0, $1) }
        expectSetting(
            dispatcher, sdimage_dispatcher_unref, sdimage_request_set_dispatcher, sdimage_request_get_dispatcher,
            sdimage_request_reset_dispatcher)
        let flip = try make(sdimage_transformer_unref) { sdimage_transformer_new_flip(true, false, $0, $1) }
        expectSetting(
            flip, sdimage_transformer_unref, sdimage_request_set_transformer, sdimage_request_get_transformer,
            sdimage_request_reset_transformer)
        sdimage_request_add_transformer(request.pointer, flip.pointer)
        let read = try #require(
            stored(sdimage_transformer_unref) { _ = sdimage_request_get_transformer(request.pointer, $0) })
        #expect(text(sdimage_transformer_key(read.pointer)) == text(sdimage_transformer_key(flip.pointer)))
    }

    private func expectSetting(
        _ value: Owned, _ release: @escaping (OpaquePointer?) -> Void, _ set: (OpaquePointer?, OpaquePointer?) -> Void,
        _ get: (OpaquePointer?, UnsafeMutablePointer<OpaquePointer?>?) -> Bool, _ reset: (OpaquePointer?) -> Void,
        at location: SourceLocation = #_sourceLocation
    ) {
        var object: OpaquePointer?
        #expect(!get(request.pointer, &object) && object == nil, sourceLocation: location)
        set(request.pointer, nil)
        #expect(get(request.pointer, &object) && object == nil, sourceLocation: location)
        set(request.pointer, value.pointer)
        #expect(get(request.pointer, &object) && object != nil, sourceLocation: location)
        release(object)
        reset(request.pointer)
        #expect(!get(request.pointer, &object) && object == nil, sourceLocation: location)
        #expect(!get(nil, nil), sourceLocation: location)
    }

    @Test func theCoderAndHooksAreThoseSet() throws {
        #expect(stored(sdimage_coder_unref) { sdimage_request_get_coder(request.pointer, $0) } == nil)
        let coder = try make(sdimage_coder_unref) { sdimage_coder_get_builtin("png", $0, $1) }
        sdimage_request_set_coder(request.pointer, coder.pointer)
        let read = try #require(stored(sdimage_coder_unref) { sdimage_request_get_coder(request.pointer, $0) })
        #expect(text(sdimage_coder_name(read.pointer)) == "png")
        let hooks = try make(sdimage_download_hooks_unref) { sdimage_download_hooks_new_base64($0, $1) }
        sdimage_request_set_hooks(request.pointer, hooks.pointer)
        #expect(
            stored(sdimage_download_hooks_unref) { sdimage_request_get_hooks(request.pointer, $0) }?.pointer == hooks.pointer)
        var table = sdimage_load_hooks_vtable()
        table.size = MemoryLayout.size(ofValue: table)
        let loads = try make(sdimage_load_hooks_unref) { sdimage_load_hooks_new_custom(&table, nil, nil, $0, $1) }
        #expect(stored(sdimage_load_hooks_unref) { sdimage_request_get_load_hooks(request.pointer, $0) } == nil)
        sdimage_request_set_load_hooks(request.pointer, loads.pointer)
        #expect(
            stored(sdimage_load_hooks_unref) { sdimage_request_get_load_hooks(request.pointer, $0) }?.pointer == loads.pointer)
    }
}
