import CSDImage
import Foundation
import TestSupport
import Testing

/// Thumbnails and transformed images on disk, under keys of their own.
@Suite struct VariantTests {
    private let folder = TemporaryDirectory()
    private let held = HeldLoader()

    /// Loads until everything is committed, and responds if the loader is called.
    private func load(_ cache: Owned, _ url: String, bytes: [UInt8]? = nil, _ change: (OpaquePointer) -> Void) throws -> Delivered
    {
        let manager = try makeManager(cache: cache, loader: try held.makeLoader())
        let request = makeRequest(url)
        sdimage_request_set_wait_for_store(request.pointer, true)
        change(request.pointer)
        let listener = Listener()
        _ = try listener.load(manager, request)
        if let bytes { #expect(held.answer(bytes)) }
        return try #require(listener.final())
    }

    typealias Format = (format: sdimage_format, signature: [UInt8])

    private func contains(_ cache: Owned, _ key: String) -> sdimage_cache_layers {
        sdimage_cache_contains(cache.pointer, key, -1)
    }

    private func thumbnail(_ request: OpaquePointer) {
        sdimage_request_set_thumbnail_size(request, 4, 4, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
    }

    @Test func aThumbnailIsReadBackFromItsOwnEntry() throws {
        let cache = try makeCache(in: folder.path)
        let url = "test://h/a.png"
        let key = "test://h/a-Thumbnail(%7B4.000000,4.000000%7D,1).png"
        #expect(try load(cache, url, bytes: makePNG(width: 8, height: 4), thumbnail).width == 4)
        #expect(contains(cache, key) == .SDIMAGE_CACHE_LAYERS_ALL)
        #expect(contains(cache, url) == .SDIMAGE_CACHE_LAYERS_DISK)
        // The variant stays available without the original and without memory.
        #expect(sdimage_cache_remove(cache.pointer, url, -1, .SDIMAGE_CACHE_LAYERS_ALL, nil) == .SDIMAGE_STATUS_OK)
        #expect(sdimage_cache_clear(cache.pointer, .SDIMAGE_CACHE_LAYERS_MEMORY, nil) == .SDIMAGE_STATUS_OK)
        let again = try load(cache, url, thumbnail)
        #expect(again.width == 4)
        #expect(again.source == .SDIMAGE_IMAGE_SOURCE_DISK)
        #expect(again.hasData)
        #expect(held.startCount == 1)
    }

    @Test func aThumbnailMadeFromTheDisksOriginalIsKeptToo() throws {
        let cache = try makeCache(in: folder.path)
        let url = "test://h/b.png"
        _ = try load(cache, url, bytes: makePNG(width: 8, height: 4)) { _ in }
        let small = try load(cache, url, thumbnail)
        #expect(small.source == .SDIMAGE_IMAGE_SOURCE_DISK)
        #expect(!small.hasData)
        #expect(contains(cache, "test://h/b-Thumbnail(%7B4.000000,4.000000%7D,1).png") == .SDIMAGE_CACHE_LAYERS_ALL)
    }

    @Test func aTransformedPictureIsNotTransformedAgain() throws {
        let cache = try makeCache(in: folder.path)
        let counting = CountingTransformer(width: 5)
        let transformer = try counting.makeTransformer(key: "Narrow")
        for _ in 0..<2 {
            let bytes = held.startCount == 0 ? makePNG(width: 8, height: 4) : nil
            _ = try load(cache, "test://h/c.png", bytes: bytes) { sdimage_request_set_transformer($0, transformer.pointer) }
            #expect(sdimage_cache_clear(cache.pointer, .SDIMAGE_CACHE_LAYERS_MEMORY, nil) == .SDIMAGE_STATUS_OK)
        }
        #expect(counting.keys.count == 1)
        #expect(held.startCount == 1)
    }

    @Test func theDiskKeepsOneVariantForAllPixelFormats() throws {
        let cache = try makeCache(in: folder.path)
        let options = Owned(sdimage_decode_options_new()) { sdimage_decode_options_unref($0) }
        sdimage_decode_options_set_thumbnail_size(options.pointer, 4, 4, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
        sdimage_decode_options_set_pixel_format(options.pointer, .SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED)
        let url = "test://h/d.png"
        _ = try load(cache, url, bytes: makePNG(width: 8, height: 4)) { sdimage_request_set_decode_options($0, options.pointer) }
        #expect(contains(cache, "test://h/d-Thumbnail(%7B4.000000,4.000000%7D,1).png") == .SDIMAGE_CACHE_LAYERS_DISK)
        #expect(sdimage_cache_remove(cache.pointer, url, -1, .SDIMAGE_CACHE_LAYERS_ALL, nil) == .SDIMAGE_STATUS_OK)
        #expect(try load(cache, url, thumbnail).source == .SDIMAGE_IMAGE_SOURCE_DISK)
    }

    @Test func noVariantIsStoredWhereTheRequestSaysNoOrItWouldBeNoSmaller() throws {
        let cache = try makeCache(in: folder.path)
        _ = try load(cache, "test://h/e.png", bytes: makePNG(width: 8, height: 4)) {
            thumbnail($0)
            setStoreLayers($0, .SDIMAGE_CACHE_LAYERS_MEMORY)
        }
        #expect(contains(cache, "test://h/e-Thumbnail(%7B4.000000,4.000000%7D,1).png") == .SDIMAGE_CACHE_LAYERS_MEMORY)
        _ = try load(cache, "test://h/f.png", bytes: makePNG(width: 3, height: 3), thumbnail)
        #expect(contains(cache, "test://h/f-Thumbnail(%7B4.000000,4.000000%7D,1).png") == .SDIMAGE_CACHE_LAYERS_MEMORY)
    }

    // MARK: New responses

    @Test func aResponseWithoutAVariantRemovesThatOfAnOlderOne() throws {
        let cache = try makeCache(in: folder.path)
        let url = "test://h/j.png"
        _ = try load(cache, url, bytes: makePNG(width: 8, height: 4), thumbnail)
        _ = try load(cache, url, bytes: makePNG(width: 3, height: 3)) {
            thumbnail($0)
            sdimage_request_set_source_policy($0, .SDIMAGE_SOURCE_POLICY_LOADER_ONLY)
        }
        #expect(contains(cache, "test://h/j-Thumbnail(%7B4.000000,4.000000%7D,1).png") == .SDIMAGE_CACHE_LAYERS_MEMORY)
        #expect(sdimage_cache_clear(cache.pointer, .SDIMAGE_CACHE_LAYERS_MEMORY, nil) == .SDIMAGE_STATUS_OK)
        #expect(try load(cache, url, thumbnail).width == 3)
    }

    // The next three hold a worker while another one has work to do, so they run in processes of their own.

    @Test func aVariantOfAnOlderResponseIsNotStoredLater() async {
        await #expect(processExitsWith: .success) {
            for waits in [false, true] { try VariantTests().storeTheVariantOfAnOlderResponse(waits: waits) }
        }
    }

    @Test func aThumbnailThatIsRemovedWhileItIsEncodedDoesNotComeBack() async {
        await #expect(processExitsWith: .success) {
            for removal in Removal.allCases { try VariantTests().remove(removal) }
        }
    }

    @Test func loadsOfOneResponseKeepTheThumbnailOfOne() async {
        await #expect(processExitsWith: .success) { try VariantTests().makeTwoThumbnailsOfOneResponse() }
    }

    private func storeTheVariantOfAnOlderResponse(waits: Bool) throws {
        let cache = try makeCache(in: folder.path)
        let hooks = HostLoadHooks(), gate = Gate()
        // Holds the encode of the first thumbnail.
        hooks.serialize = { image, data in
            if data == nil, sdimage_image_height(image) == 2 { gate.pass() }
            return nil
        }
        let manager = try hooks.makeManager(cache: cache, loader: try held.makeLoader())
        for height in [4, 8] {
            let request = makeRequest("test://h/k.png")
            thumbnail(request.pointer)
            sdimage_request_set_source_policy(request.pointer, .SDIMAGE_SOURCE_POLICY_LOADER_ONLY)
            sdimage_request_set_wait_for_store(request.pointer, waits && height == 8)
            let listener = Listener()
            _ = try listener.load(manager, request)
            #expect(held.answer(makePNG(width: 8, height: height)))
            #expect(listener.final()?.height == (height == 4 ? 2 : 4))
            if height == 4 { #expect(gate.waitForEntry()) }
        }
        gate.open()
        #expect(sdimage_cache_flush(cache.pointer, nil) == .SDIMAGE_STATUS_OK)
        #expect(diskBytes(cache, "test://h/k.png") == makePNG(width: 8, height: 8))
        let bytes = try #require(diskBytes(cache, "test://h/k-Thumbnail(%7B4.000000,4.000000%7D,1).png"))
        let variant = try MovingPicture.image(bytes)
        #expect(sdimage_image_height(variant.pointer) == 4)
    }

    /// `chain`, `member`: the manager stores in a member of the chain that is cleared, or in a chain whose member is cleared.
    private enum Removal: CaseIterable { case clear, clearAsync, remove, removeAsync, chain, member, other }

    private func remove(_ removal: Removal) throws {
        let hooks = HostLoadHooks(), cache = try makeCache(in: folder.path)
        let key = "test://h/q.png\u{1F}Thumbnail({4.000000,4.000000},1)"
        try removeDuringTheEncode(removal, key, cache, hooks)
        // Released when the encode has ended.
        #expect(becomesTrue { hooks.destroyed.get() == 1 })
        #expect(sdimage_cache_flush(cache.pointer, nil) == .SDIMAGE_STATUS_OK)
        #expect((diskBytes(cache, key) == nil) == (removal != .other), "\(removal)")
    }

    private func removeDuringTheEncode(_ removal: Removal, _ key: String, _ cache: Owned, _ hooks: HostLoadHooks) throws {
        let chain = try make(sdimage_cache_unref) { sdimage_cache_new_chain($0, $1) }, gate = Gate(), listener = Listener()
        #expect(sdimage_cache_chain_add(chain.pointer, cache.pointer, nil) == .SDIMAGE_STATUS_OK)
        hooks.serialize = { _, data in
            if data == nil { gate.pass() }
            return nil
        }
        let manager = try hooks.makeManager(cache: removal == .member ? chain : cache, loader: try held.makeLoader())
        let request = makeRequest("test://h/q.png")
        thumbnail(request.pointer)
        _ = try listener.load(manager, request)
        #expect(held.answer(makePNG(width: 8, height: 4)))
        #expect(listener.final()?.width == 4)
        #expect(gate.waitForEntry())
        let all = sdimage_cache_layers.SDIMAGE_CACHE_LAYERS_ALL
        let status =
            switch removal {
            case .clear, .member: sdimage_cache_clear(cache.pointer, all, nil)
            case .chain: sdimage_cache_clear(chain.pointer, all, nil)
            case .clearAsync: sdimage_cache_clear_async(cache.pointer, all, nil, nil, nil, nil)
            case .remove: sdimage_cache_remove(cache.pointer, key, -1, all, nil)
            case .removeAsync: sdimage_cache_remove_async(cache.pointer, key, -1, all, nil, nil, nil, nil)
            case .other: sdimage_cache_remove(cache.pointer, "test://h/q.png", -1, all, nil)
            }
        #expect(status == .SDIMAGE_STATUS_OK)
        gate.open()
    }

    /// A load whose decode ends after the thumbnail of another load of the same response is stored, and which has none itself.
    private func makeTwoThumbnailsOfOneResponse() throws {
        let cache = try makeCache(in: folder.path)
        let manager = try makeManager(cache: cache, loader: try held.makeLoader())
        let gate = Gate()
        let coder = try gate.makeCoder()
        let listeners = [Listener(), Listener()]
        // The time in the gate counts.
        let patient = decodeOptions {
            sdimage_decode_options_set_max_work_ms($0, 600_000)
            sdimage_decode_options_set_thumbnail_size($0, 4, 4, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
        }
        for (listener, coder) in zip(listeners, [coder.pointer, nil]) {
            let request = makeRequest("test://h/n.png")
            sdimage_request_set_decode_options(request.pointer, patient.pointer)
            sdimage_request_set_coder(request.pointer, coder)
            sdimage_request_set_source_policy(request.pointer, .SDIMAGE_SOURCE_POLICY_LOADER_ONLY)
            sdimage_request_set_wait_for_store(request.pointer, true)
            _ = try listener.load(manager, request)
        }
        #expect(held.answer(makePNG(width: 8, height: 4)))
        #expect(gate.waitForEntry())
        #expect(listeners[1].final()?.width == 4)
        gate.open()
        #expect(listeners[0].final()?.width == 1)
        #expect(held.startCount == 1)
        let bytes = try #require(diskBytes(cache, "test://h/n-Thumbnail(%7B4.000000,4.000000%7D,1).png"))
        let stored = try MovingPicture.image(bytes)
        #expect(sdimage_image_width(stored.pointer) == 4)
    }

    @Test func aResponseThatMayNotBeStoredOnDiskRemovesNothingThere() throws {
        let cache = try makeCache(in: folder.path)
        let url = "test://h/o.png"
        _ = try load(cache, url, bytes: makePNG(width: 8, height: 4), thumbnail)
        _ = try load(cache, url, bytes: makePNG(width: 3, height: 3)) {
            thumbnail($0)
            setStoreLayers($0, .SDIMAGE_CACHE_LAYERS_MEMORY)
            sdimage_request_set_source_policy($0, .SDIMAGE_SOURCE_POLICY_LOADER_ONLY)
        }
        #expect(sdimage_cache_flush(cache.pointer, nil) == .SDIMAGE_STATUS_OK)
        #expect(contains(cache, "test://h/o-Thumbnail(%7B4.000000,4.000000%7D,1).png") == .SDIMAGE_CACHE_LAYERS_ALL)
    }

    /// The scale is that of the request, not that of the original in memory.
    @Test func aThumbnailMadeOfAnOriginalInMemoryHasTheScaleOfItsRequest() throws {
        let cache = try makeCache(in: nil)
        let manager = try makeManager(cache: cache, loader: try held.makeLoader())
        let image = try makeImage(width: 8, height: 4)
        #expect(sdimage_cache_set_memory_image(cache.pointer, "test://h/p.png", -1, image.pointer, nil) == .SDIMAGE_STATUS_OK)
        let request = makeRequest("test://h/p.png")
        let options = decodeOptions {
            sdimage_decode_options_set_thumbnail_size($0, 4, 4, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
            sdimage_decode_options_set_scale($0, 3)
        }
        sdimage_request_set_decode_options(request.pointer, options.pointer)
        setOriginalQueryLayers(request.pointer, .SDIMAGE_CACHE_LAYERS_ALL)
        let listener = Listener()
        _ = try listener.load(manager, request)
        let final = try #require(listener.final())
        #expect(final.source == .SDIMAGE_IMAGE_SOURCE_MEMORY && final.width == 4)
        #expect(final.scale == 3)
    }

    @Test func aDamagedVariantIsReplaced() throws {
        let cache = try makeCache(in: folder.path)
        let url = "test://h/g.png"
        _ = try load(cache, url, bytes: makePNG(width: 8, height: 4), thumbnail)
        let junk = try make(sdimage_data_unref) { sdimage_data_new("no picture", 10, $0, $1) }
        let key = "test://h/g.png\u{1F}Thumbnail({4.000000,4.000000},1)"
        #expect(sdimage_cache_store_data(cache.pointer, key, -1, junk.pointer, nil) == .SDIMAGE_STATUS_OK)
        #expect(sdimage_cache_clear(cache.pointer, .SDIMAGE_CACHE_LAYERS_MEMORY, nil) == .SDIMAGE_STATUS_OK)
        let again = try load(cache, url, thumbnail)
        #expect(again.width == 4)
        #expect(again.status == .SDIMAGE_STATUS_OK)
        #expect(held.startCount == 1)
    }

    @Test func variantsAreEncodedAsTheRequestSays() throws {
        let cache = try makeCache(in: folder.path)
        let options = Owned(sdimage_encode_options_new()) { sdimage_encode_options_unref($0) }
        sdimage_encode_options_set_max_pixel_size(options.pointer, 2, 2)
        _ = try load(cache, "test://h/h.png", bytes: makePNG(width: 8, height: 4)) {
            thumbnail($0)
            sdimage_request_set_encode_options($0, options.pointer)
        }
        let key = "test://h/h-Thumbnail(%7B4.000000,4.000000%7D,1).png"
        #expect(sdimage_cache_clear(cache.pointer, .SDIMAGE_CACHE_LAYERS_MEMORY, nil) == .SDIMAGE_STATUS_OK)
        let image = try make(sdimage_image_unref) { sdimage_cache_get_image(cache.pointer, key, -1, nil, $0, $1) }
        #expect(sdimage_image_width(image.pointer) == 2)
    }

    private func bytes(of data: Owned) -> [UInt8] {
        withExtendedLifetime(data) {
            Array(UnsafeRawBufferPointer(start: sdimage_data_bytes(data.pointer), count: sdimage_data_length(data.pointer)))
        }
    }

    /// The first value of the first quantization table of an entry: libjpeg makes it 3 for quality 0.9 and 1 for full quality.
    private func quantizer(_ cache: Owned, _ key: String) throws -> UInt8 {
        let entry = bytes(of: try make(sdimage_data_unref) { sdimage_cache_get_data(cache.pointer, key, -1, $0, $1) })
        let table = try #require(entry.indices.first { entry[$0...].starts(with: [0xff, 0xdb]) })
        return entry[table + 5]
    }

    @Test func aThumbnailOfAPhotographHasQuality09UnlessTheRequestHasOptions() throws {
        let cache = try makeCache(in: folder.path)
        let image = try DrawnPicture.draw(8, 4, .SDIMAGE_PIXEL_FORMAT_RGB8) { x, y in [UInt8(x * 30), UInt8(y * 60), 90] }
        let photograph = bytes(
            of: try make(sdimage_data_unref) { sdimage_encode(image.pointer, .SDIMAGE_FORMAT_JPEG, nil, $0, $1) })
        let options = Owned(sdimage_encode_options_new()) { sdimage_encode_options_unref($0) }
        for (name, own, expected) in [("j", nil, 3), ("k", options.pointer, 1)] as [(String, OpaquePointer?, UInt8)] {
            _ = try load(cache, "test://h/\(name).jpg", bytes: photograph) {
                thumbnail($0)
                sdimage_request_set_encode_options($0, options.pointer)
                if own == nil { sdimage_request_set_encode_options($0, nil) }
            }
            let key = "test://h/\(name).jpg\u{1F}Thumbnail({4.000000,4.000000},1)"
            #expect(try quantizer(cache, key) == expected)
        }
        withExtendedLifetime(options) {}
    }

    @Test(arguments: [false, true], [(.SDIMAGE_FORMAT_BMP, [0x42, 0x4d]), (.SDIMAGE_FORMAT_JPEG, [0xff, 0xd8])] as [Format])
    func aThumbnailHasTheFormatOfTheRequestUnlessThatLosesItsAlphaChannel(hasAlpha: Bool, chosen: Format) throws {
        let cache = try makeCache(in: folder.path)
        let url = "test://h/l.png"
        let format: sdimage_pixel_format = hasAlpha ? .SDIMAGE_PIXEL_FORMAT_RGBA8 : .SDIMAGE_PIXEL_FORMAT_RGB8
        let image = try DrawnPicture.draw(8, 4, format) { x, y in [UInt8(x * 30), UInt8(y * 60), 90] + (hasAlpha ? [7] : []) }
        let original = bytes(of: try make(sdimage_data_unref) { sdimage_encode(image.pointer, .SDIMAGE_FORMAT_PNG, nil, $0, $1) })
        let first = try load(cache, url, bytes: original) {
            thumbnail($0)
            sdimage_request_set_encode_format($0, chosen.format)
        }
        let key = "test://h/l.png\u{1F}Thumbnail({4.000000,4.000000},1)"
        let entry = bytes(of: try make(sdimage_data_unref) { sdimage_cache_get_data(cache.pointer, key, -1, $0, $1) })
        #expect(entry.starts(with: hasAlpha ? [0x89, 0x50] : chosen.signature))
        #expect(sdimage_cache_clear(cache.pointer, .SDIMAGE_CACHE_LAYERS_MEMORY, nil) == .SDIMAGE_STATUS_OK)
        let again = try load(cache, url, thumbnail)
        #expect(again.source == .SDIMAGE_IMAGE_SOURCE_DISK)
        #expect(again.width == first.width && again.height == first.height)
        #expect(held.startCount == 1)
    }

    @Test func aThumbnailThatNoCoderDecodesIsNoObstacle() throws {
        let cache = try makeCache(in: folder.path)
        let url = "test://h/m.png"
        let key = "test://h/m.png\u{1F}Thumbnail({4.000000,4.000000},1)"
        _ = try load(cache, url, bytes: makePNG(width: 8, height: 4), thumbnail)
        // As another program stores it, which has a coder for the format.
        let foreign = try make(sdimage_data_unref) { sdimage_data_new("%PDF-1.4\n", 9, $0, $1) }
        #expect(sdimage_cache_store_data(cache.pointer, key, -1, foreign.pointer, nil) == .SDIMAGE_STATUS_OK)
        #expect(sdimage_cache_clear(cache.pointer, .SDIMAGE_CACHE_LAYERS_MEMORY, nil) == .SDIMAGE_STATUS_OK)
        let again = try load(cache, url, thumbnail)
        #expect(again.status == .SDIMAGE_STATUS_OK)
        #expect(again.width == 4)
        #expect(held.startCount == 1)
    }

    @Test func theFirstFrameOfAnAnimationInMemoryIsACopyAndTheAnimationStays() throws {
        let cache = try makeCache(in: nil)
        let pixels = [UInt8](repeating: 1, count: 4)
        let frame = try make(sdimage_image_unref) {
            sdimage_image_new(2, 2, 2, .SDIMAGE_PIXEL_FORMAT_GRAY8, pixels, $0, $1)
        }
        let frames: [OpaquePointer?] = [frame.pointer, frame.pointer]
        let moving = try make(sdimage_image_unref) { sdimage_image_new_animation(frames, [100, 100], 2, 0, $0, $1) }
        #expect(sdimage_cache_set_memory_image(cache.pointer, "test://h/i.gif", -1, moving.pointer, nil) == .SDIMAGE_STATUS_OK)
        let options = Owned(sdimage_decode_options_new()) { sdimage_decode_options_unref($0) }
        sdimage_decode_options_set_first_frame_only(options.pointer, true)
        let still = try load(cache, "test://h/i.gif") { sdimage_request_set_decode_options($0, options.pointer) }
        #expect(still.source == .SDIMAGE_IMAGE_SOURCE_MEMORY)
        let kept = Owned(try #require(memoryImage(cache.pointer, "test://h/i.gif", -1))) {
            sdimage_image_unref($0)
        }
        #expect(sdimage_image_frame_count(kept.pointer) == 2)
    }
}
