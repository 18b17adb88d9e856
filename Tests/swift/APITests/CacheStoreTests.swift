import CSDImage
import Foundation
import TestSupport
import Testing

/// Storing images and bytes, and the asynchronous calls, in caches of every kind.
@Suite struct CacheStoreTests {
    private let folder = TemporaryDirectory()

    private func picture(hasAlpha: Bool = false) throws -> Owned {
        let channels = hasAlpha ? 4 : 3
        let pixels = [UInt8](repeating: 128, count: 16 * 16 * channels)
        let format: sdimage_pixel_format = hasAlpha ? .SDIMAGE_PIXEL_FORMAT_RGBA8 : .SDIMAGE_PIXEL_FORMAT_RGB8
        return try make(sdimage_image_unref) { sdimage_image_new(16, 16, 16 * channels, format, pixels, $0, $1) }
    }

    private func store(_ cache: Owned, _ image: Owned?, _ data: Owned?, _ layers: sdimage_cache_layers) -> sdimage_status {
        sdimage_cache_store(cache.pointer, "k", -1, image?.pointer, data?.pointer, layers, nil, nil)
    }

    private func bytes(_ cache: Owned) throws -> [UInt8] {
        let data = try make(sdimage_data_unref) { sdimage_cache_get_data(cache.pointer, "k", -1, $0, $1) }
        return Array(UnsafeRawBufferPointer(start: sdimage_data_bytes(data.pointer), count: sdimage_data_length(data.pointer)))
    }

    @Test(arguments: zip([false, true], [[0xFF, 0xD8], [0x89, 0x50]] as [[UInt8]]))
    func aPictureWithoutBytesIsEncodedByWhatItNeeds(hasAlpha: Bool, signature: [UInt8]) throws {
        let cache = try makeCache(in: folder.path)
        #expect(store(cache, try picture(hasAlpha: hasAlpha), nil, .SDIMAGE_CACHE_LAYERS_ALL) == .SDIMAGE_STATUS_OK)
        #expect(Array(try bytes(cache).prefix(2)) == signature)
        #expect(sdimage_cache_contains(cache.pointer, "k", -1) == .SDIMAGE_CACHE_LAYERS_ALL)
    }

    @Test func anAnimationWithoutBytesIsStoredMoving() throws {
        let cache = try makeCache(in: folder.path)
        let frames = [try picture(), try picture()]
        let pointers: [OpaquePointer?] = frames.map(\.pointer)
        let durations: [UInt32] = [100, 200]
        let moving = try make(sdimage_image_unref) { sdimage_image_new_animation(pointers, durations, 2, 0, $0, $1) }
        withExtendedLifetime(frames) {}
        #expect(store(cache, moving, nil, .SDIMAGE_CACHE_LAYERS_DISK) == .SDIMAGE_STATUS_OK)
        #expect(Array(try bytes(cache).prefix(3)) == Array("GIF".utf8))
        let image = try make(sdimage_image_unref) { sdimage_cache_get_image(cache.pointer, "k", -1, nil, $0, $1) }
        #expect(sdimage_image_frame_count(image.pointer) == 2)
    }

    @Test func layersSayWhereItGoes() throws {
        let cache = try makeCache(in: folder.path)
        #expect(store(cache, try picture(), nil, .SDIMAGE_CACHE_LAYERS_MEMORY) == .SDIMAGE_STATUS_OK)
        #expect(sdimage_cache_contains(cache.pointer, "k", -1) == .SDIMAGE_CACHE_LAYERS_MEMORY)
        #expect(sdimage_cache_clear(cache.pointer, .SDIMAGE_CACHE_LAYERS_MEMORY, nil) == .SDIMAGE_STATUS_OK)
        #expect(store(cache, try picture(), nil, .SDIMAGE_CACHE_LAYERS_NONE) == .SDIMAGE_STATUS_OK)
        #expect(sdimage_cache_contains(cache.pointer, "k", -1) == .SDIMAGE_CACHE_LAYERS_NONE)
        #expect(store(cache, nil, nil, .SDIMAGE_CACHE_LAYERS_ALL) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
    }

    @Test func memoryIsEnoughForACacheThatHasNothingElse() throws {
        let cache = try makeCache(in: nil)
        #expect(store(cache, try picture(), nil, .SDIMAGE_CACHE_LAYERS_ALL) == .SDIMAGE_STATUS_OK)
        #expect(store(cache, try picture(), nil, .SDIMAGE_CACHE_LAYERS_DISK) == .SDIMAGE_STATUS_UNSUPPORTED)
    }

    @Test func asynchronousStoresInMemoryAloneCompleteLikeBlockingOnes() throws {
        let (memory, heard) = (try makeCache(in: nil), Heard())
        let layered = try make(sdimage_cache_unref) { sdimage_cache_new_layered(memory.pointer, memory.pointer, $0, $1) }
        let (image, data) = (try picture(), try make(sdimage_data_unref) { sdimage_data_new("bytes", 5, $0, $1) })
        for cache in [memory, layered] {
            sdimage_cache_store_data_async(
                cache.pointer, "k", -1, data.pointer, Heard.handler, heard.retained(), Heard.destroy, nil)
            #expect(heard.next() == "UNSUPPORTED")
            for (image, data, layers, outcome) in [
                (image, nil, sdimage_cache_layers.SDIMAGE_CACHE_LAYERS_DISK, "UNSUPPORTED"),
                (nil, data, .SDIMAGE_CACHE_LAYERS_ALL, "UNSUPPORTED"), (image, data, .SDIMAGE_CACHE_LAYERS_ALL, "ok"),
                (image, nil, .SDIMAGE_CACHE_LAYERS_MEMORY, "ok"),
            ] {
                sdimage_cache_store_async(
                    cache.pointer, "k", -1, image?.pointer, data?.pointer, layers, nil, Heard.handler, heard.retained(),
                    Heard.destroy, nil)
                #expect(heard.next() == outcome)
            }
        }
    }

    @Test func aCacheThatKeepsNothingInMemoryStillStoresOnDisk() throws {
        let cache = try makeCache(in: folder.path)
        sdimage_cache_set_keep_in_memory(cache.pointer, false)
        #expect(store(cache, try picture(), nil, .SDIMAGE_CACHE_LAYERS_ALL) == .SDIMAGE_STATUS_OK)
        #expect(sdimage_cache_contains(cache.pointer, "k", -1) == .SDIMAGE_CACHE_LAYERS_DISK)
    }

    @Test func aFlushWaitsForAnImageThatIsEncoded() throws {
        let cache = try makeCache(in: folder.path)
        let pixels = [UInt8](repeating: 90, count: 2000 * 2000 * 3)
        let image = try make(sdimage_image_unref) {
            sdimage_image_new(2000, 2000, 6000, .SDIMAGE_PIXEL_FORMAT_RGB8, pixels, $0, $1)
        }
        let status = sdimage_cache_store_async(
            cache.pointer, "k", -1, image.pointer, nil, .SDIMAGE_CACHE_LAYERS_DISK, nil, nil, nil, nil, nil)
        #expect(status == .SDIMAGE_STATUS_OK)
        #expect(sdimage_cache_flush(cache.pointer, nil) == .SDIMAGE_STATUS_OK)
        #expect(sdimage_cache_contains(cache.pointer, "k", -1) == .SDIMAGE_CACHE_LAYERS_DISK)
    }

    // MARK: Every kind of cache

    private enum Kind: CaseIterable { case builtIn, host, chain, layered }

    private func cache(_ kind: Kind) throws -> Owned {
        switch kind {
        case .builtIn: return try makeCache(in: folder.path)
        case .host: return try HostCache().makeCache()
        case .chain:
            let chain = try make(sdimage_cache_unref) { sdimage_cache_new_chain($0, $1) }
            let member = try makeCache(in: folder.path)
            #expect(sdimage_cache_chain_add(chain.pointer, member.pointer, nil) == .SDIMAGE_STATUS_OK)
            return chain
        case .layered:
            let (memory, disk) = (try makeCache(in: nil), try HostCache().makeCache())
            return try make(sdimage_cache_unref) { sdimage_cache_new_layered(memory.pointer, disk.pointer, $0, $1) }
        }
    }

    @Test(arguments: Kind.allCases) private func blockingCallsWorkOnEveryKind(kind: Kind) throws {
        let cache = try cache(kind)
        let data = try make(sdimage_data_unref) { sdimage_data_new("bytes", 5, $0, $1) }
        #expect(sdimage_cache_store_data(cache.pointer, "k", -1, data.pointer, nil) == .SDIMAGE_STATUS_OK)
        #expect(try bytes(cache) == Array("bytes".utf8))
        #expect(sdimage_cache_contains(cache.pointer, "k", -1) == .SDIMAGE_CACHE_LAYERS_DISK)
        #expect(sdimage_cache_remove(cache.pointer, "k", -1, .SDIMAGE_CACHE_LAYERS_ALL, nil) == .SDIMAGE_STATUS_OK)
        #expect(sdimage_cache_contains(cache.pointer, "k", -1) == .SDIMAGE_CACHE_LAYERS_NONE)
        #expect(throws: CallFailure.self) { try bytes(cache) }
        #expect(store(cache, try picture(), nil, .SDIMAGE_CACHE_LAYERS_DISK) == .SDIMAGE_STATUS_OK)
        let image = try make(sdimage_image_unref) { sdimage_cache_get_image(cache.pointer, "k", -1, nil, $0, $1) }
        #expect(sdimage_image_width(image.pointer) == 16)
    }

    @Test(arguments: Kind.allCases) private func asynchronousCallsWorkOnEveryKind(kind: Kind) throws {
        let cache = try cache(kind)
        let heard = Heard()
        let image = try picture()
        #expect(
            sdimage_cache_store_async(
                cache.pointer, "k", -1, image.pointer, nil, .SDIMAGE_CACHE_LAYERS_ALL, nil, Heard.handler,
                heard.retained(), Heard.destroy, nil) == .SDIMAGE_STATUS_OK)
        #expect(heard.next() == "ok")
        #expect(
            sdimage_cache_get_data_async(cache.pointer, "k", -1, Heard.handler, heard.retained(), Heard.destroy, nil)
                == .SDIMAGE_STATUS_OK)
        #expect(heard.next() == "bytes")
        #expect(
            sdimage_cache_contains_async(cache.pointer, "k", -1, Heard.handler, heard.retained(), Heard.destroy, nil)
                == .SDIMAGE_STATUS_OK)
        #expect(heard.next() == (kind == .host ? "layers 1" : "layers 2"))
        #expect(
            sdimage_cache_remove_async(
                cache.pointer, "k", -1, .SDIMAGE_CACHE_LAYERS_ALL, Heard.handler, heard.retained(), Heard.destroy, nil)
                == .SDIMAGE_STATUS_OK)
        #expect(heard.next() == "ok")
        #expect(
            sdimage_cache_get_data_async(cache.pointer, "k", -1, Heard.handler, heard.retained(), Heard.destroy, nil)
                == .SDIMAGE_STATUS_OK)
        #expect(heard.next() == "nothing")
        #expect(heard.waitForDestroy(count: 5))
    }

    @Test func whatIsSaidFirstHappensFirst() throws {
        let cache = try makeCache(in: folder.path)
        let heard = Heard()
        let data = try make(sdimage_data_unref) { sdimage_data_new("bytes", 5, $0, $1) }
        for _ in 0..<50 {
            sdimage_cache_store_data_async(cache.pointer, "k", -1, data.pointer, nil, nil, nil, nil)
            sdimage_cache_get_data_async(cache.pointer, "k", -1, Heard.handler, heard.retained(), Heard.destroy, nil)
            #expect(heard.next() == "bytes")
            sdimage_cache_clear_async(cache.pointer, .SDIMAGE_CACHE_LAYERS_ALL, nil, nil, nil, nil)
            sdimage_cache_get_data_async(cache.pointer, "k", -1, Heard.handler, heard.retained(), Heard.destroy, nil)
            #expect(heard.next() == "nothing")
        }
    }

    @Test func totalsAndTrimmingAreToldLater() throws {
        let cache = try makeCache(in: folder.path)
        let heard = Heard()
        #expect(store(cache, try picture(), nil, .SDIMAGE_CACHE_LAYERS_DISK) == .SDIMAGE_STATUS_OK)
        sdimage_cache_get_disk_totals_async(cache.pointer, Heard.handler, heard.retained(), Heard.destroy, nil)
        #expect(heard.next() == "count 1")
        sdimage_cache_remove_expired_async(cache.pointer, Heard.handler, heard.retained(), Heard.destroy, nil)
        #expect(heard.next() == "ok")
        let memory = try makeCache(in: nil)
        #expect(sdimage_cache_get_disk_totals_async(memory.pointer, nil, nil, nil, nil) == .SDIMAGE_STATUS_UNSUPPORTED)
    }

    @Test func refusedCallsReportNothing() throws {
        let cache = try makeCache(in: folder.path)
        let heard = Heard()
        #expect(
            sdimage_cache_get_data_async(cache.pointer, "", 0, Heard.handler, heard.retained(), Heard.destroy, nil)
                == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        #expect(sdimage_cache_close(cache.pointer, nil) == .SDIMAGE_STATUS_OK)
        #expect(
            sdimage_cache_contains_async(cache.pointer, "k", -1, Heard.handler, heard.retained(), Heard.destroy, nil)
                == .SDIMAGE_STATUS_SHUTDOWN)
        #expect(heard.waitForDestroy(count: 2))
        #expect(heard.isSilent)
    }

    // MARK: Parts

    @Test func aLayeredCacheUsesOneHalfOfEach() throws {
        let (memory, dictionary) = (try makeCache(in: folder.path), HostCache())
        let disk = try dictionary.makeCache()
        let cache = try make(sdimage_cache_unref) { sdimage_cache_new_layered(memory.pointer, disk.pointer, $0, $1) }
        #expect(store(cache, try picture(), nil, .SDIMAGE_CACHE_LAYERS_ALL) == .SDIMAGE_STATUS_OK)
        #expect(dictionary.keys == ["k"])
        #expect(sdimage_cache_contains(memory.pointer, "k", -1) == .SDIMAGE_CACHE_LAYERS_MEMORY)
        #expect(sdimage_cache_contains(cache.pointer, "k", -1) == .SDIMAGE_CACHE_LAYERS_ALL)
    }

    @Test func aChainInsideItsOwnHalfIsRefused() throws {
        let chain = try make(sdimage_cache_unref) { sdimage_cache_new_chain($0, $1) }
        let memory = try makeCache(in: nil)
        let layered = try make(sdimage_cache_unref) { sdimage_cache_new_layered(memory.pointer, chain.pointer, $0, $1) }
        #expect(sdimage_cache_chain_add(chain.pointer, layered.pointer, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
    }

    @Test func bytesThatLieElsewhereAreFoundAndNotCopied() throws {
        let shipped = folder.path + "/shipped.png"
        try Data(makePNG(width: 5, height: 5)).write(to: URL(fileURLWithPath: shipped))
        let config = sdimage_cache_config_new()
        defer { sdimage_cache_config_unref(config) }
        sdimage_cache_config_set_directory(config, folder.path + "/cache")
        let heard = Heard()
        heard.note(shipped)
        var table = sdimage_cache_path_vtable()
        table.size = MemoryLayout<sdimage_cache_path_vtable>.size
        #expect(
            sdimage_cache_config_set_additional_path(config, &table, heard.retained(), Heard.destroy, nil)
                == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        #expect(heard.waitForDestroy(count: 1))
        table.path = { userData, key, length, path, capacity in
            let key = String(decoding: UnsafeRawBufferPointer(start: key, count: length), as: UTF8.self)
            let name = key == "shipped" ? Heard.of(userData).first : "/nowhere"
            guard name.utf8.count <= capacity else { return 0 }
            for (index, byte) in name.utf8.enumerated() { path?[index] = CChar(bitPattern: byte) }
            return name.utf8.count
        }
        #expect(
            sdimage_cache_config_set_additional_path(config, &table, heard.retained(), Heard.destroy, nil)
                == .SDIMAGE_STATUS_OK)
        do {
            let cache = try make(sdimage_cache_unref) { sdimage_cache_new(config, $0, $1) }
            let image = try make(sdimage_image_unref) { sdimage_cache_get_image(cache.pointer, "shipped", -1, nil, $0, $1) }
            #expect(sdimage_image_width(image.pointer) == 5)
            #expect(throws: CallFailure.self) { try bytes(cache) }
            // `contains` does not call the additional path function.
            #expect(sdimage_cache_contains(cache.pointer, "shipped", -1) == .SDIMAGE_CACHE_LAYERS_MEMORY)
            let request = makeRequest("shipped")
            setQueryLayers(request.pointer, .SDIMAGE_CACHE_LAYERS_DISK)
            let task = try make(sdimage_task_unref) {
                sdimage_cache_load(cache.pointer, request.pointer, nil, nil, nil, $0, $1)
            }
            #expect(sdimage_task_wait(task.pointer, 120_000, nil) == .SDIMAGE_STATUS_OK)
            var result: OpaquePointer?
            sdimage_task_get_result(task.pointer, &result)
            #expect(Delivered(result).source == .SDIMAGE_IMAGE_SOURCE_DISK)
            sdimage_result_unref(result)
        }
        #expect(sdimage_cache_config_set_additional_path(config, nil, nil, nil, nil) == .SDIMAGE_STATUS_OK)
        #expect(heard.waitForDestroy(count: 2))
    }
}

/// Records the results of asynchronous calls, as words in their order.
final class Heard: @unchecked Sendable {
    private let condition = NSCondition()
    private var words: [String] = []
    private var destroyed = 0

    var first: String { condition.withLock { words.first ?? "" } }
    var isSilent: Bool { condition.withLock { words.isEmpty } }

    func retained() -> UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

    static func of(_ userData: UnsafeMutableRawPointer?) -> Heard {
        Unmanaged<Heard>.fromOpaque(userData!).takeUnretainedValue()
    }

    static let destroy: @convention(c) (UnsafeMutableRawPointer?) -> Void = { userData in
        let heard = Unmanaged<Heard>.fromOpaque(userData!).takeRetainedValue()
        heard.condition.withLock {
            heard.destroyed += 1
            heard.condition.broadcast()
        }
    }
    /// Notes the outcome of any operation.
    nonisolated(unsafe) static let handler = staticTable { () -> sdimage_cache_handler in
        var table = sdimage_cache_handler()
        table.size = MemoryLayout<sdimage_cache_handler>.size
        table.completed = { of($0).note(error: $1) ?? of($0).note("ok") }
        table.data = { of($0).note(error: $2) ?? of($0).note($1 == nil ? "nothing" : "bytes") }
        table.layers = { of($0).note(error: $2) ?? of($0).note("layers \($1.rawValue)") }
        table.disk_totals = { of($0).note(error: $3) ?? of($0).note("count \($2)") }
        return table
    }

    func note(_ word: String) {
        condition.withLock {
            words.append(word)
            condition.broadcast()
        }
    }

    private func note(error: OpaquePointer?) -> Void? {
        error.map { note(String(cString: sdimage_status_name(sdimage_error_code($0)))) }
    }

    /// Returns the next word, or "silence" when none arrives.
    func next(within seconds: Double = 120) -> String {
        wait(seconds) { !$0.words.isEmpty } ? condition.withLock { words.removeFirst() } : "silence"
    }

    func waitForDestroy(count: Int, within seconds: Double = 120) -> Bool { wait(seconds) { $0.destroyed >= count } }

    private func wait(_ seconds: Double, until isTrue: (Heard) -> Bool) -> Bool {
        let end = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer { condition.unlock() }
        while !isTrue(self) { if !condition.wait(until: end) { return isTrue(self) } }
        return true
    }
}
