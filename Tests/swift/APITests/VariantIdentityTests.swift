import CSDImage
import Foundation
import TestSupport
import Testing

/// Entries of variants, and of originals whose URL is spelled like a variant's key.
@Suite struct VariantIdentityTests {
    enum Variant: String, Sendable, CaseIterable {
        case thumbnail, transformed, firstFrame, pixels, all

        func apply(to request: OpaquePointer) throws {
            let options = Owned(sdimage_decode_options_new()) { sdimage_decode_options_unref($0) }
            if self == .thumbnail || self == .all {
                sdimage_decode_options_set_thumbnail_size(options.pointer, 4, 4, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
            }
            if self == .firstFrame || self == .all { sdimage_decode_options_set_first_frame_only(options.pointer, true) }
            if self == .pixels || self == .all {
                sdimage_decode_options_set_pixel_format(options.pointer, .SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED)
            }
            sdimage_request_set_decode_options(request, options.pointer)
            guard self == .transformed || self == .all else { return }
            let flip = try make(sdimage_transformer_unref) { sdimage_transformer_new_flip(true, false, $0, $1) }
            sdimage_request_set_transformer(request, flip.pointer)
        }
    }

    private let folder = TemporaryDirectory()
    private let held = HeldLoader()

    private func request(_ url: String, _ variant: Variant? = nil) throws -> Owned {
        let request = makeRequest(url)
        sdimage_request_set_wait_for_store(request.pointer, true)
        try variant?.apply(to: request.pointer)
        return request
    }

    /// Loads, and responds if the loader is called; also returns whether it was called.
    private func load(_ manager: Owned, _ request: Owned, _ bytes: [UInt8]) throws -> (Delivered, isAsked: Bool) {
        let before = held.startCount
        let listener = Listener()
        _ = try listener.load(manager, request)
        while listener.results.isEmpty {
            if let sink = held.next(within: 0.05) {
                #expect(sdimage_load_sink_write(sink, bytes, bytes.count, nil) == .SDIMAGE_STATUS_OK)
                sdimage_load_sink_finish(sink, nil)
                sdimage_load_sink_unref(sink)
            }
        }
        return (try #require(listener.final()), held.startCount > before)
    }

    private func key(
        _ manager: Owned, _ request: Owned,
        _ of: (OpaquePointer?, OpaquePointer?, UnsafeMutablePointer<OpaquePointer?>?, UnsafeMutablePointer<OpaquePointer?>?)
            -> sdimage_status
    ) throws -> String {
        let data = try make(sdimage_data_unref) { of(manager.pointer, request.pointer, $0, $1) }
        let bytes = UnsafeRawBufferPointer(start: sdimage_data_bytes(data.pointer), count: sdimage_data_length(data.pointer))
        return String(decoding: bytes, as: UTF8.self)
    }

    private func forgetMemory(_ cache: Owned) { sdimage_cache_clear(cache.pointer, .SDIMAGE_CACHE_LAYERS_MEMORY, nil) }

    /// An attacker's URL spelled like the variant's key neither replaces the variant nor receives it.
    @Test(arguments: Variant.allCases, [true, false]) func aURLSpelledLikeAVariantIsAnotherEntry(
        _ variant: Variant, inMemory: Bool
    ) throws {
        for isVariantFirst in [true, false] {
            let cache = try makeCache(in: folder.path + "/\(isVariantFirst)")
            let manager = try makeManager(cache: cache, loader: try held.makeLoader())
            let wanted = try request("test://h/u/cat.png", variant)
            let forged = try request(try key(manager, wanted, sdimage_manager_get_cache_key))
            let (cat, dog) = (makePNG(width: 8, height: 8, red: 1), makePNG(width: 31, height: 17, red: 250))
            for request in isVariantFirst ? [wanted, forged] : [forged, wanted] {
                let isWanted = request.pointer == wanted.pointer
                let (result, isAsked) = try load(manager, request, isWanted ? cat : dog)
                #expect(result.status == .SDIMAGE_STATUS_OK && isAsked)
                #expect(result.width == (isWanted ? variant == .thumbnail || variant == .all ? 4 : 8 : 31))
                if !inMemory { forgetMemory(cache) }
            }
            // Each of the two is found again as itself.
            for request in [wanted, forged] {
                let (result, isAsked) = try load(manager, request, [])
                let isWanted = request.pointer == wanted.pointer
                #expect(!isAsked && result.width == (isWanted ? variant == .thumbnail || variant == .all ? 4 : 8 : 31))
            }
        }
    }

    @Test func aKeyIsExactOrPrinted() throws {
        let cache = try makeCache(in: folder.path)
        let manager = try makeManager(cache: cache, loader: try held.makeLoader())
        let wanted = try request("test://h/my-cat.png", .thumbnail)
        let printed = try key(manager, wanted, sdimage_manager_get_cache_key)
        let exact = try key(manager, wanted, sdimage_manager_get_entry_key)
        #expect(printed == "test://h/my-cat-Thumbnail(%7B4.000000,4.000000%7D,1).png")
        #expect(exact == "test://h/my-cat.png\u{1F}Thumbnail({4.000000,4.000000},1)")
        #expect(try key(manager, try request("test://h/my-cat.png"), sdimage_manager_get_entry_key) == "test://h/my-cat.png")
        _ = try load(manager, wanted, makePNG(width: 8, height: 8))
        for text in [printed, exact] {
            #expect(sdimage_cache_contains(cache.pointer, text, -1) == .SDIMAGE_CACHE_LAYERS_ALL)
            let image = try make(sdimage_image_unref) { sdimage_cache_get_image(cache.pointer, text, -1, nil, $0, $1) }
            #expect(sdimage_image_width(image.pointer) == 4)
            let inMemory = Owned(try #require(memoryImage(cache.pointer, text, -1))) { sdimage_image_unref($0) }
            #expect(sdimage_image_width(inMemory.pointer) == 4)
        }
        let made = try #require(diskBytes(cache, exact))
        #expect(diskBytes(cache, printed) == made)
        // A string that merely looks like a variant's key names the original, if there is one.
        let other = try make(sdimage_data_unref) { sdimage_data_new("other", 5, $0, $1) }
        #expect(sdimage_cache_store_data(cache.pointer, printed, -1, other.pointer, nil) == .SDIMAGE_STATUS_OK)
        #expect(diskBytes(cache, printed) == Array("other".utf8) && diskBytes(cache, exact) == made)
        #expect(sdimage_cache_remove(cache.pointer, printed, -1, .SDIMAGE_CACHE_LAYERS_ALL, nil) == .SDIMAGE_STATUS_OK)
        #expect(sdimage_cache_contains(cache.pointer, printed, -1) == .SDIMAGE_CACHE_LAYERS_NONE)
        #expect(sdimage_cache_contains(cache.pointer, exact, -1) == .SDIMAGE_CACHE_LAYERS_NONE)
        #expect(sdimage_cache_contains(cache.pointer, "test://h/my-cat.png", -1) == .SDIMAGE_CACHE_LAYERS_DISK)
    }

    /// URLs containing the separator are never loaded, also when memory has an image for that key.
    @Test func aURLWithTheSeparatorFindsNothing() throws {
        let cache = try makeCache(in: folder.path)
        let manager = try makeManager(cache: cache, loader: try held.makeLoader())
        let wanted = try request("test://h/a.png", .thumbnail)
        _ = try load(manager, wanted, makePNG(width: 8, height: 8))
        let forged = try request(try key(manager, wanted, sdimage_manager_get_entry_key))
        let (result, isAsked) = try load(manager, forged, [])
        #expect(result.status == .SDIMAGE_STATUS_INVALID_URL && result.width == 0 && !isAsked)
    }
}
