import CSDImage
import TestSupport
import Testing

/// The size of the original of a thumbnail, whichever layer of the cache has it.
@Suite struct VariantSourceTests {
    /// Width, height and source of a loaded image.
    private struct Loaded: Equatable {
        var width: UInt32 = 0
        var height: UInt32 = 0
        var isDamaged = false
        var source = sdimage_image_source.SDIMAGE_IMAGE_SOURCE_NONE
    }

    private func load(_ manager: Owned, _ change: (OpaquePointer) -> Void) throws -> Loaded {
        let request = makeRequest("test://h/a.png")
        sdimage_request_set_wait_for_store(request.pointer, true)
        change(request.pointer)
        let result = try make(sdimage_result_unref) { sdimage_manager_load_sync(manager.pointer, request.pointer, $0, $1) }
        let image = sdimage_result_image(result.pointer)
        let size = sdimage_image_source_size(image)
        return Loaded(
            width: size.width, height: size.height, isDamaged: sdimage_image_is_damaged(image),
            source: sdimage_result_source(result.pointer))
    }

    /// Loads from the loader, from memory, from disk and from disk without the original.
    private func loadFromEverywhere(_ file: [UInt8], _ change: (OpaquePointer) -> Void) throws -> [Loaded] {
        let folder = TemporaryDirectory()
        let cache = try makeCache(in: folder)
        let manager = try makeManager(cache: cache, loader: try ScriptedLoader.answering(file).makeLoader())
        var loaded = [try load(manager, change), try load(manager, change)]
        _ = sdimage_cache_clear(cache.pointer, .SDIMAGE_CACHE_LAYERS_MEMORY, nil)
        loaded.append(try load(manager, change))
        _ = sdimage_cache_remove(cache.pointer, "test://h/a.png", -1, .SDIMAGE_CACHE_LAYERS_ALL, nil)
        _ = sdimage_cache_clear(cache.pointer, .SDIMAGE_CACHE_LAYERS_MEMORY, nil)
        loaded.append(try load(manager, change))
        return loaded
    }

    private static let sources: [sdimage_image_source] = [
        .SDIMAGE_IMAGE_SOURCE_LOADER, .SDIMAGE_IMAGE_SOURCE_MEMORY, .SDIMAGE_IMAGE_SOURCE_DISK, .SDIMAGE_IMAGE_SOURCE_DISK,
    ]

    @Test func everyLayerHasTheSizeOfTheOriginal() throws {
        let loaded = try loadFromEverywhere(makePNG(width: 40, height: 20)) {
            sdimage_request_set_thumbnail_size($0, 8, 8, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
        }
        #expect(loaded == VariantSourceTests.sources.map { Loaded(width: 40, height: 20, source: $0) })
    }

    @Test func transformedImagesHaveTheSizeOfTheOriginal() throws {
        let transformer = try CountingTransformer(width: 5).makeTransformer(key: "Narrow")
        let loaded = try loadFromEverywhere(makePNG(width: 40, height: 20)) {
            sdimage_request_set_transformer($0, transformer.pointer)
        }
        #expect(loaded == VariantSourceTests.sources.map { Loaded(width: 40, height: 20, source: $0) })
    }

    @Test func theMarkOfDamageIsKeptWithTheThumbnail() throws {
        // Too large for a thumbnail from DC coefficients.
        let file = try DamagedImageTests.damagedJPEG(width: 120, height: 100)
        let loaded = try loadFromEverywhere(file) {
            sdimage_request_set_thumbnail_size($0, 90, 90, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
        }
        #expect(loaded == VariantSourceTests.sources.map { Loaded(width: 120, height: 100, isDamaged: true, source: $0) })
    }
}
