import CSDImage
import Foundation
import TestSupport
import Testing

/// Calls that make short programs shorter.
@Suite struct ShortProgramTests {
    private func url(_ request: OpaquePointer?) -> String { String(cString: sdimage_request_url(request, nil)) }

    private func makeHere(in directory: String?, _ dispatcher: Owned? = nil) throws -> Owned {
        try make(sdimage_manager_unref) { sdimage_manager_new_in(directory, dispatcher?.pointer, $0, $1) }
    }

    @Test func aManagerInAFolderCachesThere() throws {
        let folder = TemporaryDirectory()
        let manager = try makeHere(in: folder.path)
        let request = makeRequest("held://a"), held = HeldLoader(), loader = try held.makeLoader()
        sdimage_request_set_loader(request.pointer, loader.pointer)
        sdimage_request_set_wait_for_store(request.pointer, true)
        let listener = Listener()
        _ = try listener.load(manager, request)
        #expect(held.answer(makePNG(width: 3, height: 2)))
        #expect(listener.final()?.status == .SDIMAGE_STATUS_OK)
        var cache: OpaquePointer?
        sdimage_manager_get_cache(manager.pointer, &cache)
        defer { sdimage_cache_unref(cache) }
        #expect(sdimage_cache_contains(cache, "held://a", 8) == .SDIMAGE_CACHE_LAYERS_ALL)
        #expect(FileManager.default.fileExists(atPath: folder.path + "/default"))
    }

    @Test func aManagerInAFolderUsesItsDispatcher() throws {
        let folder = TemporaryDirectory()
        let queue = try make(sdimage_dispatcher_unref) { sdimage_dispatcher_new_pollable($0, $1) }
        let manager = try makeHere(in: folder.path, queue), listener = Listener()
        let task = try listener.load(manager, makeRequest("data:,"))
        #expect(sdimage_task_wait(task.pointer, 120_000, nil) == .SDIMAGE_STATUS_OK)
        #expect(listener.finals.isEmpty)
        while listener.finals.isEmpty, waitUntilReadable(queue) { sdimage_dispatcher_drain(queue.pointer) }
        #expect(listener.finals.count == 1)
    }

    @Test func aManagerNeedsAFolder() throws {
        var manager: OpaquePointer?
        #expect(sdimage_manager_new_in(nil, nil, &manager, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        let file = TemporaryDirectory()
        try Data().write(to: URL(fileURLWithPath: file.path + "/file"))
        let unusable = try makeHere(in: file.path + "/file")
        var cache: OpaquePointer?
        sdimage_manager_get_cache(unusable.pointer, &cache)
        defer { sdimage_cache_unref(cache) }
        #expect(sdimage_cache_check(cache, nil).rawValue < 0)
    }

    @Test func allLoadsAreAwaited() throws {
        let held = HeldLoader()
        let manager = try makeManager(cache: nil, loader: try held.makeLoader())
        #expect(sdimage_manager_wait_all(manager.pointer, 0, nil) == .SDIMAGE_STATUS_OK)
        let first = Listener(), second = Listener()
        // A callback starts another load.
        first.onResult = { _, _ in _ = try? second.load(manager, makeRequest("held://b")) }
        _ = try first.load(manager, makeRequest("held://a"))
        #expect(sdimage_manager_wait_all(manager.pointer, 1, nil) == .SDIMAGE_STATUS_TIMEOUT)
        let answers = Thread { for _ in 0..<2 { _ = held.answer(makePNG(width: 1, height: 1)) } }
        answers.start()
        #expect(sdimage_manager_wait_all(manager.pointer, .max, nil) == .SDIMAGE_STATUS_OK)
        #expect(first.finals.count == 1 && second.finals.count == 1)
    }

    @Test func deliveriesOfTheWaitingThreadStayQueued() throws {
        let queue = try make(sdimage_dispatcher_unref) { sdimage_dispatcher_new_pollable($0, $1) }
        let held = HeldLoader()
        let manager = try makeManager(cache: nil, loader: try held.makeLoader(), dispatcher: queue)
        let listener = Listener()
        _ = try listener.load(manager, makeRequest("held://a"))
        #expect(held.answer(makePNG(width: 1, height: 1)))
        #expect(sdimage_manager_wait_all(manager.pointer, 120_000, nil) == .SDIMAGE_STATUS_OK)
        #expect(listener.finals.isEmpty)
        while listener.finals.isEmpty, waitUntilReadable(queue) { sdimage_dispatcher_drain(queue.pointer) }
        #expect(listener.finals.count == 1)
    }

    @Test func aCallbackMustNotWaitForAll() throws {
        let held = HeldLoader()
        let manager = try makeManager(cache: nil, loader: try held.makeLoader()), listener = Listener()
        listener.onResult = { _, _ in
            #expect(sdimage_manager_wait_all(manager.pointer, 10, nil) == .SDIMAGE_STATUS_WOULD_DEADLOCK)
        }
        _ = try listener.load(manager, makeRequest("held://a"))
        #expect(held.answer(makePNG(width: 1, height: 1)))
        #expect(listener.final() != nil)
        #expect(sdimage_manager_wait_all(nil, 0, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
    }

    @Test func aManagerTellsItsLoader() throws {
        let held = HeldLoader()
        let manager = try makeManager(cache: nil, loader: try held.makeLoader())
        var loader: OpaquePointer?
        sdimage_manager_get_loader(manager.pointer, &loader)
        #expect(String(cString: sdimage_loader_name(loader)) == "held")
        sdimage_loader_unref(loader)
        sdimage_manager_get_loader(nil, &loader)
        #expect(loader == nil)
    }

    @Test func aRequestIsMadeOfAURLOrAPath() throws {
        let plain = makeRequest("https://example.org/a")
        #expect(url(plain.pointer) == "https://example.org/a")
        let part = sdimage_request_new_bytes("https://example.org/a?b", 21)
        #expect(url(part) == "https://example.org/a")
        let file = sdimage_request_new_file("/pictures/100 % \u{e9}?.png")
        #expect(url(file) == "file:///pictures/100%20%25%20%C3%A9%3F.png")
        let relative = sdimage_request_new_file("a.png")
        #expect(url(relative) == "file://" + FileManager.default.currentDirectoryPath + "/a.png")
        for nothing in [sdimage_request_new(nil), sdimage_request_new_file(nil), sdimage_request_new_file("")] {
            #expect(url(nothing) == "")
            sdimage_request_unref(nothing)
        }
        for request in [part, file, relative] { sdimage_request_unref(request) }
    }

    @Test func thePixelFormatIsThatOfTheDecodeOptions() throws {
        let owned = makeRequest("data:,"), request = owned.pointer
        defer { withExtendedLifetime(owned) {} }
        #expect(sdimage_request_pixel_format(request) == .SDIMAGE_PIXEL_FORMAT_AUTOMATIC)
        for format in [sdimage_pixel_format.SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED, .SDIMAGE_PIXEL_FORMAT_NATIVE] {
            sdimage_request_set_pixel_format(request, format)
            #expect(sdimage_request_pixel_format(request) == format)
            var options: OpaquePointer?
            sdimage_request_copy_decode_options(request, &options)
            #expect(sdimage_decode_options_pixel_format(options) == format)
            sdimage_decode_options_unref(options)
        }
    }

    @Test func aTextIsEscapedForAURL() throws {
        func escaped(_ text: String, _ length: Int? = nil) throws -> String {
            let data = try make(sdimage_data_unref) { sdimage_url_escape(text, length ?? .init(bitPattern: ~0), $0, $1) }
            return try withExtendedLifetime(data) {
                let text = try #require(sdimage_data_bytes(data.pointer)).assumingMemoryBound(to: CChar.self)
                let count = sdimage_data_length(data.pointer)
                #expect(text[count] == 0)
                return String(decoding: UnsafeRawBufferPointer(start: text, count: count), as: UTF8.self)
            }
        }
        #expect(try escaped("a b/c?d=e&f#\u{e9}") == "a%20b%2Fc%3Fd%3De%26f%23%C3%A9")
        #expect(try escaped("AZaz09-._~") == "AZaz09-._~")
        #expect(try escaped("a\u{0}b", 3) == "a%00b")
        #expect(try escaped("") == "")
    }
}
