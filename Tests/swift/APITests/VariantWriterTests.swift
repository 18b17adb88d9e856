import CSDImage
import Foundation
import SDImage
import TestSupport
import Testing

/// Thumbnails and transformed images that wait to be encoded for the disk. The tests hold workers, so they run in processes of
/// their own.
@Suite struct VariantWriterTests {
    private let folder = TemporaryDirectory()
    private let hooks = HostLoadHooks()
    /// Holds the first encode.
    private let gate = Gate()

    /// A manager whose loader answers with one image, and whose encodes wait for `gate`.
    private func makeHeldManager(_ cache: Owned) throws -> Owned {
        let gate = gate
        hooks.serialize = { _, data in
            if data == nil { gate.pass() }
            return nil
        }
        let loader = try ScriptedLoader.answering(makePNG(width: 8, height: 4)).makeLoader()
        return try hooks.makeManager(cache: cache, loader: loader)
    }

    private func thumbnail(_ request: OpaquePointer) {
        sdimage_request_set_thumbnail_size(request, 4, 4, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
    }

    @Test func theCostThatAnImageClaimsIsNotThatOfItsEncode() async {
        await #expect(processExitsWith: .success) { try VariantWriterTests().storeAnImageOfAnyCost() }
    }

    /// Returns the image with the largest cost.
    private func makeCostlyTransformer() throws -> Owned {
        var table = sdimage_transformer_vtable()
        table.size = MemoryLayout<sdimage_transformer_vtable>.size
        table.should_preserve_metadata = { _ in false }
        table.transform = { _, image, _, _, result, error in
            var metadata: OpaquePointer?
            sdimage_image_copy_metadata(image, &metadata, nil)
            defer { sdimage_metadata_unref(metadata) }
            sdimage_metadata_set_memory_cost(metadata, .max)
            return sdimage_image_with_metadata(image, metadata, result, error)
        }
        return try make(sdimage_transformer_unref) { sdimage_transformer_new_custom("costly", &table, nil, nil, $0, $1) }
    }

    private func storeAnImageOfAnyCost() throws {
        let cache = try makeCache(in: folder.path)
        let manager = try makeHeldManager(cache), transformer = try makeCostlyTransformer()
        _ = try load(manager, "test://h/a.png", thumbnail)
        #expect(gate.waitForEntry())
        let costly = try load(manager, "test://h/b.png") { sdimage_request_set_transformer($0, transformer.pointer) }
        #expect(costly.status == .SDIMAGE_STATUS_OK)
        // The transformed image, its original, and the original of the first image.
        #expect(becomesTrue { Engine.current?.work.queuedJobs == 3 || diskBytes(cache, "test://h/b.png") != nil })
        gate.open()
        #expect(becomesTrue { diskBytes(cache, "test://h/b.png\u{1F}costly") != nil })
    }

    @Test func aRemovalMakesWayForTheThumbnailOfALaterLoad() async {
        await #expect(processExitsWith: .success) { try VariantWriterTests().storeAgainAfterARemoval() }
    }

    private func storeAgainAfterARemoval() throws {
        let cache = try makeCache(in: folder.path)
        let manager = try makeHeldManager(cache)
        let url = "test://h/a.png", key = "test://h/a.png\u{1F}Thumbnail({4.000000,4.000000},1)"
        _ = try load(manager, url)
        #expect(becomesTrue { diskBytes(cache, url) != nil })
        _ = try load(manager, url, thumbnail)
        #expect(gate.waitForEntry())
        #expect(sdimage_cache_remove(cache.pointer, key, -1, .SDIMAGE_CACHE_LAYERS_ALL, nil) == .SDIMAGE_STATUS_OK)
        // Encoded again, of the original on disk, while the first encode still runs.
        #expect(try load(manager, url, thumbnail).source == .SDIMAGE_IMAGE_SOURCE_DISK)
        gate.open()
        #expect(becomesTrue { diskBytes(cache, key) != nil })
    }

    @Test func anEncodeWhoseEntryIsRemovedEnds() async {
        await #expect(processExitsWith: .success) { try VariantWriterTests().clearDuringTheEncode() }
    }

    private func clearDuringTheEncode() throws {
        let busy = BusyCoder(.budget)
        let coder = try busy.makeCoder()
        #expect(sdimage_coder_register(coder.pointer, nil) == .SDIMAGE_STATUS_OK)
        let cache = try makeCache(in: folder.path)
        let loader = try ScriptedLoader.answering(makePNG(width: 8, height: 4)).makeLoader()
        let manager = try makeManager(cache: cache, loader: loader)
        _ = try load(manager, "test://h/a.png") {
            thumbnail($0)
            sdimage_request_set_encode_format($0, .SDIMAGE_FORMAT_BMP)
        }
        #expect(becomesTrue { busy.started == 1 })
        #expect(sdimage_cache_clear(cache.pointer, .SDIMAGE_CACHE_LAYERS_ALL, nil) == .SDIMAGE_STATUS_OK)
        #expect(becomesTrue { busy.returned == 1 })
        #expect(busy.budget?.status == .SDIMAGE_STATUS_CANCELLED)
        #expect(sdimage_coder_unregister(coder.pointer, nil) == .SDIMAGE_STATUS_OK)
    }
}
