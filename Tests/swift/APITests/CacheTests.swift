import CSDImage
import Foundation
import TestSupport
import Testing

@Suite struct CacheTests {
    private func store(_ cache: Owned, _ key: String, _ text: String) throws {
        let data = try make(sdimage_data_unref) { sdimage_data_new(text, text.utf8.count, $0, $1) }
        var error: OpaquePointer?
        let status = sdimage_cache_store_data(cache.pointer, key, -1, data.pointer, &error)
        if status != .SDIMAGE_STATUS_OK { throw CallFailure(status, error) }
    }

    private func read(_ cache: Owned, _ key: String) throws -> String {
        let data = try make(sdimage_data_unref) { sdimage_cache_get_data(cache.pointer, key, -1, $0, $1) }
        return String(
            decoding: UnsafeRawBufferPointer(start: sdimage_data_bytes(data.pointer), count: sdimage_data_length(data.pointer)),
            as: UTF8.self)
    }

    @Test func whatIsStoredIsReadAgainAlsoAfterReopening() throws {
        let folder = TemporaryDirectory()
        do {
            let cache = try makeCache(in: folder.path)
            try store(cache, "small", "tiny")
            try store(cache, "large", String(repeating: "x", count: 200_000))
            #expect(try read(cache, "small") == "tiny")
        }
        let cache = try makeCache(in: folder.path)
        #expect(try read(cache, "small") == "tiny")
        #expect(try read(cache, "large").count == 200_000)
        var bytes: UInt64 = 0
        var count: UInt64 = 0
        #expect(sdimage_cache_get_disk_totals(cache.pointer, &bytes, &count, nil) == .SDIMAGE_STATUS_OK)
        #expect(count == 2)
        #expect(bytes == 200_004)
    }

    @Test func keysAreComparedAsBytes() throws {
        let cache = try makeCache(in: TemporaryDirectory())
        let composed = "caf\u{E9}"
        let decomposed = "cafe\u{301}"
        try store(cache, composed, "one")
        #expect(sdimage_cache_contains(cache.pointer, decomposed, -1) == .SDIMAGE_CACHE_LAYERS_NONE)
        #expect(try read(cache, composed) == "one")
    }

    @Test func removingAndClearingLeaveTheOtherLayerAlone() throws {
        let folder = TemporaryDirectory()
        let cache = try makeCache(in: folder.path)
        let image = try make(sdimage_image_unref) {
            sdimage_image_new(1, 1, 4, .SDIMAGE_PIXEL_FORMAT_RGBA8, [1, 2, 3, 4], $0, $1)
        }
        try store(cache, "a", "bytes")
        #expect(sdimage_cache_set_memory_image(cache.pointer, "a", -1, image.pointer, nil) == .SDIMAGE_STATUS_OK)
        #expect(sdimage_cache_contains(cache.pointer, "a", -1) == .SDIMAGE_CACHE_LAYERS_ALL)
        #expect(sdimage_cache_remove(cache.pointer, "a", -1, .SDIMAGE_CACHE_LAYERS_DISK, nil) == .SDIMAGE_STATUS_OK)
        #expect(sdimage_cache_contains(cache.pointer, "a", -1) == .SDIMAGE_CACHE_LAYERS_MEMORY)
        #expect(sdimage_cache_clear(cache.pointer, .SDIMAGE_CACHE_LAYERS_ALL, nil) == .SDIMAGE_STATUS_OK)
        #expect(sdimage_cache_contains(cache.pointer, "a", -1) == .SDIMAGE_CACHE_LAYERS_NONE)
        #expect(throws: CallFailure.self) { try read(cache, "a") }
    }

    @Test func aPathStaysReadableAfterTheEntryIsGone() throws {
        let folder = TemporaryDirectory()
        let cache = try makeCache(in: folder.path)
        try store(cache, "https://h/a.png", "inline bytes")
        let path = try make(sdimage_data_unref) { sdimage_cache_get_path(cache.pointer, "https://h/a.png", -1, $0, $1) }
        let name = String(cString: sdimage_data_bytes(path.pointer).assumingMemoryBound(to: CChar.self))
        #expect(name.count == sdimage_data_length(path.pointer))
        #expect(sdimage_cache_remove(cache.pointer, "https://h/a.png", -1, .SDIMAGE_CACHE_LAYERS_ALL, nil) == .SDIMAGE_STATUS_OK)
        #expect(try String(contentsOfFile: name, encoding: .utf8) == "inline bytes")
    }

    @Test func aClosedCacheAnswersShutdown() throws {
        let cache = try makeCache(in: TemporaryDirectory())
        #expect(sdimage_cache_close(cache.pointer, nil) == .SDIMAGE_STATUS_OK)
        #expect(sdimage_cache_close(cache.pointer, nil) == .SDIMAGE_STATUS_OK)
        var data: OpaquePointer?
        #expect(sdimage_cache_get_data(cache.pointer, "a", -1, &data, nil) == .SDIMAGE_STATUS_SHUTDOWN)
        #expect(memoryImage(cache.pointer, "a", -1) == nil)
    }

    @Test func aFolderThatOthersMayWriteToIsRefusedAndMemoryStillWorks() throws {
        let folder = TemporaryDirectory()
        chmod(folder.path, 0o777)
        try FileManager.default.createDirectory(atPath: folder.path + "/default", withIntermediateDirectories: true)
        chmod(folder.path + "/default", 0o777)
        let cache = try makeCache(in: folder.path)
        let failure = #expect(throws: CallFailure.self) { try store(cache, "a", "b") }
        #expect(failure?.status == .SDIMAGE_STATUS_CACHE_UNUSABLE)
        let held = HeldLoader()
        let manager = try makeManager(cache: cache, loader: try held.makeLoader())
        let listener = Listener()
        let request = makeRequest("test://a.png")
        sdimage_request_set_wait_for_store(request.pointer, true)
        _ = try listener.load(manager, request)
        #expect(held.answer(makePNG(width: 2, height: 2)))
        #expect(listener.final()?.status == .SDIMAGE_STATUS_OK)
    }

    @Test func aCacheOfTheHostIsUsedLikeABuiltInOne() throws {
        let dictionary = HostCache()
        let cache = try dictionary.makeCache()
        let held = HeldLoader()
        let manager = try makeManager(cache: cache, loader: try held.makeLoader())
        let request = makeRequest("test://a.png")
        sdimage_request_set_wait_for_store(request.pointer, true)
        let first = Listener()
        _ = try first.load(manager, request)
        #expect(held.answer(makePNG(width: 2, height: 2)))
        #expect(first.final()?.source == .SDIMAGE_IMAGE_SOURCE_LOADER)
        #expect(dictionary.keys == ["test://a.png"])
        let second = Listener()
        _ = try second.load(manager, request)
        #expect(second.final()?.source == .SDIMAGE_IMAGE_SOURCE_DISK)
        #expect(sdimage_cache_flush(cache.pointer, nil) == .SDIMAGE_STATUS_UNSUPPORTED)
    }

    @Test func aDroppedReplyIsAMissAndFailsNoLoad() throws {
        let dictionary = HostCache()
        dictionary.dropsReplies = true
        let held = HeldLoader()
        let manager = try makeManager(cache: try dictionary.makeCache(), loader: try held.makeLoader())
        let listener = Listener()
        let request = makeRequest("test://a.png")
        sdimage_request_set_wait_for_store(request.pointer, true)
        _ = try listener.load(manager, request)
        #expect(held.answer(makePNG(width: 2, height: 2)))
        #expect(listener.final()?.status == .SDIMAGE_STATUS_OK)
    }

    @Test func aFlushWaitsForStoresOfTheHost() throws {
        let dictionary = HostCache()
        dictionary.holdsStores = true
        let loader = try ScriptedLoader.answering(makePNG(width: 2, height: 2)).makeLoader()
        let manager = try makeManager(cache: try dictionary.makeCache(), loader: loader)
        var result: OpaquePointer?
        let request = makeRequest("test://a.png")
        #expect(sdimage_manager_load_sync(manager.pointer, request.pointer, &result, nil) == .SDIMAGE_STATUS_OK)
        sdimage_result_unref(result)
        #expect(sdimage_manager_flush(manager.pointer, 20, nil) == .SDIMAGE_STATUS_TIMEOUT)
        #expect(becomesTrue { dictionary.held.get().count == 1 })
        dictionary.held.change { $0.removeAll() }
        #expect(sdimage_manager_flush(manager.pointer, .max, nil) == .SDIMAGE_STATUS_OK)
    }
}

/// A host cache backed by a dictionary, without a memory layer.
final class HostCache: @unchecked Sendable {
    private let lock = NSLock()
    private var entries: [[UInt8]: Owned] = [:]
    var dropsReplies = false
    /// The error of all queries.
    var failure: sdimage_status?
    /// Stores end when their replies are released.
    var holdsStores = false
    let held = Locked<[Owned]>([])

    var keys: [String] { lock.withLock { entries.keys.map { String(decoding: $0, as: UTF8.self) } } }

    func put(_ bytes: [UInt8], at key: String) {
        var data: OpaquePointer?
        sdimage_data_new(bytes, bytes.count, &data, nil)
        lock.withLock { entries[Array(key.utf8)] = data.map { Owned($0) { sdimage_data_unref($0) } } }
    }

    func makeCache() throws -> Owned {
        var table = sdimage_cache_vtable()
        table.size = MemoryLayout<sdimage_cache_vtable>.size
        table.query = { userData, key, length, _, reply in
            HostCache.with(userData, key, length, reply) { cache, key in
                if let failure = cache.failure {
                    let error = sdimage_error_new(failure, "database")
                    sdimage_reply_complete_with_error(reply, error)
                    sdimage_error_unref(error)
                } else if let data = cache.entries[key] {
                    sdimage_reply_complete_with_data(reply, data.pointer)
                } else {
                    sdimage_reply_complete(reply)
                }
            }
        }
        table.store = { userData, key, length, data, _, reply in
            let cache = Unmanaged<HostCache>.fromOpaque(userData!).takeUnretainedValue()
            if cache.holdsStores { return cache.held.change { $0.append(Owned(reply!) { sdimage_reply_unref($0) }) } }
            HostCache.with(userData, key, length, reply) { cache, key in
                cache.entries[key] = sdimage_data_ref(data).map { Owned($0) { sdimage_data_unref($0) } }
                sdimage_reply_complete(reply)
            }
        }
        table.remove = { userData, key, length, _, reply in
            HostCache.with(userData, key, length, reply) { cache, key in
                cache.entries[key] = nil
                sdimage_reply_complete(reply)
            }
        }
        let userData = Unmanaged.passRetained(self).toOpaque()
        return try make(sdimage_cache_unref) { cache, error in
            sdimage_cache_new_custom(&table, userData, { Unmanaged<HostCache>.fromOpaque($0!).release() }, cache, error)
        }
    }

    private static func with(
        _ userData: UnsafeMutableRawPointer?, _ key: UnsafeRawPointer?, _ length: Int, _ reply: OpaquePointer?,
        _ body: (HostCache, [UInt8]) -> Void
    ) {
        let cache = Unmanaged<HostCache>.fromOpaque(userData!).takeUnretainedValue()
        let key = Array(UnsafeRawBufferPointer(start: key, count: length))
        if !cache.dropsReplies { cache.lock.withLock { body(cache, key) } }
        sdimage_reply_unref(reply)
    }
}
