import CSDImage
import TestSupport
import Testing

@Suite struct FailedURLTests {
    /// The status of the origin, and the expected second request.
    @Test(arguments: [
        (404, false), (410, false), (451, false), (400, true), (401, true), (403, true), (408, true), (425, true), (429, true),
        (500, true), (503, true),
    ]) func aStatusIsRememberedWhenItIsDefinite(_ status: Int, isAsked: Bool) throws {
        let fixture = try FreshnessFixture([:])
        fixture.origin.now { $0.status = status }
        #expect(try fixture.load(.SDIMAGE_FRESHNESS_IGNORE).last?.status == .SDIMAGE_STATUS_HTTP_STATUS)
        fixture.origin.now { $0.status = 200 }
        let second = try fixture.load(.SDIMAGE_FRESHNESS_IGNORE).last
        #expect(second?.status == (isAsked ? .SDIMAGE_STATUS_OK : .SDIMAGE_STATUS_FAILED_URL))
        #expect(second?.httpStatus == (isAsked ? 0 : Int32(status)))
        #expect(fixture.origin.requests.count == (isAsked ? 2 : 1))
    }

    /// The message of a load that fails with FAILED_URL.
    private func refusal(_ manager: Owned, _ url: String) throws -> String {
        let request = makeRequest(url)
        let failure = #expect(throws: CallFailure.self) {
            _ = try make(sdimage_result_unref) { sdimage_manager_load_sync(manager.pointer, request.pointer, $0, $1) }
        }
        #expect(failure?.status == .SDIMAGE_STATUS_FAILED_URL)
        return failure?.message ?? ""
    }

    @Test(arguments: [300, -1] as [Int64]) func aRefusalHasItsCauseAndTheTimeOfTheNextTry(_ retryAfter: Int64) throws {
        let origin = ScriptedOrigin(.init(body: Array("no image".utf8)))
        let manager = try makeManager(cache: nil, retryAfter: retryAfter)
        for (path, status, cause) in [("/a", 404, " s ago"), ("/b", 200, ")")] {
            origin.now { $0.status = status }
            let listener = Listener()
            _ = try listener.load(manager, makeRequest(origin.url(path)))
            #expect(listener.final() != nil)
            let message = try refusal(manager, origin.url(path))
            let start = status == 404 ? "request: HTTP status 404, " : "request: failed "
            #expect(message.hasPrefix(start), "\(message)")
            // Seconds may have passed since the failure: they are its age, and the next try is as much nearer.
            let digits = message.dropFirst(start.count).prefix { $0.isNumber }
            let age = try #require(Int64(digits), "\(message)")
            let next = retryAfter < 0 ? "; not tried again" : "; next try in \(retryAfter - age) s"
            #expect(message.hasSuffix(cause + next), "\(message)")
        }
    }

    /// A loader whose loads fail with the given status, and that votes on remembering it; a member of a chain if `isChained`.
    private func makeLoader(_ status: sdimage_status, remembers: Bool, isChained: Bool) throws -> Owned {
        var table = sdimage_loader_vtable()
        table.size = MemoryLayout<sdimage_loader_vtable>.size
        table.can_load = { _, _ in true }
        table.load = { userData, _, sink in
            let error = sdimage_error_new(sdimage_status(rawValue: Int32(Int(bitPattern: userData) >> 1))!, "no")
            sdimage_load_sink_finish(sink, error)
            sdimage_error_unref(error)
            return .SDIMAGE_STATUS_OK
        }
        table.should_remember_failure = { userData, request, error in
            #expect(sdimage_request_url(request, nil).map { String(cString: $0) } == "x:a")
            #expect(sdimage_error_code(error).rawValue == Int32(Int(bitPattern: userData) >> 1))
            return Int(bitPattern: userData) & 1 == 1
        }
        let vote = UnsafeMutableRawPointer(bitPattern: Int(status.rawValue) << 1 | (remembers ? 1 : 0))
        let loader = try make(sdimage_loader_unref) { sdimage_loader_new_custom("voting", &table, vote, nil, $0, $1) }
        guard isChained else { return loader }
        let chain = try make(sdimage_loader_unref) { sdimage_loader_new_chain($0, $1) }
        #expect(sdimage_loader_chain_add(chain.pointer, loader.pointer, nil) == .SDIMAGE_STATUS_OK)
        return chain
    }

    @Test(arguments: [true, false], [true, false])
    func theLoaderDecidesWhatIsRemembered(_ remembers: Bool, _ isChained: Bool) throws {
        // The library itself remembers NOT_FOUND and not TIMEOUT.
        let status = remembers ? sdimage_status.SDIMAGE_STATUS_TIMEOUT : .SDIMAGE_STATUS_NOT_FOUND
        let loader = try makeLoader(status, remembers: remembers, isChained: isChained)
        let manager = try makeManager(cache: nil, loader: loader)
        for expected in [status, remembers ? .SDIMAGE_STATUS_FAILED_URL : status] {
            let listener = Listener()
            _ = try listener.load(manager, makeRequest("x:a"))
            #expect(listener.final()?.status == expected)
        }
    }

    /// The URL would be kept in memory with its content.
    @Test func aDataURLThatIsNoPictureIsNotRemembered() throws {
        let manager = try makeManager(cache: nil)
        for _ in 0..<2 { #expect(try load(manager, "data:,no%20picture").status == .SDIMAGE_STATUS_NOT_AN_IMAGE) }
    }

    @Test func aWholeBodyThatIsNoPictureIsRememberedAndABrokenOneIsNot() throws {
        let fixture = try FreshnessFixture([:])
        fixture.origin.now { $0.breaksOff = true }
        #expect(try fixture.load(.SDIMAGE_FRESHNESS_IGNORE).last?.status == .SDIMAGE_STATUS_CONNECTION_LOST)
        fixture.origin.now { ($0.breaksOff, $0.body) = (false, Array("no picture".utf8)) }
        #expect(try fixture.load(.SDIMAGE_FRESHNESS_IGNORE).last?.status == .SDIMAGE_STATUS_NOT_AN_IMAGE)
        #expect(try fixture.load(.SDIMAGE_FRESHNESS_IGNORE).last?.status == .SDIMAGE_STATUS_FAILED_URL)
        #expect(fixture.origin.requests.count == 2)
        #expect(!fixture.isOnDisk)
    }

    @Test func successOfALoadThatTriesAllTheSameClearsTheURL() throws {
        let fixture = try FreshnessFixture(["ETag": "\"a\"", "Cache-Control": "no-cache"])
        let again: (OpaquePointer) -> Void = { sdimage_request_set_retry_failed($0, true) }
        let reload: (OpaquePointer) -> Void = { sdimage_request_set_source_policy($0, .SDIMAGE_SOURCE_POLICY_LOADER_ONLY) }
        _ = try fixture.load(.SDIMAGE_FRESHNESS_IGNORE)
        fixture.origin.now { $0.status = 404 }
        #expect(try fixture.load(.SDIMAGE_FRESHNESS_RESPECT).last?.status == .SDIMAGE_STATUS_HTTP_STATUS)
        #expect(try fixture.load(.SDIMAGE_FRESHNESS_RESPECT).last?.status == .SDIMAGE_STATUS_FAILED_URL)
        // The valid copy is found as before.
        #expect(fixture.isOnDisk)
        #expect(try fixture.load(.SDIMAGE_FRESHNESS_IGNORE).last?.width == 8)
        #expect(try fixture.load(.SDIMAGE_FRESHNESS_RESPECT, again).last?.httpStatus == 404)
        fixture.origin.now { $0.status = 200 }
        #expect(try fixture.load(.SDIMAGE_FRESHNESS_IGNORE, reload).last?.status == .SDIMAGE_STATUS_FAILED_URL)
        // "Not modified" is a success too.
        #expect(try fixture.load(.SDIMAGE_FRESHNESS_RESPECT, again).last?.status == .SDIMAGE_STATUS_OK)
        #expect(try fixture.load(.SDIMAGE_FRESHNESS_IGNORE, reload).last?.status == .SDIMAGE_STATUS_OK)
    }

    @Test func signedURLsOfOnePictureShareItsEntry() throws {
        let origin = ScriptedOrigin(.init(body: makePNG(width: 6, height: 6)))
        let cache = try makeCache(in: nil)
        let config = sdimage_manager_config_new()
        defer { sdimage_manager_config_unref(config) }
        sdimage_manager_config_set_cache(config, cache.pointer)
        for ignores in [true, false] {
            sdimage_manager_config_set_ignore_signatures(config, ignores)
            let manager = try make(sdimage_manager_unref) { sdimage_manager_new(config, $0, $1) }
            let before = origin.requests.count
            for signature in ["a", "b"] {
                let listener = Listener()
                _ = try listener.load(manager, makeRequest(origin.url("/a.png?w=6&X-Amz-Signature=\(signature)")))
                #expect(listener.final()?.width == 6)
            }
            #expect(origin.requests.count - before == (ignores ? 1 : 2))
            let request = makeRequest(origin.url("/a.png?w=6&sig=1&se=2"))
            let key = try make(sdimage_data_unref) { sdimage_manager_get_cache_key(manager.pointer, request.pointer, $0, $1) }
            let bytes = UnsafeRawBufferPointer(start: sdimage_data_bytes(key.pointer), count: sdimage_data_length(key.pointer))
            #expect(String(decoding: bytes, as: UTF8.self) == origin.url("/a.png?w=6" + (ignores ? "" : "&sig=1&se=2")))
        }
    }
}
