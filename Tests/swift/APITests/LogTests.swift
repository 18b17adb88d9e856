import CSDImage
import Foundation
import TestSupport
import Testing

/// The log is process-wide, so these tests are serialized.
@Suite(.serialized) struct LogTests {
    /// The lines of a level that `body` and what it started causes, as soon as `isEnough`.
    private func lines(
        _ level: sdimage_log_level, until isEnough: ([String]) -> Bool, _ body: (LogHearer) throws -> Void
    ) throws -> [String] {
        let hearer = LogHearer()
        hearer.hearsEverything = true
        hearer.install(level)
        try body(hearer)
        #expect(becomesTrue { isEnough(hearer.texts) })
        _ = sdimage_log_set_handler(.SDIMAGE_LOG_LEVEL_OFF, nil, nil, nil, nil)
        #expect(hearer.waitForDestroy())
        return zip(hearer.levels, hearer.texts).filter { $0.0 == level }.map(\.1)
    }

    @Test func everyLoadThatEndsIsToldAtDebug() throws {
        let manager = try makeManager(
            cache: try makeCache(in: nil), loader: try ScriptedLoader.answering(makePNG(width: 2, height: 2)).makeLoader())
        let immediate = try make(sdimage_dispatcher_unref) { sdimage_dispatcher_new_immediate($0, $1) }
        let heard = try lines(.SDIMAGE_LOG_LEVEL_DEBUG, until: { $0.contains { $0.contains("memory") } }) { hearer in
            for _ in 0..<2 {
                let listener = Listener(), request = makeRequest("test://u:p@\(hearer.mark)/a?b")
                sdimage_request_set_dispatcher(request.pointer, immediate.pointer)
                _ = try listener.load(manager, request)
                #expect(listener.final()?.status == .SDIMAGE_STATUS_OK)
            }
        }
        let own = heard.filter { $0.contains("hearer-") }
        #expect(own.count == 2 && own.allSatisfy { $0.hasPrefix("load: ended (OK, source ") && $0.hasSuffix("/a?…") })
        #expect(own[0].contains("source loader") && own[1].contains("source memory"))
    }

    @Test func anOpenedDiskCacheIsToldAtInfo() throws {
        let folder = TemporaryDirectory(), line = "disk cache: \(folder.path)/default opened with 0 entries"
        // The disk thread opens it.
        var cache: Owned?
        let heard = try lines(.SDIMAGE_LOG_LEVEL_INFO, until: { $0.contains(line) }) { _ in
            cache = try makeCache(in: folder.path)
        }
        withExtendedLifetime(cache) {}
        #expect(heard.filter { $0.contains(folder.path) } == [line])
    }

    @Test func anIndexThatIsSetAsideIsAnError() throws {
        let folder = TemporaryDirectory(), path = folder.path + "/default/v1"
        let former = try makeCache(in: folder.path)
        #expect(sdimage_cache_check(former.pointer, nil) == .SDIMAGE_STATUS_OK)
        #expect(sdimage_cache_close(former.pointer, nil) == .SDIMAGE_STATUS_OK)
        try Data(repeating: 7, count: 100_000).write(to: URL(fileURLWithPath: path + "/index-1.db"))
        let heard = try lines(.SDIMAGE_LOG_LEVEL_ERROR, until: { $0.contains { $0.contains(folder.path) } }) { _ in
            let cache = try makeCache(in: folder.path)
            #expect(sdimage_cache_check(cache.pointer, nil) == .SDIMAGE_STATUS_OK)
        }
        #expect(heard.filter { $0.contains(folder.path) } == ["disk cache: index in \(path) is damaged, starting a new one"])
    }

    /// A cache with an entry in a file, and the folder of its files.
    private func filledCache(in folder: String) throws -> (cache: Owned, files: String) {
        let config = Owned(sdimage_cache_config_new()) { sdimage_cache_config_unref($0) }
        sdimage_cache_config_set_directory(config.pointer, folder)
        sdimage_cache_config_set_inline_entry_limit(config.pointer, 1)
        let cache = try make(sdimage_cache_unref) { sdimage_cache_new(config.pointer, $0, $1) }
        let data = try make(sdimage_data_unref) { sdimage_data_new("bytes", 5, $0, $1) }
        #expect(sdimage_cache_store_data(cache.pointer, "a", -1, data.pointer, nil) == .SDIMAGE_STATUS_OK)
        return (cache, folder + "/default/v1")
    }

    @Test func aDamagedEntryIsAWarning() throws {
        let folder = TemporaryDirectory(), (cache, files) = try filledCache(in: folder.path)
        let names = try FileManager.default.subpathsOfDirectory(atPath: files).map { files + "/" + $0 }
        for name in names where FileManager.default.contents(atPath: name) == Data("bytes".utf8) {
            try Data("wrong".utf8).write(to: URL(fileURLWithPath: name))
        }
        let line = "cache: damaged entry removed"
        let heard = try lines(.SDIMAGE_LOG_LEVEL_WARNING, until: { $0.contains(line) }) { _ in
            var data: OpaquePointer?
            #expect(sdimage_cache_get_data(cache.pointer, "a", -1, &data, nil) == .SDIMAGE_STATUS_NOT_FOUND)
        }
        #expect(heard.contains(line))
    }

    @Test func aDroppedStoreIsAnErrorAndTheHandlerMayAskTheCache() throws {
        let folder = TemporaryDirectory(), (cache, files) = try filledCache(in: folder.path)
        // Files in place of the folders of further entries.
        for number in 0..<256 {
            _ = FileManager.default.createFile(atPath: files + "/" + String(format: "%02x", number), contents: nil)
        }
        let data = try make(sdimage_data_unref) { sdimage_data_new("bytes", 5, $0, $1) }
        let heard = try lines(
            .SDIMAGE_LOG_LEVEL_ERROR, until: { $0.contains { $0.hasPrefix("cache: store dropped: ") } }
        ) { hearer in
            hearer.onMessage = {
                var statistics = sdimage_cache_statistics()
                statistics.size = MemoryLayout<sdimage_cache_statistics>.size
                _ = sdimage_cache_get_statistics(cache.pointer, &statistics, nil)
            }
            #expect(sdimage_cache_store_data(cache.pointer, "b", -1, data.pointer, nil).rawValue < 0)
        }
        #expect(heard.contains { $0.hasPrefix("cache: store dropped: ") })
    }

    @Test func aPoisonedConnectionIsAWarning() throws {
        let ended = Locked(0), sent = Locked(0)
        let server = LoopbackServer { request, connection in
            connection.answer(200, body: makePNG(width: 2, height: 2))
            // After the end of the load, and before the next request.
            _ = becomesTrue { ended.get() > sent.get() }
            connection.answer(200, body: Array("poison".utf8))
            sent.set(sent.get() + 1)
        }
        defer { server.stop() }
        let manager = try makeManager(cache: nil, loader: try make(sdimage_loader_unref) { sdimage_downloader_new(nil, $0, $1) })
        let refusal = "http: unasked response refused http://"
        let heard = try lines(.SDIMAGE_LOG_LEVEL_WARNING, until: { $0.contains { $0.hasPrefix(refusal) } }) { hearer in
            for round in 1...50 {
                let listener = Listener()
                _ = try listener.load(manager, makeRequest(server.url("/\(hearer.mark)/\(round)")))
                #expect(listener.final()?.status == .SDIMAGE_STATUS_OK)
                ended.set(round)
                #expect(becomesTrue { sent.get() >= round })
            }
        }
        #expect(heard.contains { $0.hasPrefix(refusal) && $0.contains("hearer-") })
    }

    private func failingLoad(_ manager: Owned, _ mark: String) throws {
        let listener = Listener()
        _ = try listener.load(manager, makeRequest("test://\(mark)"))
        #expect(listener.final()?.status == .SDIMAGE_STATUS_NOT_FOUND)
    }

    private func failingManager() throws -> Owned {
        try makeManager(cache: nil, loader: try ScriptedLoader { _, _ in .SDIMAGE_STATUS_NOT_FOUND }.makeLoader())
    }

    @Test func failedLoadsAreToldAtInfoAndNotBelow() throws {
        let manager = try failingManager()
        let hearer = LogHearer(), quiet = LogHearer()
        hearer.install(.SDIMAGE_LOG_LEVEL_INFO)
        try failingLoad(manager, hearer.mark)
        #expect(hearer.levels == [.SDIMAGE_LOG_LEVEL_INFO])
        quiet.install(.SDIMAGE_LOG_LEVEL_WARNING)
        #expect(hearer.waitForDestroy())
        try failingLoad(manager, quiet.mark)
        #expect(quiet.levels.isEmpty)
        _ = sdimage_log_set_handler(.SDIMAGE_LOG_LEVEL_OFF, nil, nil, nil, nil)
        #expect(quiet.waitForDestroy())
    }

    @Test func linesHaveTheNamesOfStatuses() throws {
        let manager = try makeManager(
            cache: nil, loader: try ScriptedLoader { _, _ in .SDIMAGE_STATUS_TOO_MANY_REDIRECTS }.makeLoader())
        let hearer = LogHearer(), listener = Listener()
        hearer.install(.SDIMAGE_LOG_LEVEL_INFO)
        _ = try listener.load(manager, makeRequest("test://\(hearer.mark)"))
        #expect(listener.final()?.status == .SDIMAGE_STATUS_TOO_MANY_REDIRECTS)
        #expect(hearer.texts.count == 1 && hearer.texts[0].contains(" (TOO_MANY_REDIRECTS) "))
        _ = sdimage_log_set_handler(.SDIMAGE_LOG_LEVEL_OFF, nil, nil, nil, nil)
        #expect(hearer.waitForDestroy())
    }

    @Test(arguments: [
        "test://alice:s3cret@MARK/a?token=s3cret&X-Amz-Signature=s3cret", "test://MARK/a#access_token=s3cret",
        "http:alice:s3cret@MARK/a", "http:/alice:s3cret@MARK/a", "alice:s3cret@MARK", "https://alice:s3cret/x@MARK/a",
        "https://MARK/a;session=s3cret", "test://MARK/http://alice:s3cret@host/",
        "test://MARK/http%3A%2F%2Falice%3As3cret%40host",
        "test://MARK/a\r\ns3cret",
    ])
    func logLinesShowNoSecretsOfURLs(url: String) throws {
        let manager = try failingManager()
        let hearer = LogHearer()
        hearer.hearsEverything = true
        hearer.install(.SDIMAGE_LOG_LEVEL_DEBUG)
        let request = makeRequest(url.replacingOccurrences(of: "MARK", with: hearer.mark))
        let listeners = (load: Listener(), fetch: Listener())
        _ = try? listeners.load.load(manager, request)
        _ = try listeners.fetch.fetch(try ScriptedLoader { _, _ in .SDIMAGE_STATUS_NOT_FOUND }.makeLoader(), request)
        for listener in [listeners.load, listeners.fetch] { _ = listener.final() }
        _ = sdimage_log_set_handler(.SDIMAGE_LOG_LEVEL_OFF, nil, nil, nil, nil)
        #expect(hearer.waitForDestroy())
        let isForged = url.contains("\n")
        #expect(!hearer.texts.contains { isForged ? $0.contains("\n") : $0.contains("s3cret") || $0.contains("alice") })
    }

    @Test func aHandlerReceivesNothingAboveItsLevelWhileHandlersChange() {
        let quiet = LogHearer(), loud = LogHearer()
        let mark = quiet.mark
        Race.run(rounds: 2_000) { round in
            (round % 2 == 0 ? loud : quiet).install(round % 2 == 0 ? .SDIMAGE_LOG_LEVEL_DEBUG : .SDIMAGE_LOG_LEVEL_ERROR)
        } against: { _ in
            for _ in 0..<10 { sdimage_log_write(.SDIMAGE_LOG_LEVEL_DEBUG, mark) }
        }
        #expect(quiet.levels.isEmpty)
        _ = sdimage_log_set_handler(.SDIMAGE_LOG_LEVEL_OFF, nil, nil, nil, nil)
    }

    @Test(arguments: ["\n", "\r", "\r\n"]) func aTextOfSeveralLinesEndsWithTheFirst(end: String) {
        let hearer = LogHearer()
        hearer.install(.SDIMAGE_LOG_LEVEL_WARNING)
        sdimage_log_write(.SDIMAGE_LOG_LEVEL_WARNING, "\(hearer.mark)\(end)two")
        _ = sdimage_log_set_handler(.SDIMAGE_LOG_LEVEL_OFF, nil, nil, nil, nil)
        #expect(hearer.waitForDestroy())
        #expect(hearer.texts == [hearer.mark])
        let error = Owned(sdimage_error_new(.SDIMAGE_STATUS_BUSY, "one\(end)two")) { sdimage_error_unref($0) }
        #expect(String(cString: sdimage_error_message(error.pointer)) == "one")
    }

    @Test func damagedImageDataIsOneWarning() throws {
        // No other test has an image of this size.
        let data = try DamagedImageTests.damagedJPEG(width: 1733, height: 331)
        let hearer = LogHearer()
        hearer.hearsEverything = true
        hearer.install(.SDIMAGE_LOG_LEVEL_WARNING)
        let image = try make(sdimage_image_unref) { sdimage_decode(data, data.count, nil, $0, $1) }
        _ = sdimage_log_set_handler(.SDIMAGE_LOG_LEVEL_OFF, nil, nil, nil, nil)
        #expect(hearer.waitForDestroy())
        #expect(sdimage_image_is_damaged(image.pointer))
        #expect(hearer.texts.filter { $0.contains("1733x331") }.count == 1)
    }

    /// A folder in a file, and one whose name is too long for a file system.
    @Test(arguments: [
        ("/cache", sdimage_status.SDIMAGE_STATUS_CACHE_UNUSABLE),
        (String(repeating: "x", count: 300), .SDIMAGE_STATUS_IO_ERROR),
    ])
    func anUnusableFolderIsOneError(end: String, error: sdimage_status) throws {
        let hearer = LogHearer()
        let blocked = FileManager.default.temporaryDirectory.appendingPathComponent("sdimage-log-\(hearer.mark)").path
        try Data("a file".utf8).write(to: URL(fileURLWithPath: blocked))
        defer { try? FileManager.default.removeItem(atPath: blocked) }
        hearer.install(.SDIMAGE_LOG_LEVEL_ERROR)
        let cache = try makeCache(in: blocked + end)
        let data = try make(sdimage_data_unref) { sdimage_data_new("bytes", 5, $0, $1) }
        for _ in 0..<3 {
            let status = sdimage_cache_store_data(cache.pointer, "a", -1, data.pointer, nil)
            #expect(status == error)
            #expect(sdimage_cache_check(cache.pointer, nil) == error)
        }
        // Written by the thread that tried to open the folder first: this one, or the disk thread.
        #expect(hearer.waitForMessage())
        _ = sdimage_log_set_handler(.SDIMAGE_LOG_LEVEL_OFF, nil, nil, nil, nil)
        #expect(hearer.waitForDestroy())
        #expect(hearer.texts.count == 1 && hearer.texts[0].hasPrefix("disk cache: "))
    }

    @Test(arguments: ["\n", "\r", "\r\n"]) func aPathWithALineEndForgesNoLine(end: String) throws {
        let hearer = LogHearer()
        hearer.install(.SDIMAGE_LOG_LEVEL_ERROR)
        // No folder can be created in a device.
        let cache = try makeCache(in: "/dev/null/\(hearer.mark)\(end)forged")
        var error: OpaquePointer?
        #expect(sdimage_cache_check(cache.pointer, &error) == .SDIMAGE_STATUS_CACHE_UNUSABLE)
        let message = String(cString: sdimage_error_message(error))
        sdimage_error_unref(error)
        // Written by the thread that tried to open the folder first: this one, or the disk thread.
        #expect(hearer.waitForMessage())
        _ = sdimage_log_set_handler(.SDIMAGE_LOG_LEVEL_OFF, nil, nil, nil, nil)
        #expect(hearer.waitForDestroy())
        #expect(message.contains("?forged") && hearer.texts == [message])
        #expect(!message.contains { $0.isNewline })
    }

    @Test func theHostWritesToo() {
        let hearer = LogHearer()
        hearer.install(.SDIMAGE_LOG_LEVEL_WARNING)
        for level in [sdimage_log_level.SDIMAGE_LOG_LEVEL_WARNING, .SDIMAGE_LOG_LEVEL_INFO, .SDIMAGE_LOG_LEVEL_OFF] {
            sdimage_log_write(level, "coder: \(hearer.mark)")
        }
        sdimage_log_write(.SDIMAGE_LOG_LEVEL_ERROR, nil)
        _ = sdimage_log_set_handler(.SDIMAGE_LOG_LEVEL_OFF, nil, nil, nil, nil)
        #expect(hearer.waitForDestroy())
        #expect(hearer.texts == ["coder: \(hearer.mark)"] && hearer.levels == [.SDIMAGE_LOG_LEVEL_WARNING])
    }

    @Test func whatALogFunctionCausesIsNotLoggedAndItCannotWaitForACache() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sdimage-log-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let manager = try failingManager()
        let cache = try makeCache(in: folder)
        let immediate = try make(sdimage_dispatcher_unref) { sdimage_dispatcher_new_immediate($0, $1) }
        let hearer = LogHearer()
        let seen = Locked(sdimage_status.SDIMAGE_STATUS_OK)
        hearer.onMessage = { [unowned hearer] in
            seen.set(sdimage_cache_flush(cache.pointer, nil))
            // Failing loads would end at once on this thread, and would be logged.
            let request = makeRequest("test://\(hearer.mark)")
            sdimage_request_set_dispatcher(request.pointer, immediate.pointer)
            _ = sdimage_manager_running_count(manager.pointer)
        }
        hearer.install(.SDIMAGE_LOG_LEVEL_INFO)
        try failingLoad(manager, hearer.mark)
        #expect(seen.get() == .SDIMAGE_STATUS_WOULD_DEADLOCK)
        #expect(hearer.levels.count == 1)
        _ = sdimage_log_set_handler(.SDIMAGE_LOG_LEVEL_OFF, nil, nil, nil, nil)
        #expect(hearer.waitForDestroy())
    }

    // Messages from the middle of a commit. Without an end, other tests would wait for the disk thread.

    @Test func aLogFunctionCannotWaitForACommit() async {
        await #expect(processExitsWith: .success) { try LogTests().callTheCacheInACommit() }
    }

    @Test func aLogFunctionMayReleaseACacheInACommit() async {
        await #expect(processExitsWith: .success) { try LogTests().releaseTheCacheInACommit() }
    }

    /// A cache whose next commit writes a message: a file has taken the place of its open folder.
    private func lostCache(_ folder: TemporaryDirectory, _ data: Owned) throws -> Owned {
        let cache = try makeCache(in: folder.path)
        #expect(sdimage_cache_store_data(cache.pointer, "a", -1, data.pointer, nil) == .SDIMAGE_STATUS_OK)
        try FileManager.default.removeItem(atPath: folder.path + "/default")
        try Data("a file".utf8).write(to: URL(fileURLWithPath: folder.path + "/default"))
        return cache
    }

    private func callTheCacheInACommit() throws {
        let folder = TemporaryDirectory(), data = try make(sdimage_data_unref) { sdimage_data_new("bytes", 5, $0, $1) }
        let cache = try lostCache(folder, data), manager = try makeManager(cache: cache)
        let hearer = LogHearer(), seen = Locked<[sdimage_status]>([])
        hearer.hearsEverything = true
        hearer.onMessage = {
            var statistics = sdimage_cache_statistics()
            statistics.size = MemoryLayout<sdimage_cache_statistics>.size
            var json: OpaquePointer?, error: OpaquePointer?
            sdimage_cache_get_last_error(cache.pointer, &error)
            sdimage_error_unref(error)
            seen.set([
                sdimage_cache_get_statistics(cache.pointer, &statistics, nil),
                sdimage_cache_statistics_to_json(cache.pointer, &json, nil), sdimage_cache_close(cache.pointer, nil),
                sdimage_manager_flush(manager.pointer, .max, nil),
            ])
        }
        hearer.install(.SDIMAGE_LOG_LEVEL_ERROR)
        let status = sdimage_cache_store_data(cache.pointer, "b", -1, data.pointer, nil)
        // The disk thread may write the message, in a commit of its own.
        #expect(becomesTrue { !seen.get().isEmpty })
        _ = sdimage_log_set_handler(.SDIMAGE_LOG_LEVEL_OFF, nil, nil, nil, nil)
        #expect(status.rawValue < 0)
        #expect(seen.get() == Array(repeating: .SDIMAGE_STATUS_WOULD_DEADLOCK, count: 4))
    }

    private func releaseTheCacheInACommit() throws {
        let folder = TemporaryDirectory(), data = try make(sdimage_data_unref) { sdimage_data_new("bytes", 5, $0, $1) }
        let cache = Locked<Owned?>(try lostCache(folder, data)), hearer = LogHearer(), heard = Heard()
        hearer.hearsEverything = true
        hearer.onMessage = { cache.set(nil) }
        hearer.install(.SDIMAGE_LOG_LEVEL_ERROR)
        let status = sdimage_cache_store_data_async(
            cache.get()?.pointer, "b", -1, data.pointer, Heard.handler, heard.retained(), Heard.destroy, nil)
        #expect(status == .SDIMAGE_STATUS_OK)
        #expect(heard.next() != "silence")
        #expect(cache.get().map { _ in true } == nil)
        _ = sdimage_log_set_handler(.SDIMAGE_LOG_LEVEL_OFF, nil, nil, nil, nil)
    }
}
