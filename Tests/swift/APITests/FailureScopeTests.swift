import CSDImage
import TestSupport
import Testing

/// The loads covered by a remembered failure: those that could have shared its transfer.
@Suite struct FailureScopeTests {
    struct Way: Sendable, Equatable, CustomTestStringConvertible {
        let isLenient: Bool
        let field: String?
        var testDescription: String { "\(isLenient ? "lenient" : "strict") \(field ?? "plain")" }

        static let all = [true, false].flatMap { isLenient in
            [nil, "Authorization: Bearer a", "Cookie: user=a"].map { Way(isLenient: isLenient, field: $0) }
        }

        func apply(to request: OpaquePointer) {
            sdimage_request_set_accept_invalid_certificates(request, isLenient)
            guard let parts = field?.split(separator: ":", maxSplits: 1) else { return }
            sdimage_request_set_header(request, String(parts[0]), String(parts[1].dropFirst()))
        }
    }

    @Test(arguments: Way.all, Way.all) func aFailureHoldsForEqualStrictLoads(_ first: Way, _ second: Way) throws {
        for status in [404, 410, 451, 200] {
            let fixture = try FreshnessFixture([:], body: Array("no image".utf8))
            fixture.origin.now { $0.status = status }
            #expect(try fixture.load(.SDIMAGE_FRESHNESS_IGNORE, first.apply).last?.status != .SDIMAGE_STATUS_OK)
            fixture.origin.now { ($0.status, $0.body) = (200, makePNG(width: 8, height: 8)) }
            let result = try fixture.load(.SDIMAGE_FRESHNESS_IGNORE, second.apply).last
            let isRefused = first == second && !first.isLenient
            #expect(result?.status == (isRefused ? .SDIMAGE_STATUS_FAILED_URL : .SDIMAGE_STATUS_OK), "after \(status)")
            #expect(fixture.origin.requests.count == (isRefused ? 1 : 2))
        }
    }

    /// Bytes without a signature are an image only for a request that names their format.
    @Test func aFailureDoesNotHoldForAnotherFormatHint() throws {
        let fixture = try FreshnessFixture([:], body: Array("no image".utf8))
        let hinting: (OpaquePointer) -> Void = { request in
            let options = decodeOptions { sdimage_decode_options_set_format_hint($0, .SDIMAGE_FORMAT_RAW) }
            withExtendedLifetime(options) { sdimage_request_set_decode_options(request, options.pointer) }
        }
        #expect(try fixture.load(.SDIMAGE_FRESHNESS_IGNORE).last?.status == .SDIMAGE_STATUS_NOT_AN_IMAGE)
        fixture.origin.now { $0.body = makePNG(width: 8, height: 8) }
        #expect(try fixture.load(.SDIMAGE_FRESHNESS_IGNORE).last?.status == .SDIMAGE_STATUS_FAILED_URL)
        #expect(try fixture.load(.SDIMAGE_FRESHNESS_IGNORE, hinting).last?.status == .SDIMAGE_STATUS_OK)
    }

    @Test func aFailureDoesNotHoldForAnotherLoader() throws {
        let fixture = try FreshnessFixture([:])
        fixture.origin.now { $0.status = 404 }
        _ = try fixture.load(.SDIMAGE_FRESHNESS_IGNORE)
        fixture.origin.now { $0.status = 200 }
        let other = try make(sdimage_loader_unref) { sdimage_downloader_new(nil, $0, $1) }
        let result = try fixture.load(.SDIMAGE_FRESHNESS_IGNORE) { sdimage_request_set_loader($0, other.pointer) }
        #expect(result.last?.status == .SDIMAGE_STATUS_OK)
    }

    /// Cookies of the cookie jar are sent too: a URL refused before a log-in may be allowed after it.
    @Test func aFailureDoesNotHoldForOtherCookiesOfTheJar() throws {
        let fixture = try FreshnessFixture([:])
        let cookies: (OpaquePointer) -> Void = { sdimage_request_set_handle_cookies($0, true) }
        fixture.origin.now { $0.status = 404 }
        _ = try fixture.load(.SDIMAGE_FRESHNESS_IGNORE, cookies)
        #expect(try fixture.load(.SDIMAGE_FRESHNESS_IGNORE, cookies).last?.status == .SDIMAGE_STATUS_FAILED_URL)
        fixture.origin.now { ($0.status, $0.headers) = (200, ["Set-Cookie": "user=a"]) }
        let login = fixture.request(.SDIMAGE_FRESHNESS_IGNORE, "/login.png")
        cookies(login.pointer)
        let listener = Listener()
        _ = try listener.load(fixture.manager, login)
        #expect(listener.final()?.status == .SDIMAGE_STATUS_OK)
        fixture.origin.now { $0.headers = [:] }
        #expect(try fixture.load(.SDIMAGE_FRESHNESS_IGNORE, cookies).last?.status == .SDIMAGE_STATUS_OK)
    }

    /// Conditional requests, timeouts and limits do not make a different request.
    @Test func aFailureHoldsForRevalidationsAndOtherLimits() throws {
        let fixture = try FreshnessFixture(["ETag": "\"a\"", "Cache-Control": "no-cache"])
        _ = try fixture.load(.SDIMAGE_FRESHNESS_IGNORE)
        fixture.origin.now { $0.status = 410 }
        #expect(try fixture.load(.SDIMAGE_FRESHNESS_RESPECT).last?.status == .SDIMAGE_STATUS_HTTP_STATUS)
        let result = try fixture.load(.SDIMAGE_FRESHNESS_IGNORE) {
            sdimage_request_set_source_policy($0, .SDIMAGE_SOURCE_POLICY_LOADER_ONLY)
            sdimage_request_set_timeout_ms($0, 7000)
            sdimage_request_set_max_retries($0, 1)
            sdimage_request_set_max_body_bytes($0, 100_000)
        }
        #expect(result.last?.status == .SDIMAGE_STATUS_FAILED_URL)
    }

    /// Forgetting by URL forgets the failures of all requests for it.
    @Test func forgettingAURLForgetsAllItsFailures() throws {
        let fixture = try FreshnessFixture([:])
        fixture.origin.now { $0.status = 404 }
        let strict = Way.all.filter { !$0.isLenient }
        for way in strict { _ = try fixture.load(.SDIMAGE_FRESHNESS_IGNORE, way.apply) }
        for way in strict {
            #expect(try fixture.load(.SDIMAGE_FRESHNESS_IGNORE, way.apply).last?.status == .SDIMAGE_STATUS_FAILED_URL)
        }
        #expect(fixture.origin.requests.count == 3)
        fixture.origin.now { $0.status = 200 }
        sdimage_manager_forget_failed(fixture.manager.pointer, fixture.origin.url(), fixture.origin.url().utf8.count)
        for way in strict {
            let result = try fixture.load(.SDIMAGE_FRESHNESS_IGNORE) {
                way.apply(to: $0)
                sdimage_request_set_source_policy($0, .SDIMAGE_SOURCE_POLICY_LOADER_ONLY)
            }
            #expect(result.last?.status == .SDIMAGE_STATUS_OK)
        }
    }
}
