import CSDImage
import TestSupport
import Testing

/// An image whose transformer fails is delivered untransformed.
@Suite struct FailingTransformerTests {
    private let folder = TemporaryDirectory()
    private let failing = CountingTransformer(width: 5, failure: .SDIMAGE_STATUS_TRANSFORM_FAILED)

    private func manager(_ cache: Owned) throws -> Owned {
        try makeManager(cache: cache, loader: try ScriptedLoader.answering(makePNG(width: 6, height: 4)).makeLoader())
    }

    @Test func aPictureThatCannotBeTransformedIsDeliveredWithItsBytes() throws {
        let cache = try makeCache(in: folder.path)
        let transformer = try failing.makeTransformer(key: "never")
        let final = try load(try manager(cache), "test://h/a.png") {
            sdimage_request_set_transformer($0, transformer.pointer)
            sdimage_request_set_wait_for_store($0, true)
        }
        #expect(final.status == .SDIMAGE_STATUS_OK && final.width == 6 && final.hasData)
        #expect(sdimage_cache_contains(cache.pointer, "test://h/a-never.png", -1) == .SDIMAGE_CACHE_LAYERS_NONE)
        #expect(sdimage_cache_contains(cache.pointer, "test://h/a.png", -1) == .SDIMAGE_CACHE_LAYERS_DISK)
    }

    // Each load calls the transformer again, also for an original from disk.
    @Test func aTransformerThatFailedIsAskedAgain() throws {
        let cache = try makeCache(in: folder.path)
        let transformer = try failing.makeTransformer(key: "never")
        let manager = try manager(cache)
        for source in [sdimage_image_source.SDIMAGE_IMAGE_SOURCE_LOADER, .SDIMAGE_IMAGE_SOURCE_DISK] {
            let request = makeRequest("test://h/a.png")
            sdimage_request_set_transformer(request.pointer, transformer.pointer)
            sdimage_request_set_wait_for_store(request.pointer, true)
            let result = try make(sdimage_result_unref) { sdimage_manager_load_sync(manager.pointer, request.pointer, $0, $1) }
            #expect(sdimage_result_source(result.pointer) == source)
            #expect(!sdimage_image_is_transformed(sdimage_result_image(result.pointer)))
        }
        #expect(failing.keys == ["test://h/a-never.png", "test://h/a-never.png"])
        #expect(sdimage_cache_contains(cache.pointer, "test://h/a-never.png", -1) == .SDIMAGE_CACHE_LAYERS_NONE)
    }

    // The thumbnail is delivered untransformed. The transformer's key stays unused, and no bytes are returned.
    @Test func aThumbnailThatCannotBeTransformedHasNoBytes() throws {
        let cache = try makeCache(in: folder.path)
        let transformer = try failing.makeTransformer(key: "never")
        let final = try load(try manager(cache), "test://h/a.png") {
            sdimage_request_set_transformer($0, transformer.pointer)
            sdimage_request_set_thumbnail_size($0, 3, 3, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
            sdimage_request_set_wait_for_store($0, true)
        }
        #expect(final.width == 3 && !final.hasData)
        let key = "test://h/a-Thumbnail(%7B3.000000,3.000000%7D,1)-never.png"
        #expect(sdimage_cache_contains(cache.pointer, key, -1) == .SDIMAGE_CACHE_LAYERS_NONE)
    }

    // A transformed image is marked as transformed, also from memory and disk.
    @Test func aTransformedPictureSaysThatItIs() throws {
        let cache = try makeCache(in: folder.path)
        let transformer = try CountingTransformer(width: 5).makeTransformer(key: "five")
        let manager = try manager(cache)
        for _ in 0..<2 {
            for _ in 0..<2 {
                let request = makeRequest("test://h/a.png")
                sdimage_request_set_transformer(request.pointer, transformer.pointer)
                sdimage_request_set_wait_for_store(request.pointer, true)
                let result = try make(sdimage_result_unref) {
                    sdimage_manager_load_sync(manager.pointer, request.pointer, $0, $1)
                }
                #expect(sdimage_image_is_transformed(sdimage_result_image(result.pointer)))
            }
            #expect(sdimage_cache_clear(cache.pointer, .SDIMAGE_CACHE_LAYERS_MEMORY, nil) == .SDIMAGE_STATUS_OK)
        }
    }

    // A success without an image, and a failure without an error object.
    @Test(arguments: [
        (sdimage_status.SDIMAGE_STATUS_OK, sdimage_status.SDIMAGE_STATUS_TRANSFORM_FAILED),
        (.SDIMAGE_STATUS_NEED_MORE_DATA, .SDIMAGE_STATUS_TRANSFORM_FAILED),
        (.SDIMAGE_STATUS_TRANSFORM_FAILED, .SDIMAGE_STATUS_TRANSFORM_FAILED),
        (.SDIMAGE_STATUS_NOT_FOUND, .SDIMAGE_STATUS_NOT_FOUND),
    ])
    func aTransformerWithoutAnImageHasFailed(_ returned: sdimage_status, _ expected: sdimage_status) throws {
        let returned = Unmanaged.passRetained(Locked(returned)).toOpaque()
        var table = sdimage_transformer_vtable()
        table.size = MemoryLayout<sdimage_transformer_vtable>.size
        table.transform = { userData, _, _, _, _, _ in
            Unmanaged<Locked<sdimage_status>>.fromOpaque(userData!).takeUnretainedValue().get()
        }
        let transformer = try make(sdimage_transformer_unref) {
            sdimage_transformer_new_custom(
                "empty", &table, returned, { Unmanaged<Locked<sdimage_status>>.fromOpaque($0!).release() }, $0, $1)
        }
        let image = try makeImage(width: 4)
        var result: OpaquePointer?
        var error: OpaquePointer?
        #expect(sdimage_image_transform(image.pointer, transformer.pointer, &result, &error) == expected)
        #expect(result == nil && sdimage_error_code(error) == expected)
        sdimage_error_unref(error)
    }
}
