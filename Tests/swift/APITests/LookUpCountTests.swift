import CSDImage
import Foundation
import TestSupport
import Testing

/// The counters of a memory cache: each load counts as one hit or one miss.
@Suite struct LookUpCountTests {
    private struct Counts: Equatable {
        var hits: Int
        var misses: Int
    }

    private let cache: Owned
    private let manager: Owned

    init() throws {
        cache = try makeCache(in: nil)
        manager = try makeManager(cache: cache, loader: try ScriptedLoader.answering(makePNG(width: 4, height: 4)).makeLoader())
    }

    private func counts() throws -> Counts {
        var statistics = sdimage_cache_statistics()
        statistics.size = MemoryLayout<sdimage_cache_statistics>.size
        try #require(sdimage_cache_get_statistics(cache.pointer, &statistics, nil) == .SDIMAGE_STATUS_OK)
        return Counts(hits: Int(statistics.memory_hits), misses: Int(statistics.memory_misses))
    }

    private func load(_ change: (OpaquePointer) -> Void = { _ in }) throws -> sdimage_image_source? {
        let request = makeRequest("test://a")
        change(request.pointer)
        let listener = Listener()
        _ = try listener.load(manager, request)
        return listener.final()?.source
    }

    @Test func loadsThatAreCalledBackElsewhere() throws {
        #expect(try load() == .SDIMAGE_IMAGE_SOURCE_LOADER)
        #expect(try counts() == Counts(hits: 0, misses: 1))
        #expect(try load() == .SDIMAGE_IMAGE_SOURCE_MEMORY)
        #expect(try counts() == Counts(hits: 1, misses: 1))
    }

    @Test func loadsThatWait() throws {
        let request = makeRequest("test://a")
        func source() throws -> sdimage_image_source {
            let result = try make(sdimage_result_unref) { sdimage_manager_load_sync(manager.pointer, request.pointer, $0, $1) }
            return sdimage_result_source(result.pointer)
        }
        #expect(try source() == .SDIMAGE_IMAGE_SOURCE_LOADER)
        #expect(try counts() == Counts(hits: 0, misses: 1))
        #expect(try source() == .SDIMAGE_IMAGE_SOURCE_MEMORY)
        #expect(try counts() == Counts(hits: 1, misses: 1))
    }

    @Test func loadsThatAreCalledBackAtOnce() throws {
        let immediate = try make(sdimage_dispatcher_unref) { sdimage_dispatcher_new_immediate($0, $1) }
        let isImmediate = { request in sdimage_request_set_dispatcher(request, immediate.pointer) }
        #expect(try load(isImmediate) == .SDIMAGE_IMAGE_SOURCE_LOADER)
        #expect(try counts() == Counts(hits: 0, misses: 1))
        #expect(try load(isImmediate) == .SDIMAGE_IMAGE_SOURCE_MEMORY)
        #expect(try counts() == Counts(hits: 1, misses: 1))
    }

    /// The image under the original's key is looked up, too, because the transformer might leave it unchanged.
    @Test func loadsWithATransformer() throws {
        let flip = try make(sdimage_transformer_unref) { sdimage_transformer_new_flip(true, false, $0, $1) }
        let flips = { request in sdimage_request_set_transformer(request, flip.pointer) }
        #expect(try load(flips) == .SDIMAGE_IMAGE_SOURCE_LOADER)
        #expect(try counts() == Counts(hits: 0, misses: 1))
        #expect(try load(flips) == .SDIMAGE_IMAGE_SOURCE_MEMORY)
        #expect(try counts() == Counts(hits: 1, misses: 1))
    }

    @Test func loadsOfATarget() throws {
        let widget = Widget()
        let target = try widget.makeTarget(manager)
        for number in 1...2 {
            try widget.load(target, makeRequest("test://a"))
            #expect(widget.waitForTold(number))
            #expect(try counts() == Counts(hits: number - 1, misses: 1))
        }
    }
}
