import CSDImage
import Foundation
import TestSupport
import Testing

@Suite struct RequestTests {
    @Test func aURLWithANulByteIsLentAsLongAsItSays() {
        let bytes: [UInt8] = Array("a\0bcd".utf8) + [0xFF]
        let odd = bytes.withUnsafeBytes {
            sdimage_request_new_bytes($0.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
        }
        defer { sdimage_request_unref(odd) }
        var length = 0
        let text = sdimage_request_url(odd, &length)
        #expect(Array(UnsafeRawBufferPointer(start: text, count: length)) == bytes)
        #expect(text?[length] == 0)
    }

    /// More than the 64 MiB of a text.
    private static let tooLong = [UInt8](repeating: UInt8(ascii: "a"), count: 64 << 20 | 1)

    @Test(arguments: [false, true]) func aURLThatCannotBeTakenReplacesTheOneBefore(isLong: Bool) throws {
        let manager = try makeManager(
            cache: nil, loader: try ScriptedLoader.answering(makePNG(width: 2, height: 2)).makeLoader())
        let request = makeRequest("test://old")
        RequestTests.tooLong.withUnsafeBytes { long in
            let url = long.baseAddress?.assumingMemoryBound(to: CChar.self)
            sdimage_request_set_url(request.pointer, isLong ? url : nil, isLong ? long.count : -1)
        }
        #expect(text(sdimage_request_url(request.pointer, nil)) == "")
        let listener = Listener()
        _ = try listener.load(manager, request)
        #expect(listener.final()?.status == .SDIMAGE_STATUS_INVALID_URL)
    }

    @Test func aKeyThatIsTooLongFailsTheLoad() throws {
        let manager = try makeManager(
            cache: try makeCache(in: nil), loader: try ScriptedLoader.answering(makePNG(width: 2, height: 2)).makeLoader())
        let request = makeRequest("test://a")
        RequestTests.tooLong.withUnsafeBytes { sdimage_request_set_cache_key(request.pointer, $0.baseAddress, $0.count) }
        let listener = Listener()
        _ = try listener.load(manager, request)
        #expect(listener.final()?.status == .SDIMAGE_STATUS_INVALID_ARGUMENT)
    }

    @Test func bytesThatAreNoTextNeedALength() throws {
        var data: OpaquePointer?
        #expect(sdimage_data_new("text", -1, &data, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        #expect(sdimage_decode("text", -1, nil, &data, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        let cache = try makeCache(in: nil)
        #expect(
            sdimage_cache_remove(cache.pointer, "key", Int.max, .SDIMAGE_CACHE_LAYERS_ALL, nil)
                == .SDIMAGE_STATUS_INVALID_ARGUMENT)
    }

    @Test func halfAFunctionPointerIsNone() throws {
        var table = sdimage_dispatcher_vtable()
        table.size = MemoryLayout<sdimage_dispatcher_vtable>.offset(of: \.is_current)! + 4
        table.post = { _, run, argument in run?(argument) }
        table.is_current = { _ in true }
        let dispatcher = try make(sdimage_dispatcher_unref) { sdimage_dispatcher_new_custom(&table, nil, nil, $0, $1) }
        let manager = try makeManager(
            cache: nil, loader: try ScriptedLoader.answering(makePNG(width: 2, height: 2)).makeLoader(), dispatcher: dispatcher)
        let listener = Listener()
        _ = try listener.load(manager, makeRequest("test://a"))
        #expect(listener.final()?.status == .SDIMAGE_STATUS_OK)
    }

    @Test func aChainCannotHoldItself() throws {
        let outer = try make(sdimage_loader_unref) { sdimage_loader_new_chain($0, $1) }
        let inner = try make(sdimage_loader_unref) { sdimage_loader_new_chain($0, $1) }
        #expect(sdimage_loader_chain_add(outer.pointer, outer.pointer, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        #expect(sdimage_loader_chain_add(outer.pointer, inner.pointer, nil) == .SDIMAGE_STATUS_OK)
        #expect(sdimage_loader_chain_add(inner.pointer, outer.pointer, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
    }

    @Test func aLoaderGivenToAChainWorksAfterItsOwnHandleIsGone() throws {
        let server = LoopbackServer { _, connection in connection.answer(body: makePNG(width: 6, height: 6)) }
        defer { server.stop() }
        let chain = try make(sdimage_loader_unref) { sdimage_loader_new_chain($0, $1) }
        do {
            let downloader = try make(sdimage_loader_unref) { sdimage_downloader_new(nil, $0, $1) }
            #expect(sdimage_loader_chain_add(chain.pointer, downloader.pointer, nil) == .SDIMAGE_STATUS_OK)
        }
        let manager = try makeManager(cache: nil, loader: chain)
        let listener = Listener()
        _ = try listener.load(manager, makeRequest(server.url("/a")))
        #expect(listener.final()?.width == 6)
    }

    @Test func headersReachTheServerAndPartTransfers() throws {
        let server = LoopbackServer { _, connection in connection.answer(body: makePNG(width: 6, height: 6)) }
        defer { server.stop() }
        let manager = try makeManager(cache: nil, loader: try make(sdimage_loader_unref) { sdimage_downloader_new(nil, $0, $1) })
        let listeners = ["one", "two"].map { ($0, Listener()) }
        for (value, listener) in listeners {
            let request = makeRequest(server.url("/a"))
            sdimage_request_set_header(request.pointer, "X-Color", "red")
            sdimage_request_set_header(request.pointer, "x-color", value)
            sdimage_request_set_header(request.pointer, "X-Gone", "yes")
            sdimage_request_set_header(request.pointer, "X-Gone", nil)
            _ = try listener.load(manager, request)
        }
        for (_, listener) in listeners { #expect(listener.final()?.status == .SDIMAGE_STATUS_OK) }
        #expect(Set(server.requests.compactMap { $0.headers["x-color"] }) == ["one", "two"])
        #expect(server.requests.allSatisfy { $0.headers["x-gone"] == nil })
        let broken = makeRequest(server.url("/b"))
        sdimage_request_set_header(broken.pointer, "X-Bad", "a\r\nb")
        let listener = Listener()
        _ = try listener.load(manager, broken)
        #expect(listener.final()?.status == .SDIMAGE_STATUS_INVALID_REQUEST)
    }

    @Test func timeAndBodyLimitsAreTheRequestsOwn() throws {
        let server = LoopbackServer { request, connection in
            if request.target == "/slow" {
                _ = connection.waitForEnd()
            } else {
                connection.answer(body: [UInt8](repeating: 1, count: 5000))
            }
        }
        defer { server.stop() }
        let manager = try makeManager(cache: nil, loader: try make(sdimage_loader_unref) { sdimage_downloader_new(nil, $0, $1) })
        let slow = makeRequest(server.url("/slow"))
        sdimage_request_set_timeout_ms(slow.pointer, 100)
        let large = makeRequest(server.url("/large"))
        sdimage_request_set_max_body_bytes(large.pointer, 4999)
        for (request, status) in [(slow, sdimage_status.SDIMAGE_STATUS_TIMEOUT), (large, .SDIMAGE_STATUS_TOO_LARGE)] {
            // Twice: neither failure is remembered for the URL.
            for _ in 0..<2 {
                let listener = Listener()
                _ = try listener.load(manager, request)
                #expect(listener.final()?.status == status)
            }
        }
    }

    @Test func aKeyOfOnesOwnIsSharedByURLs() throws {
        let held = HeldLoader()
        let manager = try makeManager(cache: try makeCache(in: nil), loader: try held.makeLoader())
        for (url, source) in [
            ("test://a?token=1", sdimage_image_source.SDIMAGE_IMAGE_SOURCE_LOADER),
            ("test://a?token=2", .SDIMAGE_IMAGE_SOURCE_MEMORY),
        ] {
            let request = makeRequest(url)
            sdimage_request_set_cache_key(request.pointer, "a", 1)
            let listener = Listener()
            _ = try listener.load(manager, request)
            if source == .SDIMAGE_IMAGE_SOURCE_LOADER { #expect(held.answer(makePNG(width: 2, height: 2))) }
            #expect(listener.final()?.source == source)
        }
    }

    @Test func layersAreAskedAndFilledAsTheRequestSays() throws {
        let folder = TemporaryDirectory()
        let cache = try makeCache(in: folder.path)
        let loader = try ScriptedLoader.answering(makePNG(width: 40, height: 40)).makeLoader()
        let manager = try makeManager(cache: cache, loader: loader)
        func source(_ url: String, _ change: (OpaquePointer) -> Void) throws -> sdimage_image_source? {
            let request = makeRequest(url)
            sdimage_request_set_wait_for_store(request.pointer, true)
            change(request.pointer)
            let listener = Listener()
            _ = try listener.load(manager, request)
            return listener.final()?.source
        }
        func layers(_ key: String) -> sdimage_cache_layers { sdimage_cache_contains(cache.pointer, key, -1) }

        _ = try source("test://m") { setStoreLayers($0, .SDIMAGE_CACHE_LAYERS_MEMORY) }
        #expect(layers("test://m") == .SDIMAGE_CACHE_LAYERS_MEMORY)
        _ = try source("test://d") { setStoreLayers($0, .SDIMAGE_CACHE_LAYERS_DISK) }
        #expect(layers("test://d") == .SDIMAGE_CACHE_LAYERS_DISK)
        _ = try source("test://n") { setStoreLayers($0, .SDIMAGE_CACHE_LAYERS_NONE) }
        #expect(layers("test://n") == .SDIMAGE_CACHE_LAYERS_NONE)
        #expect(
            try source("test://m") { setQueryLayers($0, .SDIMAGE_CACHE_LAYERS_DISK) }
                == .SDIMAGE_IMAGE_SOURCE_LOADER)
        #expect(
            try source("test://d") { setQueryLayers($0, .SDIMAGE_CACHE_LAYERS_NONE) }
                == .SDIMAGE_IMAGE_SOURCE_LOADER)
        #expect(
            try source("test://m") { sdimage_request_set_source_policy($0, .SDIMAGE_SOURCE_POLICY_LOADER_ONLY) }
                == .SDIMAGE_IMAGE_SOURCE_LOADER)

        // The original of a thumbnail has store layers of its own.
        _ = try source("test://t") { request in
            sdimage_request_set_thumbnail_size(request, 10, 10, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
            setOriginalStoreLayers(request, .SDIMAGE_CACHE_LAYERS_NONE)
        }
        #expect(layers("test://t") == .SDIMAGE_CACHE_LAYERS_NONE)
        _ = try source("test://u") { sdimage_request_set_thumbnail_size($0, 10, 10, .SDIMAGE_SCALE_MODE_ASPECT_FIT) }
        #expect(layers("test://u") == .SDIMAGE_CACHE_LAYERS_DISK)
        #expect(
            try source("test://u") { sdimage_request_set_thumbnail_size($0, 12, 12, .SDIMAGE_SCALE_MODE_ASPECT_FIT) }
                == .SDIMAGE_IMAGE_SOURCE_DISK)
        let fresh = try source("test://u") { request in
            sdimage_request_set_thumbnail_size(request, 14, 14, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
            setOriginalQueryLayers(request, .SDIMAGE_CACHE_LAYERS_NONE)
        }
        #expect(fresh == .SDIMAGE_IMAGE_SOURCE_LOADER)
    }

    @Test func noneAndInheritedAreToldApart() throws {
        let cache = try makeCache(in: nil)
        let loader = try ScriptedLoader.answering(makePNG(width: 4, height: 4)).makeLoader()
        let manager = try makeManager(cache: cache, loader: loader)
        let request = makeRequest("test://a")
        func load() throws -> Delivered? {
            let listener = Listener()
            _ = try listener.load(manager, request)
            return listener.final()
        }
        sdimage_request_set_cache(request.pointer, nil)
        #expect(try load()?.source == .SDIMAGE_IMAGE_SOURCE_LOADER)
        #expect(sdimage_cache_contains(cache.pointer, "test://a", -1) == .SDIMAGE_CACHE_LAYERS_NONE)
        sdimage_request_set_loader(request.pointer, nil)
        let nothing = try load()
        #expect(nothing?.status == .SDIMAGE_STATUS_OK && nothing?.width == 0)
        sdimage_request_reset_cache(request.pointer)
        sdimage_request_reset_loader(request.pointer)
        #expect(try load()?.source == .SDIMAGE_IMAGE_SOURCE_LOADER)
        #expect(try load()?.source == .SDIMAGE_IMAGE_SOURCE_MEMORY)
        let immediate = try make(sdimage_dispatcher_unref) { sdimage_dispatcher_new_immediate($0, $1) }
        sdimage_request_set_dispatcher(request.pointer, immediate.pointer)
        #expect(try load()?.thread == UInt(pthread_self()))
        sdimage_request_reset_dispatcher(request.pointer)
        #expect(try load()?.thread != UInt(pthread_self()))
    }

    @Test func twoCachesThatShareATransferBothStore() throws {
        let folders = [TemporaryDirectory(), TemporaryDirectory()]
        let caches = try folders.map { try makeCache(in: $0.path) }
        let held = HeldLoader()
        let manager = try makeManager(cache: nil, loader: try held.makeLoader())
        let listeners = [Listener(), Listener()]
        for (cache, listener) in zip(caches, listeners) {
            let request = makeRequest("test://a")
            sdimage_request_set_cache(request.pointer, cache.pointer)
            sdimage_request_set_wait_for_store(request.pointer, true)
            _ = try listener.load(manager, request)
        }
        let sink = held.next()
        let picture = makePNG(width: 2, height: 2)
        #expect(sdimage_load_sink_write(sink, picture, picture.count, nil) == .SDIMAGE_STATUS_OK)
        sdimage_load_sink_finish(sink, nil)
        sdimage_load_sink_unref(sink)
        // A second load that came too late to join starts its own transfer.
        #expect(
            becomesTrue {
                _ = held.answer(picture, within: 0.05)
                return listeners.allSatisfy { !$0.finals.isEmpty }
            })
        for cache in caches { #expect(sdimage_cache_contains(cache.pointer, "test://a", -1) == .SDIMAGE_CACHE_LAYERS_ALL) }
    }

    @Test func whatTheRequestsOwnCoderCannotReadIsNoFailedURL() throws {
        var table = sdimage_coder_vtable()
        table.size = MemoryLayout<sdimage_coder_vtable>.size
        table.can_decode = { _, _, _ in true }
        table.decode = { _, _, _, _, _, _ in .SDIMAGE_STATUS_BAD_DATA }
        let coder = try make(sdimage_coder_unref) { sdimage_coder_new_custom("never", &table, nil, nil, $0, $1) }
        let manager = try makeManager(cache: nil, loader: try ScriptedLoader.answering(makePNG(width: 2, height: 2)).makeLoader())
        let request = makeRequest("test://a")
        sdimage_request_set_coder(request.pointer, coder.pointer)
        let first = Listener(), second = Listener()
        _ = try first.load(manager, request)
        #expect(first.final()?.status == .SDIMAGE_STATUS_BAD_DATA)
        sdimage_request_set_coder(request.pointer, nil)
        _ = try second.load(manager, request)
        #expect(second.final()?.status == .SDIMAGE_STATUS_OK)
    }

    @Test func aRequestIsCopiedWhenSubmitted() throws {
        let held = HeldLoader()
        let manager = try makeManager(cache: nil, loader: try held.makeLoader())
        let request = makeRequest("test://a")
        sdimage_request_set_thumbnail_size(request.pointer, 5, 5, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
        let listener = Listener()
        _ = try listener.load(manager, request)
        sdimage_request_set_thumbnail_size(request.pointer, 9, 9, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
        #expect(held.answer(makePNG(width: 20, height: 20)))
        #expect(listener.final()?.width == 5)
    }

    @Test func optionsReachLoaderAndCoderAndSettersOnALentRequestChangeNothing() throws {
        let seen = Locked<[Int64]>([])
        let loader = ScriptedLoader { request, sink in
            let value = sdimage_options_int64(sdimage_request_options(request), "tint", -1)
            seen.set(seen.get() + [value])
            sdimage_request_set_source_policy(request, .SDIMAGE_SOURCE_POLICY_CACHE_ONLY)
            sdimage_request_set_options(request, nil)
            let bytes = makePNG(width: 2, height: 2)
            _ = sdimage_load_sink_write(sink, bytes, bytes.count, nil)
            sdimage_load_sink_finish(sink, nil)
            return .SDIMAGE_STATUS_OK
        }
        var table = sdimage_coder_vtable()
        table.size = MemoryLayout<sdimage_coder_vtable>.size
        table.can_decode = { _, _, _ in true }
        table.decode = { _, _, _, options, image, error in
            let width = UInt32(sdimage_options_int64(sdimage_decode_options_options(options), "tint", 1))
            return sdimage_image_new(width, 1, 256, .SDIMAGE_PIXEL_FORMAT_GRAY8, [UInt8](repeating: 9, count: 256), image, error)
        }
        let coder = try make(sdimage_coder_unref) { sdimage_coder_new_custom("tinted", &table, nil, nil, $0, $1) }
        let manager = try makeManager(cache: nil, loader: try loader.makeLoader())
        let request = makeRequest("test://a")
        let options = sdimage_options_new()
        sdimage_options_set_int64(options, "tint", 42)
        sdimage_request_set_options(request.pointer, options)
        sdimage_options_set_int64(options, "tint", 43)
        sdimage_options_unref(options)
        sdimage_request_set_coder(request.pointer, coder.pointer)
        let listener = Listener()
        _ = try listener.load(manager, request)
        #expect(listener.final()?.width == 42)
        #expect(seen.get() == [42])
        #expect(sdimage_options_count(sdimage_request_options(request.pointer)) == 1)
    }

    @Test func highPriorityGoesBeforeNormalAndLow() throws {
        let mayAnswer = Gate()
        let server = LoopbackServer { request, connection in
            if request.target == "/first" { mayAnswer.pass() }
            connection.answer(body: makePNG(width: 2, height: 2))
        }
        defer { server.stop() }
        let config = makePatientConfig()
        sdimage_downloader_config_set_max_total(config.pointer, 1)
        let downloader = try make(sdimage_loader_unref) { sdimage_downloader_new(config.pointer, $0, $1) }
        let manager = try makeManager(cache: nil, loader: downloader)
        let first = Listener()
        _ = try first.load(manager, makeRequest(server.url("/first")))
        #expect(server.wait { $0.requests.count == 1 })
        var listeners: [Listener] = []
        for (path, priority) in [
            ("/low", sdimage_priority.SDIMAGE_PRIORITY_LOW), ("/normal", .SDIMAGE_PRIORITY_NORMAL),
            ("/high", .SDIMAGE_PRIORITY_HIGH),
        ] {
            let request = makeRequest(server.url(path))
            sdimage_request_set_priority(request.pointer, priority)
            listeners.append(Listener())
            _ = try listeners[listeners.count - 1].load(manager, request)
        }
        #expect(becomesTrue { sdimage_downloader_transfer_count(downloader.pointer) == 4 })
        mayAnswer.open()
        for listener in listeners { #expect(listener.final()?.status == .SDIMAGE_STATUS_OK) }
        #expect(server.requests.map(\.target) == ["/first", "/high", "/normal", "/low"])
    }
}
