import CSDImage
import Foundation
import TestSupport
import Testing

/// Rules of SDWebImage's manager for keys, failures, errors and progress.
@Suite struct ManagerRuleTests {
    private let folder = TemporaryDirectory()
    private let picture = makePNG(width: 6, height: 4)

    private func answering(_ bytes: [UInt8]? = nil) throws -> Owned {
        try ScriptedLoader.answering(bytes ?? picture).makeLoader()
    }

    struct Key: Sendable, CustomTestStringConvertible {
        let url: String
        var thumbnail: UInt32 = 0
        var own: String?
        var isNone = false
        let key: String
        var testDescription: String { key }
    }

    private static let thumbnail = "Thumbnail({100.000000,100.000000},1)"
    private static let escaped = "Thumbnail(%7B100.000000,100.000000%7D,1)"
    private static let flip = "SDImageFlippingTransformer(1,0)"

    // The manager's default transformer mirrors each image whose request sets no transformer.
    @Test(arguments: [
        Key(url: "http://foo/image.png", key: "http://foo/image-\(flip).png"),
        Key(url: "http://foo/image", key: "http://foo/image-\(flip)"),
        Key(url: "http://foo/image.png", thumbnail: 100, key: "http://foo/image-\(escaped)-\(flip).png"),
        Key(url: "http://foo/image", thumbnail: 100, key: "http://foo/image-\(thumbnail)-\(flip)"),
        Key(url: "http://foo/image.png", own: "five", key: "http://foo/image-five.png"),
        Key(url: "http://foo/image.png?a=b#c", own: "five", key: "http://foo/image-five.png?a=b#c"),
        Key(url: "http://foo/image.png", isNone: true, key: "http://foo/image.png"),
        Key(url: "http://foo/image.png", thumbnail: 100, isNone: true, key: "http://foo/image-\(escaped).png"),
        Key(url: "file:///tmp/a.png", key: "file:///tmp/a-\(flip).png"),
        Key(url: "", isNone: true, key: ""),
    ]) func aKeyTellsWhatIsMadeOfAPicture(row: Key) throws {
        let flip = try make(sdimage_transformer_unref) { sdimage_transformer_new_flip(true, false, $0, $1) }
        let own = try CountingTransformer(width: 5).makeTransformer(key: row.own ?? "unused")
        let manager = try HostLoadHooks().makeManager(transformer: flip)
        let request = makeRequest(row.url)
        sdimage_request_set_thumbnail_size(request.pointer, row.thumbnail, row.thumbnail, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
        if row.own != nil { sdimage_request_set_transformer(request.pointer, own.pointer) }
        if row.isNone { sdimage_request_set_transformer(request.pointer, nil) }
        #expect(try cacheKey(manager, request) == row.key)
    }

    // Failed URLs belong to one manager, match exactly, and are forgotten by URL or all at once.
    @Test func failedURLsAreThoseOfOneManagerAndForgottenOneByOne() throws {
        let loader = try answering(Array("no picture".utf8))
        let managers = [try makeManager(cache: nil, loader: loader), try makeManager(cache: nil, loader: loader)]
        func status(_ manager: Owned, _ url: String) throws -> sdimage_status { try load(manager, url).status }
        for url in ["test://h/a", "test://h/b"] { #expect(try status(managers[0], url) == .SDIMAGE_STATUS_NOT_AN_IMAGE) }
        #expect(try status(managers[0], "test://h/a") == .SDIMAGE_STATUS_FAILED_URL)
        #expect(try status(managers[0], "test://h/A") == .SDIMAGE_STATUS_NOT_AN_IMAGE)
        #expect(try status(managers[1], "test://h/a") == .SDIMAGE_STATUS_NOT_AN_IMAGE)
        sdimage_manager_forget_failed(managers[0].pointer, "test://h/a", -1)
        #expect(try status(managers[0], "test://h/a") == .SDIMAGE_STATUS_NOT_AN_IMAGE)
        #expect(try status(managers[0], "test://h/b") == .SDIMAGE_STATUS_FAILED_URL)
        sdimage_manager_forget_failed(managers[0].pointer, nil, 0)
        for url in ["test://h/a", "test://h/b"] { #expect(try status(managers[0], url) == .SDIMAGE_STATUS_NOT_AN_IMAGE) }
    }

    // A success clears a failure only when the load set retry_failed.
    @Test func aSuccessForgetsAFailureWhereTheLoadWasToTryAllTheSame() throws {
        let bytes = Locked(Array("no picture".utf8))
        let loader = ScriptedLoader { _, sink in
            let answer = bytes.get()
            _ = sdimage_load_sink_write(sink, answer, answer.count, nil)
            sdimage_load_sink_finish(sink, nil)
            return .SDIMAGE_STATUS_OK
        }
        let manager = try makeManager(cache: nil, loader: try loader.makeLoader())
        #expect(try load(manager, "test://a").status == .SDIMAGE_STATUS_NOT_AN_IMAGE)
        bytes.set(picture)
        #expect(try load(manager, "test://a").status == .SDIMAGE_STATUS_FAILED_URL)
        #expect(try load(manager, "test://a") { sdimage_request_set_retry_failed($0, true) }.width == 6)
        #expect(try load(manager, "test://a").width == 6)
    }

    // Functions of older versions are replaced by a key and a cache call.
    @Test func aPictureIsSavedAndLookedForUnderTheKeyOfItsURL() throws {
        let cache = try makeCache(in: folder.path)
        let manager = try makeManager(cache: cache, loader: try HeldLoader().makeLoader())
        let image = try make(sdimage_image_unref) { sdimage_decode(picture, picture.count, nil, $0, $1) }
        let key = try cacheKey(manager, makeRequest("test://h/a.png"))
        #expect(sdimage_cache_contains(cache.pointer, key, -1) == .SDIMAGE_CACHE_LAYERS_NONE)
        #expect(
            sdimage_cache_store(cache.pointer, key, -1, image.pointer, nil, .SDIMAGE_CACHE_LAYERS_ALL, nil, nil)
                == .SDIMAGE_STATUS_OK)
        #expect(sdimage_cache_contains(cache.pointer, key, -1) == .SDIMAGE_CACHE_LAYERS_ALL)
        #expect(try load(manager, "test://h/a.png").source == .SDIMAGE_IMAGE_SOURCE_MEMORY)
    }

    @Test func progressIsThatOfTheLoaderAndCachesHaveNone() throws {
        let cache = try makeCache(in: folder.path)
        let held = HeldLoader()
        let manager = try makeManager(cache: cache, loader: try held.makeLoader())
        let first = Listener()
        let request = makeRequest("test://a")
        sdimage_request_set_wait_for_store(request.pointer, true)
        let task = try first.load(manager, request)
        let sink = held.next()
        sdimage_load_sink_set_expected_length(sink, UInt64(picture.count))
        _ = sdimage_load_sink_write(sink, picture, 20, nil)
        #expect(Locked(0).wait { _ in first.progressReports > 0 })
        var received: Int64 = 0
        var expected: Int64 = 0
        sdimage_task_progress(task.pointer, &received, &expected)
        #expect(received == 20 && expected == Int64(picture.count))
        _ = sdimage_load_sink_write(sink, Array(picture.dropFirst(20)), picture.count - 20, nil)
        sdimage_load_sink_finish(sink, nil)
        sdimage_load_sink_unref(sink)
        #expect(first.final()?.width == 6)
        for _ in 0..<2 {
            let again = Listener()
            _ = try again.load(manager, request)
            #expect(again.final()?.width == 6 && again.waitForDestroy())
            #expect(again.progressReports == 0)
            #expect(sdimage_cache_clear(cache.pointer, .SDIMAGE_CACHE_LAYERS_MEMORY, nil) == .SDIMAGE_STATUS_OK)
        }
    }

    // Unknown values are ignored.
    @Test func choicesOfAnotherVersionAreIgnored() throws {
        let manager = try makeManager(cache: try makeCache(in: nil), loader: try answering())
        let unknown: (OpaquePointer) -> Void = {
            sdimage_request_set_priority($0, unsafeBitCast(Int32(77), to: sdimage_priority.self))
            sdimage_request_set_source_policy($0, unsafeBitCast(UInt32(77), to: sdimage_source_policy.self))
            sdimage_request_set_freshness($0, unsafeBitCast(UInt32(77), to: sdimage_freshness.self))
            setStoreLayers($0, unsafeBitCast(UInt32(64 + 3), to: sdimage_cache_layers.self))
            sdimage_request_set_blocking_reads($0, unsafeBitCast(UInt32(64), to: sdimage_blocking_reads.self))
        }
        #expect(try load(manager, "test://a", unknown).source == .SDIMAGE_IMAGE_SOURCE_LOADER)
        #expect(try load(manager, "test://a", unknown).source == .SDIMAGE_IMAGE_SOURCE_MEMORY)
    }

    // A load that no loader accepts ends with an error.
    @Test func aLoadThatNoLoaderTakesEndsWithAnError() throws {
        let chain = try make(sdimage_loader_unref) { sdimage_loader_new_chain($0, $1) }
        let manager = try makeManager(cache: nil, loader: chain)
        for (url, status) in [
            ("http://h/a.png", sdimage_status.SDIMAGE_STATUS_UNSUPPORTED), ("data:,x", .SDIMAGE_STATUS_UNSUPPORTED),
            ("own:a", .SDIMAGE_STATUS_SCHEME_FORBIDDEN),
        ] { #expect(try load(manager, url).status == status) }
    }

    // CONTENT_TYPE (2004): the error has the HTTP status, and the result the response's fields.
    @Test func anAnswerOfTheWrongTypeIsToldWithItsFields() throws {
        let server = LoopbackServer { [picture] _, connection in
            connection.answer(200, ["Content-Type": "text/x-odd"], body: picture)
        }
        defer { server.stop() }
        let config = sdimage_downloader_config_new()
        defer { sdimage_downloader_config_unref(config) }
        sdimage_downloader_config_add_acceptable_type(config, "image/png")
        let manager = try makeManager(
            cache: nil, loader: try make(sdimage_loader_unref) { sdimage_downloader_new(config, $0, $1) })
        let request = makeRequest(server.url("/a.png"))
        var result: OpaquePointer?
        #expect(sdimage_manager_load_sync(manager.pointer, request.pointer, &result, nil) == .SDIMAGE_STATUS_CONTENT_TYPE)
        defer { sdimage_result_unref(result) }
        let error = sdimage_result_error(result)
        #expect(sdimage_error_http_status(error) == 200)
        #expect(String(cString: sdimage_error_message(error)).contains("text/x-odd"))
        var response: OpaquePointer?
        sdimage_result_get_response(result, &response)
        defer { sdimage_response_unref(response) }
        #expect(sdimage_response_header(response, "content-type").map { String(cString: $0) } == "text/x-odd")
    }

    // Every error has a message; transport errors have the error code of the underlying library.
    @Test func aTransportErrorHasTheNumberOfItsLibrary() throws {
        let manager = try makeManager(cache: nil)
        let request = makeRequest("http://127.0.0.1:1/a.png")
        sdimage_request_set_max_retries(request.pointer, 0)
        var result: OpaquePointer?
        #expect(sdimage_manager_load_sync(manager.pointer, request.pointer, &result, nil) == .SDIMAGE_STATUS_CONNECT_FAILED)
        defer { sdimage_result_unref(result) }
        let error = sdimage_result_error(result)
        // CURLE_COULDNT_CONNECT
        #expect(sdimage_error_library_code(error) == 7)
        #expect(!String(cString: sdimage_error_message(error)).isEmpty)
        #expect(sdimage_error_is_transient(error))
    }
}
