import CSDImage
import Foundation
import TestSupport
import Testing

/// Partial images during the transfer.
@Suite struct ProgressiveTests {
    private func progressive(_ url: String, _ change: (OpaquePointer?) -> Void = { _ in }) -> Owned {
        let request = makeRequest(url)
        sdimage_request_set_progressive(request.pointer, true)
        sdimage_request_set_progressive_interval_ms(request.pointer, 1)
        change(request.pointer)
        return request
    }

    private func write(_ bytes: some Collection<UInt8>, to sink: OpaquePointer?) {
        let bytes = Array(bytes)
        #expect(sdimage_load_sink_write(sink, bytes, bytes.count, nil) == .SDIMAGE_STATUS_OK)
    }

    private func finish(_ sink: OpaquePointer?) {
        sdimage_load_sink_finish(sink, nil)
        sdimage_load_sink_unref(sink)
    }

    @Test func whatHasComeIsShownBeforeTheRestComes() throws {
        let held = HeldLoader()
        let manager = try makeManager(cache: try makeCache(in: nil), loader: try held.makeLoader())
        let bytes = try Fixtures.bytes("jpeg/large.jpg")
        let listener = Listener()
        let task = try listener.load(manager, progressive("test://a.jpg"))
        let sink = held.next()
        write(bytes.prefix(bytes.count / 2), to: sink)
        let part = try #require(listener.part())
        #expect(part.width == 1024 && part.height == 768 && part.isIncremental)
        #expect(!part.hasData && part.status == .SDIMAGE_STATUS_OK && part.source == .SDIMAGE_IMAGE_SOURCE_LOADER)
        #expect(!sdimage_task_is_finished(task.pointer))
        write(bytes.dropFirst(bytes.count / 2), to: sink)
        finish(sink)
        let final = try #require(listener.final())
        #expect(final.width == 1024 && !final.isIncremental && final.hasData)
        #expect(listener.results.last?.kind == .SDIMAGE_DELIVERY_KIND_FINAL && listener.finals.count == 1)
    }

    @Test func aLoadThatDidNotAskSeesNoPart() throws {
        let held = HeldLoader()
        let manager = try makeManager(cache: nil, loader: try held.makeLoader())
        let bytes = try Fixtures.bytes("jpeg/large.jpg")
        let asking = Listener(), other = Listener()
        _ = try other.load(manager, makeRequest("test://a.jpg"))
        _ = try asking.load(manager, progressive("test://a.jpg"))
        let sink = held.next()
        write(bytes.prefix(bytes.count / 2), to: sink)
        #expect(asking.part() != nil)
        write(bytes.dropFirst(bytes.count / 2), to: sink)
        finish(sink)
        #expect(other.final()?.status == .SDIMAGE_STATUS_OK && asking.final()?.status == .SDIMAGE_STATUS_OK)
        #expect(other.results.count == 1)
        #expect(held.startCount == 1)
    }

    @Test(arguments: [true, false]) func itWorksOverHTTPWithAndWithoutALength(isLengthKnown: Bool) throws {
        let bytes = try Fixtures.bytes("pictures/coral-reef.webp")
        let mayEnd = DispatchSemaphore(value: 0)
        let server = LoopbackServer { _, connection in
            let half = Array(bytes.prefix(bytes.count / 2)), rest = Array(bytes.dropFirst(bytes.count / 2))
            func piece(_ bytes: [UInt8]) -> [UInt8] {
                isLengthKnown ? bytes : Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [13, 10]
            }
            let length = isLengthKnown ? "Content-Length: \(bytes.count)" : "Transfer-Encoding: chunked"
            connection.send("HTTP/1.1 200 Fine\r\n\(length)\r\n\r\n")
            connection.send(piece(half))
            mayEnd.wait()
            connection.send(piece(rest) + (isLengthKnown ? [] : Array("0\r\n\r\n".utf8)))
        }
        defer { server.stop() }
        // The response is held while the partial image waits for a worker.
        let config = makePatientConfig()
        let loader = try make(sdimage_loader_unref) { sdimage_downloader_new(config.pointer, $0, $1) }
        let manager = try makeManager(cache: nil, loader: loader)
        let listener = Listener()
        _ = try listener.load(manager, progressive(server.url("/a.webp")))
        let part = listener.part()
        mayEnd.signal()
        #expect(part?.width == 960 && part?.source == .SDIMAGE_IMAGE_SOURCE_NETWORK && part?.isIncremental == true)
        #expect(listener.final()?.isIncremental == false)
    }

    @Test func theImageThatReplacesAStaleOneShowsWhileItArrives() throws {
        let bytes = try Fixtures.bytes("pictures/coral-reef.webp")
        let mayEnd = DispatchSemaphore(value: 0)
        let server = LoopbackServer { request, connection in
            guard request.headers["if-none-match"] != nil else {
                let fields = ["Cache-Control": "max-age=0", "ETag": "\"a\""]
                return connection.answer(200, fields, body: makePNG(width: 8, height: 8))
            }
            connection.send("HTTP/1.1 200 Fine\r\nContent-Length: \(bytes.count)\r\n\r\n")
            connection.send(Array(bytes.prefix(bytes.count / 2)))
            mayEnd.wait()
            connection.send(Array(bytes.dropFirst(bytes.count / 2)))
        }
        defer { server.stop() }
        // The response is held while the partial image waits for a worker.
        let config = makePatientConfig()
        let loader = try make(sdimage_loader_unref) { sdimage_downloader_new(config.pointer, $0, $1) }
        let manager = try makeManager(cache: try makeCache(in: nil), loader: loader)
        let request = progressive(server.url("/a.webp")) { sdimage_request_set_freshness($0, .SDIMAGE_FRESHNESS_RESPECT) }
        let first = Listener(), second = Listener()
        _ = try first.load(manager, request)
        #expect(first.final()?.width == 8)
        _ = try second.load(manager, request)
        let part = second.part()
        mayEnd.signal()
        #expect(part?.width == 960 && part?.isIncremental == true)
        #expect(second.final()?.width == 960)
    }

    @Test func eachLoadOfASharedTransferGetsPartsOfItsOwnSize() throws {
        let held = HeldLoader()
        let manager = try makeManager(cache: nil, loader: try held.makeLoader())
        let bytes = try Fixtures.bytes("jpeg/large.jpg")
        let listeners = [UInt32](arrayLiteral: 100, 200, 200, 300).map { ($0, Listener()) }
        for (width, listener) in listeners {
            let request = progressive("test://a.jpg") {
                sdimage_request_set_thumbnail_size($0, width, width, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
            }
            _ = try listener.load(manager, request)
        }
        let sink = held.next()
        write(bytes.prefix(bytes.count / 2), to: sink)
        for (width, listener) in listeners { #expect(listener.part()?.width == width) }
        write(bytes.dropFirst(bytes.count / 2), to: sink)
        finish(sink)
        for (width, listener) in listeners { #expect(listener.final()?.width == width) }
        #expect(held.startCount == 1)
    }

    @Test func aLoadThatJoinsLaterSeesWhatHasArrived() throws {
        let held = HeldLoader()
        let manager = try makeManager(cache: nil, loader: try held.makeLoader())
        let bytes = try Fixtures.bytes("jpeg/large.jpg")
        let first = Listener(), late = Listener(), later = Listener()
        _ = try first.load(manager, makeRequest("test://a.jpg"))
        let sink = held.next()
        write(bytes.prefix(bytes.count / 2), to: sink)
        _ = try late.load(manager, progressive("test://a.jpg"))
        #expect(late.part()?.width == 1024)
        _ = try later.load(manager, progressive("test://a.jpg"))
        #expect(later.part()?.width == 1024)
        write(bytes.dropFirst(bytes.count / 2), to: sink)
        finish(sink)
        for listener in [first, late, later] { #expect(listener.final()?.status == .SDIMAGE_STATUS_OK) }
        #expect(first.results.count == 1 && held.startCount == 1)
    }

    @Test func partsAreTransformedAndNeverKept() throws {
        let folder = TemporaryDirectory()
        let held = HeldLoader()
        let cache = try makeCache(in: folder.path)
        let manager = try makeManager(cache: cache, loader: try held.makeLoader())
        let transformer = try CountingTransformer(width: 77).makeTransformer(key: "narrow")
        let bytes = try Fixtures.bytes("jpeg/large.jpg")
        let listener = Listener()
        let request = progressive("test://a.jpg") { sdimage_request_set_transformer($0, transformer.pointer) }
        let task = try listener.load(manager, request)
        let sink = held.next()
        write(bytes.prefix(bytes.count / 2), to: sink)
        #expect(listener.part()?.width == 77)
        sdimage_task_cancel(task.pointer)
        #expect(listener.final()?.status == .SDIMAGE_STATUS_CANCELLED)
        finish(sink)
        let key = try make(sdimage_data_unref) { sdimage_manager_get_cache_key(manager.pointer, request.pointer, $0, $1) }
        #expect(sdimage_cache_flush(cache.pointer, nil) == .SDIMAGE_STATUS_OK)
        for (bytes, length) in [(sdimage_data_bytes(key.pointer), sdimage_data_length(key.pointer))] {
            #expect(sdimage_cache_contains(cache.pointer, bytes, length) == .SDIMAGE_CACHE_LAYERS_NONE)
        }
        #expect(sdimage_cache_contains(cache.pointer, "test://a.jpg", -1) == .SDIMAGE_CACHE_LAYERS_NONE)
    }

    @Test func whatCannotBeDecodedIsNotShown() throws {
        let held = HeldLoader()
        let manager = try makeManager(cache: nil, loader: try held.makeLoader())
        let listener = Listener()
        _ = try listener.load(manager, progressive("test://page"))
        let sink = held.next()
        for _ in 0..<20 { write(Array("<html>not a picture, however long it is</html>".utf8), to: sink) }
        finish(sink)
        #expect(listener.final()?.status == .SDIMAGE_STATUS_NOT_AN_IMAGE)
        #expect(listener.results.count == 1)
    }

    @Test(arguments: Fixtures.pictures.filter { !$0.hasPrefix("heif") && !$0.hasPrefix("avif") })
    func theWholePictureIsThatOfOneDecode(name: String) throws {
        let bytes = try Fixtures.bytes(name)
        let whole = Outcome.whole(bytes, nil)
        let held = HeldLoader()
        let manager = try makeManager(cache: nil, loader: try held.makeLoader())
        let listener = Listener()
        let task = try listener.load(manager, progressive("test://\(name)"))
        let sink = held.next()
        var position = 0
        for end in Cut.random.ends(bytes.count) {
            write(bytes[position..<end], to: sink)
            position = end
        }
        finish(sink)
        _ = listener.final()
        var result: OpaquePointer?
        sdimage_task_get_result(task.pointer, &result)
        defer { sdimage_result_unref(result) }
        let image = sdimage_result_image(result)
        #expect(sdimage_error_code(sdimage_result_error(result)) == whole.status)
        #expect(image.map { _ in Seen(image) } == whole.seen)
    }

    @Test func nothingIsShownAfterTheEnd() throws {
        let immediate = try make(sdimage_dispatcher_unref) { sdimage_dispatcher_new_immediate($0, $1) }
        let held = HeldLoader()
        let manager = try makeManager(cache: nil, loader: try held.makeLoader(), dispatcher: immediate)
        let bytes = try Fixtures.bytes("jpeg/large.jpg")
        let listener = Listener()
        // Cancels inside the first partial result.
        listener.onResult = { task, _ in sdimage_task_cancel(task) }
        _ = try listener.load(manager, progressive("test://a.jpg"))
        let sink = held.next()
        for start in stride(from: 0, to: bytes.count, by: 1500) {
            let piece = Array(bytes[start..<min(start + 1500, bytes.count)])
            _ = sdimage_load_sink_write(sink, piece, piece.count, nil)
            if start == 1500 * 5 { _ = listener.part() }
        }
        finish(sink)
        #expect(listener.final()?.status == .SDIMAGE_STATUS_CANCELLED)
        #expect(listener.waitForDestroy())
        #expect(
            listener.results.map(\.kind) == [.SDIMAGE_DELIVERY_KIND_PARTIAL, .SDIMAGE_DELIVERY_KIND_FINAL])
    }

    @Test func aPictureThatBreaksOffEndsWithItsErrorAfterTheParts() throws {
        let held = HeldLoader()
        let cache = try makeCache(in: nil)
        let manager = try makeManager(cache: cache, loader: try held.makeLoader())
        let bytes = try Fixtures.bytes("jpeg/large.jpg")
        let listener = Listener()
        _ = try listener.load(manager, progressive("test://a.jpg"))
        let sink = held.next()
        write(bytes.prefix(bytes.count / 2), to: sink)
        #expect(listener.part() != nil)
        finish(sink)
        #expect(listener.final()?.status == .SDIMAGE_STATUS_TRUNCATED)
        #expect(sdimage_cache_contains(cache.pointer, "test://a.jpg", -1) == .SDIMAGE_CACHE_LAYERS_NONE)
    }
}
