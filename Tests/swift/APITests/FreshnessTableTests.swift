import CSDImage
import Foundation
import TestSupport
import Testing

/// A cached image, the next behavior of its origin, and the expected result of a load that respects freshness.
private struct Case: Sendable, CustomStringConvertible {
    let name: String
    /// Fields of the first response.
    var headers: [String: String]
    /// Fields of the second request.
    var fields: [String: String] = [:]
    var now: (@Sendable (inout ScriptedOrigin.Answer) -> Void)?
    var isStopped = false
    var isOffline = false
    let rule: String
    var source: sdimage_image_source = .SDIMAGE_IMAGE_SOURCE_MEMORY
    var status: sdimage_status = .SDIMAGE_STATUS_OK
    var isStale = false
    /// The second load's requests that reach the origin: none, or "plain" or "conditional" ones.
    var asked: [String] = []

    var description: String { name }
}

private let tag = ["ETag": "\"a\""]
private let old = ["Age": "100", "ETag": "\"a\""]
private let bigger = makePNG(width: 9, height: 9)

private func control(_ value: String, _ other: [String: String] = old) -> [String: String] {
    other.merging(["Cache-Control": value]) { $1 }
}

private let none: sdimage_image_source = .SDIMAGE_IMAGE_SOURCE_NONE
private let cases: [Case] = [
    // Used without revalidation.
    Case(name: "max-age", headers: control("max-age=1000"), rule: "max_age"),
    Case(name: "Expires", headers: ["Expires": "Fri, 31 Dec 2094 23:59:59 GMT"], rule: "expires"),
    Case(name: "guessed", headers: ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"], rule: "heuristic"),
    Case(
        name: "max-stale of the request", headers: control("max-age=10"), fields: ["Cache-Control": "max-stale"],
        rule: "max_stale"),
    // Revalidated with 304.
    Case(name: "expired", headers: control("max-age=10"), rule: "expired", asked: ["conditional"]),
    Case(name: "nothing said", headers: tag, rule: "no_lifetime", asked: ["conditional"]),
    Case(name: "no-cache", headers: control("max-age=1000, no-cache"), rule: "no_cache", asked: ["conditional"]),
    Case(
        name: "must-revalidate", headers: control("max-age=10, must-revalidate"), rule: "must_revalidate", asked: ["conditional"]),
    Case(
        name: "no-cache of the request", headers: control("max-age=1000"), fields: ["Cache-Control": "no-cache"], rule: "request",
        asked: ["conditional"]),
    Case(
        name: "Vary, another Accept", headers: control("max-age=1000", ["ETag": "\"a\"", "Vary": "Accept"]),
        fields: ["Accept": "image/webp"], rule: "vary", asked: ["conditional"]),
    Case(name: "Vary, the same Accept", headers: control("max-age=1000", ["Vary": "Accept, Origin"]), rule: "max_age"),
    Case(
        name: "Vary: *", headers: control("max-age=1000", ["Vary": "*"]), rule: "vary", source: .SDIMAGE_IMAGE_SOURCE_NETWORK,
        asked: ["plain"]),
    Case(
        name: "Last-Modified alone", headers: control("no-cache", ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"]),
        rule: "no_cache", asked: ["conditional"]),
    // Revalidated with a new response.
    Case(
        name: "expired, replaced", headers: control("max-age=10"),
        now: {
            $0.headers["ETag"] = "\"b\""; $0.body = bigger
        }, rule: "expired", source: .SDIMAGE_IMAGE_SOURCE_NETWORK, asked: ["conditional"]),
    Case(
        name: "expired, no validators", headers: ["Cache-Control": "max-age=0"], rule: "expired",
        source: .SDIMAGE_IMAGE_SOURCE_NETWORK, asked: ["plain"]),
    Case(name: "no-store", headers: control("no-store"), rule: "no_store", asked: ["conditional"]),
    Case(
        name: "304 about another picture", headers: control("max-age=10"), now: { $0.confirmation = ["ETag": "\"b\""] },
        rule: "expired", source: .SDIMAGE_IMAGE_SOURCE_NETWORK, asked: ["conditional", "plain"]),
    // Failed revalidation.
    Case(
        name: "500", headers: control("max-age=10"), now: { $0.status = 500 }, rule: "unreachable",
        status: .SDIMAGE_STATUS_HTTP_STATUS, isStale: true, asked: ["conditional"]),
    Case(
        name: "500, stale-if-error", headers: control("max-age=10, stale-if-error=1000"), now: { $0.status = 500 },
        rule: "stale_if_error", status: .SDIMAGE_STATUS_HTTP_STATUS, isStale: true, asked: ["conditional"]),
    Case(
        name: "500, stale-if-error is over", headers: control("max-age=10, stale-if-error=20"), now: { $0.status = 500 },
        rule: "expired", source: none, status: .SDIMAGE_STATUS_HTTP_STATUS, asked: ["conditional"]),
    Case(
        name: "500, must-revalidate", headers: control("max-age=10, must-revalidate"), now: { $0.status = 500 },
        rule: "must_revalidate", source: none, status: .SDIMAGE_STATUS_HTTP_STATUS, asked: ["conditional"]),
    Case(
        name: "500, must-revalidate with stale-if-error", headers: control("max-age=10, must-revalidate, stale-if-error=1000"),
        now: { $0.status = 500 }, rule: "must_revalidate", source: none, status: .SDIMAGE_STATUS_HTTP_STATUS,
        asked: ["conditional"]),
    Case(
        name: "503, no-cache", headers: control("no-cache"), now: { $0.status = 503 }, rule: "no_cache", source: none,
        status: .SDIMAGE_STATUS_HTTP_STATUS, asked: ["conditional"]),
    Case(
        name: "404", headers: control("max-age=10"), now: { $0.status = 404 }, rule: "expired", source: none,
        status: .SDIMAGE_STATUS_HTTP_STATUS, asked: ["conditional"]),
    Case(
        name: "a page", headers: control("max-age=10"),
        now: {
            $0.headers["ETag"] = "\"p\""; $0.body = Array("<html>sign in</html>".utf8)
        }, rule: "unreachable", status: .SDIMAGE_STATUS_NOT_AN_IMAGE, isStale: true, asked: ["conditional"]),
    Case(
        name: "no body", headers: control("max-age=10"),
        now: {
            $0.headers["ETag"] = "\"p\""; $0.body = []
        }, rule: "unreachable", status: .SDIMAGE_STATUS_EMPTY_DATA, isStale: true, asked: ["conditional"]),
    Case(
        name: "broken off", headers: control("max-age=10"),
        now: {
            $0.headers["ETag"] = "\"p\""; $0.breaksOff = true
        }, rule: "unreachable", status: .SDIMAGE_STATUS_CONNECTION_LOST, isStale: true, asked: ["conditional"]),
    Case(name: "no connection", headers: control("max-age=10"), isStopped: true, rule: "unreachable", isStale: true),
    Case(name: "offline, fresh", headers: control("max-age=1000"), isOffline: true, rule: "max_age"),
    Case(
        name: "offline, stale", headers: control("max-age=10"), isOffline: true, rule: "offline", status: .SDIMAGE_STATUS_OFFLINE,
        isStale: true),
    Case(
        name: "offline, must-revalidate", headers: control("max-age=10, must-revalidate"), isOffline: true,
        rule: "must_revalidate", source: none, status: .SDIMAGE_STATUS_OFFLINE),
]

@Suite struct FreshnessTableTests {
    /// From memory, and from disk where the response may be stored there.
    @Test(arguments: cases.indices, [false, true]) func aLoadThatRespectsFreshnessFollowsTheRule(_ index: Int, fromDisk: Bool)
        throws
    {
        let each = cases[index]
        let fixture = try FreshnessFixture(each.headers)
        let first = try fixture.load(.SDIMAGE_FRESHNESS_RESPECT).last
        #expect(first?.source == .SDIMAGE_IMAGE_SOURCE_NETWORK)
        if fromDisk {
            if each.rule == "no_store" { return }
            fixture.forgetMemory()
        }
        let before = fixture.origin.requests.count
        if let change = each.now { fixture.origin.now(change) }
        if each.isStopped { fixture.origin.stop() }
        if each.isOffline { sdimage_manager_set_offline(fixture.manager.pointer, true) }
        let results = try fixture.load(.SDIMAGE_FRESHNESS_RESPECT) { request in
            for (name, value) in each.fields { sdimage_request_set_header(request, name, value) }
        }
        let final = try #require(results.last)
        let asked = fixture.origin.requests[before...].map(kind)
        let source = fromDisk && each.source == .SDIMAGE_IMAGE_SOURCE_MEMORY ? .SDIMAGE_IMAGE_SOURCE_DISK : each.source
        #expect(results.count == 1)
        #expect(final.rule == each.rule)
        #expect(final.source == source)
        #expect(final.isStale == each.isStale)
        #expect(final.width == (each.source == none ? 0 : each.name == "expired, replaced" ? 9 : 8))
        if each.isStopped { #expect(final.status.rawValue < 0) } else { #expect(final.status == each.status) }
        #expect(asked == each.asked)
        if ProcessInfo.processInfo.environment["SDIMAGE_FRESHNESS_TABLE"] != nil, !fromDisk {
            let what = asked.isEmpty ? "-" : asked.joined(separator: ", ")
            let name = String(cString: sdimage_image_source_name(final.source))
            print("| \(each.name) | \(final.rule) | \(name)\(final.isStale ? ", stale" : "") | \(what) |")
        }
        // The valid copy is still stored.
        if each.rule != "no_store" { #expect(fixture.isOnDisk) }
    }
}
