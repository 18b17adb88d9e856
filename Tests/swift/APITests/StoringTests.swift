import CSDImage
import Foundation
import TestSupport
import Testing

/// Caches queried and filled by a load: the image, its original, and its variants.
@Suite struct StoringTests {
    private let folder = TemporaryDirectory()
    private let picture = makePNG(width: 8, height: 4)
    private static let url = "test://h/a.png"
    private static let thumbnailKey = "test://h/a-Thumbnail(%7B4.000000,4.000000%7D,1).png"

    enum Variant: String, Sendable { case plain, thumbnail, transformed }

    struct Row: Sendable, CustomTestStringConvertible {
        let variant: Variant
        let store: UInt32
        let originalStore: UInt32
        /// The layers in which the image and its original are found afterwards.
        let final: UInt32
        let original: UInt32

        init(_ variant: Variant, _ store: UInt32, _ originalStore: UInt32, final: UInt32, original: UInt32) {
            (self.variant, self.store, self.originalStore) = (variant, store, originalStore)
            (self.final, self.original) = (final, original)
        }

        var testDescription: String { "\(variant.rawValue), store \(store), original \(originalStore)" }
    }

    private static func layers(_ number: UInt32) -> sdimage_cache_layers { sdimage_cache_layers(rawValue: number)! }

    private func setVariant(_ variant: Variant, _ request: OpaquePointer, _ transformer: Owned) {
        if variant == .thumbnail { sdimage_request_set_thumbnail_size(request, 4, 4, .SDIMAGE_SCALE_MODE_ASPECT_FIT) }
        if variant == .transformed { sdimage_request_set_transformer(request, transformer.pointer) }
    }

    private func finalKey(_ variant: Variant) -> String {
        switch variant {
        case .plain: StoringTests.url
        case .thumbnail: StoringTests.thumbnailKey
        case .transformed: "test://h/a-five.png"
        }
    }

    private func found(_ cache: Owned, _ key: String) -> UInt32 {
        // Looks up memory and disk separately.
        let memory = memoryImage(cache.pointer, key, -1)
        sdimage_image_unref(memory)
        return (memory == nil ? 0 : 2) + (diskBytes(cache, key) == nil ? 0 : 1)
    }

    // Layer bits: 1 is disk, 2 is memory.
    @Test(arguments: [
        Row(.plain, 3, 1, final: 3, original: 3), Row(.plain, 2, 1, final: 2, original: 2),
        Row(.plain, 1, 1, final: 1, original: 1), Row(.plain, 0, 1, final: 0, original: 0),
        Row(.plain, 3, 0, final: 3, original: 3), Row(.plain, 0, 3, final: 0, original: 0),
        Row(.transformed, 3, 1, final: 3, original: 1), Row(.transformed, 0, 1, final: 0, original: 1),
        Row(.transformed, 3, 0, final: 3, original: 0), Row(.transformed, 2, 3, final: 2, original: 3),
        Row(.transformed, 1, 2, final: 1, original: 2), Row(.transformed, 0, 0, final: 0, original: 0),
        Row(.thumbnail, 3, 1, final: 3, original: 1), Row(.thumbnail, 0, 3, final: 0, original: 1),
        Row(.thumbnail, 2, 2, final: 2, original: 0), Row(.thumbnail, 1, 0, final: 1, original: 0),
    ]) func whatIsLoadedIsKeptWhereTheRequestSays(row: Row) throws {
        let cache = try makeCache(in: folder.path)
        let transformer = try CountingTransformer(width: 5).makeTransformer(key: "five")
        let manager = try makeManager(cache: cache, loader: try ScriptedLoader.answering(picture).makeLoader())
        _ = try load(manager, StoringTests.url) {
            setVariant(row.variant, $0, transformer)
            sdimage_request_set_wait_for_store($0, true)
            setStoreLayers($0, StoringTests.layers(row.store))
            setOriginalStoreLayers($0, StoringTests.layers(row.originalStore))
        }
        #expect(found(cache, finalKey(row.variant)) == row.final)
        #expect(found(cache, StoringTests.url) == row.original)
    }

    // An original from disk is stored in memory if requested, and not written to disk again.
    @Test func anOriginalFromTheDiskIsKeptInMemoryBeforeItIsTransformed() throws {
        let cache = try makeCache(in: folder.path)
        let transformer = try CountingTransformer(width: 5).makeTransformer(key: "five")
        let data = try make(sdimage_data_unref) { sdimage_data_new(picture, picture.count, $0, $1) }
        #expect(sdimage_cache_store_data(cache.pointer, StoringTests.url, -1, data.pointer, nil) == .SDIMAGE_STATUS_OK)
        let manager = try makeManager(cache: cache, loader: try HeldLoader().makeLoader())
        let made = try load(manager, StoringTests.url) {
            setVariant(.transformed, $0, transformer)
            setOriginalStoreLayers($0, .SDIMAGE_CACHE_LAYERS_ALL)
        }
        #expect(made.width == 5 && made.source == .SDIMAGE_IMAGE_SOURCE_DISK)
        let kept = Owned(try #require(memoryImage(cache.pointer, StoringTests.url, -1))) {
            sdimage_image_unref($0)
        }
        #expect(sdimage_image_width(kept.pointer) == 8 && !sdimage_image_is_transformed(kept.pointer))
    }

    struct Query: Sendable, CustomTestStringConvertible {
        let layers: UInt32
        let isPlain: Bool
        let source: sdimage_image_source
        var testDescription: String { "layers \(layers) of the \(isPlain ? "picture" : "original")" }
    }

    // The image is stored in both layers; the queried layers find it.
    @Test(arguments: [
        Query(layers: 3, isPlain: true, source: .SDIMAGE_IMAGE_SOURCE_MEMORY),
        Query(layers: 2, isPlain: true, source: .SDIMAGE_IMAGE_SOURCE_MEMORY),
        Query(layers: 1, isPlain: true, source: .SDIMAGE_IMAGE_SOURCE_DISK),
        Query(layers: 0, isPlain: true, source: .SDIMAGE_IMAGE_SOURCE_LOADER),
        Query(layers: 3, isPlain: false, source: .SDIMAGE_IMAGE_SOURCE_MEMORY),
        Query(layers: 2, isPlain: false, source: .SDIMAGE_IMAGE_SOURCE_MEMORY),
        Query(layers: 1, isPlain: false, source: .SDIMAGE_IMAGE_SOURCE_DISK),
        Query(layers: 0, isPlain: false, source: .SDIMAGE_IMAGE_SOURCE_LOADER),
    ]) func theLayersAskedForAreAsked(query: Query) throws {
        let cache = try makeCache(in: folder.path)
        let transformer = try CountingTransformer(width: 5).makeTransformer(key: "five")
        let manager = try makeManager(cache: cache, loader: try ScriptedLoader.answering(picture).makeLoader())
        _ = try load(manager, StoringTests.url) { sdimage_request_set_wait_for_store($0, true) }
        let made = try load(manager, StoringTests.url) {
            if query.isPlain { return setQueryLayers($0, StoringTests.layers(query.layers)) }
            setVariant(.transformed, $0, transformer)
            setOriginalQueryLayers($0, StoringTests.layers(query.layers))
        }
        #expect(made.source == query.source)
        #expect(made.width == (query.isPlain ? 8 : 5))
    }

    // A thumbnail is derived from an original in memory; the full image is neither delivered nor stored as the thumbnail.
    @Test func aThumbnailIsMadeOfAnOriginalInMemory() throws {
        let cache = try makeCache(in: folder.path)
        let held = HeldLoader()
        let manager = try makeManager(cache: cache, loader: try held.makeLoader())
        let image = try make(sdimage_image_unref) { sdimage_decode(picture, picture.count, nil, $0, $1) }
        #expect(sdimage_cache_set_memory_image(cache.pointer, StoringTests.url, -1, image.pointer, nil) == .SDIMAGE_STATUS_OK)
        let small = try load(manager, StoringTests.url) {
            setVariant(.thumbnail, $0, image)
            sdimage_request_set_wait_for_store($0, true)
            setOriginalQueryLayers($0, .SDIMAGE_CACHE_LAYERS_MEMORY)
        }
        #expect(small.width == 4 && small.height == 2)
        #expect(small.source == .SDIMAGE_IMAGE_SOURCE_MEMORY && !small.hasData)
        let kept = Owned(try #require(memoryImage(cache.pointer, StoringTests.thumbnailKey, -1))) {
            sdimage_image_unref($0)
        }
        #expect(sdimage_image_width(kept.pointer) == 4)
        #expect(diskBytes(cache, StoringTests.thumbnailKey) != nil)
        #expect(diskBytes(cache, StoringTests.url) == nil)
        #expect(held.startCount == 0)
    }

    // The pixels in memory are upright and in sRGB; a request for the stored pixels decodes the bytes.
    @Test func pixelsAsTheyAreStoredAreNotMadeOfThoseInMemory() throws {
        let cache = try makeCache(in: nil)
        let manager = try makeManager(cache: cache, loader: try ScriptedLoader.answering(picture).makeLoader())
        _ = try load(manager, StoringTests.url)
        let options = Owned(sdimage_decode_options_new()) { sdimage_decode_options_unref($0) }
        sdimage_decode_options_set_apply_orientation(options.pointer, false)
        let made = try load(manager, StoringTests.url) {
            sdimage_request_set_decode_options($0, options.pointer)
            setOriginalQueryLayers($0, .SDIMAGE_CACHE_LAYERS_ALL)
        }
        #expect(made.source == .SDIMAGE_IMAGE_SOURCE_LOADER)
    }

    // No cache is queried, not even for originals, but the result is stored.
    @Test func aLoadFromTheLoaderAloneAsksNoCacheAndFillsThem() throws {
        let cache = try makeCache(in: folder.path)
        let held = HeldLoader()
        let manager = try makeManager(cache: cache, loader: try held.makeLoader())
        let transformer = try CountingTransformer(width: 5).makeTransformer(key: "five")
        for round in 1...2 {
            let request = makeRequest(StoringTests.url)
            setVariant(.transformed, request.pointer, transformer)
            sdimage_request_set_wait_for_store(request.pointer, true)
            setOriginalQueryLayers(request.pointer, .SDIMAGE_CACHE_LAYERS_ALL)
            sdimage_request_set_source_policy(request.pointer, .SDIMAGE_SOURCE_POLICY_LOADER_ONLY)
            let listener = Listener()
            _ = try listener.load(manager, request)
            #expect(held.answer(picture))
            #expect(listener.final()?.width == 5)
            #expect(held.startCount == round)
        }
        #expect(found(cache, "test://h/a-five.png") == 3 && found(cache, StoringTests.url) == 1)
    }

    // MARK: A separate cache for originals

    // SDWebImage context key `originalImageCache`.
    @Test func originalsMayLieInACacheOfTheirOwn() throws {
        let folders = [TemporaryDirectory(), TemporaryDirectory()]
        let (cache, originals) = (try makeCache(in: folders[0].path), try makeCache(in: folders[1].path))
        let held = HeldLoader()
        let manager = try makeManager(cache: cache, loader: try held.makeLoader())
        let transformer = try CountingTransformer(width: 5).makeTransformer(key: "five")
        let change: (OpaquePointer) -> Void = { [self] in
            setVariant(.transformed, $0, transformer)
            sdimage_request_set_wait_for_store($0, true)
            sdimage_request_set_original_cache($0, originals.pointer)
            setOriginalStoreLayers($0, .SDIMAGE_CACHE_LAYERS_ALL)
        }
        let request = makeRequest(StoringTests.url)
        change(request.pointer)
        let listener = Listener()
        _ = try listener.load(manager, request)
        #expect(held.answer(picture))
        #expect(listener.final()?.width == 5)
        #expect(found(cache, StoringTests.url) == 0 && found(cache, "test://h/a-five.png") == 3)
        #expect(found(originals, StoringTests.url) == 3 && found(originals, "test://h/a-five.png") == 0)
        // A removed image is derived from the original in that cache.
        #expect(sdimage_cache_clear(cache.pointer, .SDIMAGE_CACHE_LAYERS_ALL, nil) == .SDIMAGE_STATUS_OK)
        #expect(try load(manager, StoringTests.url, change).source == .SDIMAGE_IMAGE_SOURCE_DISK)
        #expect(held.startCount == 1)
    }

    // A load that delivers the original itself uses only the main cache. NULL means no cache for originals; reset selects the
    // main cache.
    @Test func theCacheOfOriginalsMattersWhereThePictureIsMadeOfThem() throws {
        let folders = [TemporaryDirectory(), TemporaryDirectory()]
        let (cache, originals) = (try makeCache(in: folders[0].path), try makeCache(in: folders[1].path))
        let manager = try makeManager(cache: cache, loader: try ScriptedLoader.answering(picture).makeLoader())
        let transformer = try CountingTransformer(width: 5).makeTransformer(key: "five")
        _ = try load(manager, StoringTests.url) {
            sdimage_request_set_wait_for_store($0, true)
            sdimage_request_set_original_cache($0, originals.pointer)
        }
        #expect(found(cache, StoringTests.url) == 3 && found(originals, StoringTests.url) == 0)
        #expect(sdimage_cache_clear(cache.pointer, .SDIMAGE_CACHE_LAYERS_ALL, nil) == .SDIMAGE_STATUS_OK)
        for (isReset, expected) in [(false, UInt32(0)), (true, 1)] {
            _ = try load(manager, StoringTests.url) {
                setVariant(.transformed, $0, transformer)
                sdimage_request_set_wait_for_store($0, true)
                sdimage_request_set_original_cache($0, nil)
                if isReset { sdimage_request_reset_original_cache($0) }
                setQueryLayers($0, .SDIMAGE_CACHE_LAYERS_NONE)
            }
            #expect(found(cache, StoringTests.url) == expected)
        }
    }

    // The new validators are stored with the variant and with its original, each in its own cache.
    @Test func aRefreshAsksUnderTheConditionsOfAnOriginalElsewhere() throws {
        let fixture = try FreshnessFixture(["ETag": "\"a\""])
        let elsewhere = TemporaryDirectory()
        let originals = try makeCache(in: elsewhere.path)
        let change: (OpaquePointer) -> Void = {
            sdimage_request_set_thumbnail_size($0, 4, 4, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
            setStoreLayers($0, .SDIMAGE_CACHE_LAYERS_NONE)
            sdimage_request_set_original_cache($0, originals.pointer)
        }
        #expect(try fixture.load(.SDIMAGE_FRESHNESS_IGNORE, change).last?.width == 4)
        #expect(diskBytes(fixture.cache, fixture.origin.url()) == nil && diskBytes(originals, fixture.origin.url()) != nil)
        let deliveries = try fixture.load(.SDIMAGE_FRESHNESS_REFRESH, change)
        #expect(deliveries.map(\.kind) == [.SDIMAGE_DELIVERY_KIND_CACHED, .SDIMAGE_DELIVERY_KIND_FINAL])
        #expect(deliveries.last?.width == 4 && deliveries.last?.isChanged == false)
        #expect(fixture.origin.requests.map(kind) == ["plain", "conditional"])
    }

    // MARK: Bytes of the result

    @Test func bytesComeWithWhatIsNeitherAThumbnailNorTransformed() throws {
        let cache = try makeCache(in: folder.path)
        let transformer = try CountingTransformer(width: 5).makeTransformer(key: "five")
        let manager = try makeManager(cache: cache, loader: try ScriptedLoader.answering(picture).makeLoader())
        for variant in [Variant.plain, .thumbnail, .transformed] {
            let change: (OpaquePointer) -> Void = { [self] in
                setVariant(variant, $0, transformer)
                sdimage_request_set_wait_for_store($0, true)
            }
            let reload: (OpaquePointer) -> Void = {
                change($0)
                sdimage_request_set_source_policy($0, .SDIMAGE_SOURCE_POLICY_LOADER_ONLY)
            }
            #expect(try load(manager, StoringTests.url, reload).hasData == (variant == .plain))
            let inMemory = try load(manager, StoringTests.url, change)
            #expect(inMemory.source == .SDIMAGE_IMAGE_SOURCE_MEMORY && !inMemory.hasData)
            // The disk has an entry with its own bytes.
            #expect(sdimage_cache_clear(cache.pointer, .SDIMAGE_CACHE_LAYERS_MEMORY, nil) == .SDIMAGE_STATUS_OK)
            let onDisk = try load(manager, StoringTests.url, change)
            #expect(onDisk.source == .SDIMAGE_IMAGE_SOURCE_DISK && onDisk.hasData)
        }
    }

    // An animation bypasses its transformer, and its bytes stay unchanged.
    @Test func whatATransformerLeavesAloneKeepsItsBytes() throws {
        let coder = try LampCoder().makeCoder()
        let loader = try ScriptedLoader.answering(LampCoder.file(width: 4, height: 4, frames: 2)).makeLoader()
        let manager = try makeManager(cache: try makeCache(in: nil), loader: loader)
        let transformer = try CountingTransformer(width: 5).makeTransformer(key: "five")
        let moving = try load(manager, "test://a.lamp") {
            sdimage_request_set_coder($0, coder.pointer)
            sdimage_request_set_transformer($0, transformer.pointer)
        }
        #expect(moving.width == 4 && moving.hasData)
    }
}
