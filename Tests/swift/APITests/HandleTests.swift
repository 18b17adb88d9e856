import CSDImage
import Foundation
import Testing

@Suite struct HandleTests {
    @Test func whatTheCallerDecodedFromMayGoAwayButTheProfileStays() throws {
        let profile = [UInt8](repeating: 0x5A, count: 300)
        let image: Owned
        do {
            let webp = makeWebP(profile: profile)
            let memory = UnsafeMutableRawPointer.allocate(byteCount: webp.count, alignment: 1)
            memory.copyMemory(from: webp, byteCount: webp.count)
            defer { memory.deallocate() }
            let options = sdimage_decode_options_new()
            defer { sdimage_decode_options_unref(options) }
            sdimage_decode_options_set_convert_to_srgb(options, false)
            image = try make(sdimage_image_unref) { sdimage_decode(memory, webp.count, options, $0, $1) }
            memset(memory, 0, webp.count)
        }
        let kept = sdimage_image_color_profile(image.pointer)
        let bytes = Array(UnsafeRawBufferPointer(start: sdimage_data_bytes(kept), count: sdimage_data_length(kept)))
        #expect(bytes == profile)
    }

    @Test func theKindOfNothingIsNone() {
        #expect(sdimage_event_callback_kind(nil) == .SDIMAGE_CALLBACK_KIND_NONE)
        #expect(sdimage_result_kind(nil) == .SDIMAGE_DELIVERY_KIND_NONE)
        #expect(sdimage_download_event_stage(nil) == .SDIMAGE_TRANSFER_STAGE_NONE)
    }

    /// A lossless WebP of one pixel with a color profile.
    private func makeWebP(profile: [UInt8]) -> [UInt8] {
        func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
            let n = body.count
            return Array(name.utf8) + [UInt8(n & 255), UInt8(n >> 8 & 255), 0, 0] + body + (n % 2 == 1 ? [0] : [])
        }
        let pixel: [UInt8] = [0x2F, 0, 0, 0, 0, 0x07, 0x10, 0x11, 0x11, 0x88, 0x88, 0xFE, 0x07, 0]
        let body = chunk("VP8X", [0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0]) + chunk("ICCP", profile) + chunk("VP8L", pixel)
        let size = body.count + 4
        return Array("RIFF".utf8) + [UInt8(size & 255), UInt8(size >> 8), 0, 0] + Array("WEBP".utf8) + body
    }

    #if DEBUG
        // In a process of its own: objects of other tests could be made at the freed address.
        @Test func aFreedHandleIsAnsweredInsteadOfTouched() async {
            await #expect(processExitsWith: .success) { try HandleTests().useFreedHandle() }
        }

        private func useFreedHandle() throws {
            let request = sdimage_request_new("test://freed")
            sdimage_request_ref(request)
            sdimage_request_unref(request)
            #expect(String(cString: sdimage_request_url(request, nil)) == "test://freed")
            sdimage_request_unref(request)
            #expect(String(cString: sdimage_request_url(request, nil)) == "")
            sdimage_request_unref(request)
            let manager = try makeManager(cache: nil)
            #expect(sdimage_manager_load(manager.pointer, request, nil, nil, nil, nil, nil) == .SDIMAGE_STATUS_BAD_HANDLE)
            // A new object at a previously used address is a valid handle.
            let later = (0..<1000).map { sdimage_request_new("test://\($0)") }
            for (index, next) in later.enumerated() {
                #expect(String(cString: sdimage_request_url(next, nil)) == "test://\(index)")
            }
            for next in later { sdimage_request_unref(next) }
        }

        @Test func lentHandlesPassAlsoAfterAnOwnedOneIsGone() throws {
            let pixels = [UInt8](repeating: 7, count: 12)
            let cache = try makeCache(in: nil)
            var image: OpaquePointer?
            #expect(sdimage_image_new(2, 2, 6, .SDIMAGE_PIXEL_FORMAT_RGB8, pixels, &image, nil) == .SDIMAGE_STATUS_OK)
            #expect(sdimage_cache_set_memory_image(cache.pointer, "test://a", -1, image, nil) == .SDIMAGE_STATUS_OK)
            sdimage_image_unref(image)
            let manager = try makeManager(cache: cache)
            let listener = Listener()
            let task = try listener.load(manager, makeRequest("test://a"))
            var result: OpaquePointer?
            sdimage_task_get_result(task.pointer, &result)
            #expect(sdimage_image_width(sdimage_result_image(result)) == 2)
            #expect(sdimage_result_image(result) == image)
            sdimage_result_unref(result)
        }
    #endif
}
