import CSDImage
import Foundation
import TestSupport
import Testing

/// Responses that a shared cache must not store (RFC 9111, sections 3 and 3.5), while the user's disk cache stores them.
@Suite struct PrivateResponseTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let control: String
        var vary: String?
        var field: String?
        var hasUser = false
        var handlesCookies = false
        let isShared: Bool
        var isOnDisk = true
        var testDescription: String {
            "\(control)|\(vary ?? "")|\(field ?? "")\(hasUser ? " user" : "")\(handlesCookies ? " jar" : "")"
        }
    }

    private static let token = "Authorization: Bearer a"
    private static let cookie = "Cookie: user=a"

    @Test(arguments: [
        Row(control: "max-age=60", isShared: true),
        Row(control: "private", isShared: false),
        Row(control: "max-age=60, PRIVATE", isShared: false),
        Row(control: "private=\"set-cookie\"", isShared: false),
        Row(control: "public, private", isShared: false),
        Row(control: "no-store", isShared: false, isOnDisk: false),
        Row(control: "no-store, must-understand", isShared: false),
        Row(control: "", field: token, isShared: false),
        Row(control: "max-age=60", field: token, isShared: false),
        Row(control: "x=\"unfinished, max-age=60", field: token, isShared: false),
        Row(control: "public", field: token, isShared: true),
        Row(control: "s-maxage=60", field: token, isShared: true),
        Row(control: "must-revalidate", field: token, isShared: true),
        Row(control: "public, private", field: token, isShared: false),
        Row(control: "max-age=60", hasUser: true, isShared: false),
        Row(control: "public", hasUser: true, isShared: true),
        Row(control: "max-age=60", field: cookie, isShared: false),
        Row(control: "s-maxage=60", field: cookie, isShared: false),
        Row(control: "public", field: cookie, isShared: true),
        Row(control: "max-age=60", handlesCookies: true, isShared: false),
        Row(control: "public", handlesCookies: true, isShared: true),
        Row(control: "max-age=60", vary: "Accept", isShared: true),
        Row(control: "max-age=60", vary: "Accept, Authorization", isShared: false),
        Row(control: "public", vary: "cookie", isShared: false),
    ]) func aPrivateResponseStaysInTheProcess(_ row: Row) throws {
        let (shared, folder) = (SharedHostCache(), TemporaryDirectory())
        let local = try makeCache(in: folder.path)
        let lower = try shared.makeCache()
        let chain = try make(sdimage_cache_unref) { sdimage_cache_new_tiered(local.pointer, lower.pointer, $0, $1) }
        let manager = try makeManager(cache: chain)
        var headers = row.control.isEmpty ? [:] : ["Cache-Control": row.control]
        headers["Vary"] = row.vary
        headers["ETag"] = "\"a\""
        let origin = ScriptedOrigin(.init(headers: headers, body: makePNG(width: 8, height: 8)))
        let url = row.hasUser ? origin.url().replacingOccurrences(of: "//", with: "//alice:secret@") : origin.url()
        let exactThumbnail = url + "\u{1F}Thumbnail({4.000000,4.000000},1)"
        for size: UInt32 in [0, 4] {
            let result = try load(manager, url) {
                sdimage_request_set_wait_for_store($0, true)
                if size > 0 { sdimage_request_set_thumbnail_size($0, size, size, .SDIMAGE_SCALE_MODE_ASPECT_FIT) }
                sdimage_request_set_handle_cookies($0, row.handlesCookies)
                guard let parts = row.field?.split(separator: ":", maxSplits: 1) else { return }
                sdimage_request_set_header($0, String(parts[0]), String(parts[1].dropFirst()))
            }
            #expect(result.status == .SDIMAGE_STATUS_OK)
        }
        #expect((shared.entry(url) != nil) == row.isShared)
        #expect((shared.entry(exactThumbnail) != nil) == row.isShared)
        #expect((diskBytes(local, url) != nil) == row.isOnDisk)
        // The mark is stored with the entry: entries promoted and variants derived from it later stay private, too.
        #expect(sdimage_cache_clear(local.pointer, .SDIMAGE_CACHE_LAYERS_MEMORY, nil) == .SDIMAGE_STATUS_OK)
        _ = try load(manager, url) {
            sdimage_request_set_source_policy($0, .SDIMAGE_SOURCE_POLICY_CACHE_ONLY)
            sdimage_request_set_wait_for_store($0, true)
            sdimage_request_set_thumbnail_size($0, 3, 3, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
        }
        #expect((shared.entry(url + "\u{1F}Thumbnail({3.000000,3.000000},1)") != nil) == row.isShared)
    }

    /// A shared cache below another in a chain, without leases: its function table declares it shared.
    @Test func aTableSaysThatACacheIsShared() throws {
        let shared = SharedHostCache()
        let origin = ScriptedOrigin(.init(headers: ["Cache-Control": "private"], body: makePNG(width: 8, height: 8)))
        for isShared in [true, false] {
            let manager = try makeManager(cache: try shared.makeCache(leases: false, isShared: isShared))
            let result = try load(manager, origin.url()) { sdimage_request_set_wait_for_store($0, true) }
            #expect(result.status == .SDIMAGE_STATUS_OK)
            #expect((shared.entry(origin.url()) != nil) == !isShared)
        }
    }

    /// An image that the program stores itself, with its bytes and without.
    @Test(arguments: [Row(control: "private", isShared: false), Row(control: "max-age=60", isShared: true)])
    func anImageThatTheProgramStoresStaysPrivate(_ row: Row) throws {
        let (shared, folder) = (SharedHostCache(), TemporaryDirectory())
        let local = try makeCache(in: folder.path)
        let lower = try shared.makeCache()
        let chain = try make(sdimage_cache_unref) { sdimage_cache_new_tiered(local.pointer, lower.pointer, $0, $1) }
        let origin = ScriptedOrigin(.init(headers: ["Cache-Control": row.control], body: makePNG(width: 8, height: 8)))
        _ = try load(try makeManager(cache: local), origin.url())
        let image = try #require(memoryImage(local.pointer, origin.url(), origin.url().utf8.count))
        defer { sdimage_image_unref(image) }
        for (key, data) in [("encoded", nil), ("given", try make(sdimage_data_unref) { sdimage_data_new("bytes", 5, $0, $1) })] {
            let stored = sdimage_cache_store(
                chain.pointer, key, key.utf8.count, image, data?.pointer, .SDIMAGE_CACHE_LAYERS_ALL, nil, nil)
            #expect(stored == .SDIMAGE_STATUS_OK)
            #expect((shared.entry(key) != nil) == row.isShared)
            #expect(diskBytes(local, key) != nil)
        }
    }

    /// Between the look-up and the store of a revalidation another process stores a newer image, which must stay.
    @Test(arguments: [true, false]) func aRenewalNeverBringsBackOldBytes(hasReplace: Bool) throws {
        let shared = SharedHostCache()
        let origin = ScriptedOrigin(
            .init(headers: ["ETag": "\"a\"", "Cache-Control": "max-age=0"], body: makePNG(width: 8, height: 8)))
        let manager = try makeManager(cache: try shared.makeCache(leases: false, isShared: true, replaces: hasReplace))
        func loadFresh() throws -> Delivered {
            try load(manager, origin.url()) {
                sdimage_request_set_wait_for_store($0, true)
                sdimage_request_set_freshness($0, .SDIMAGE_FRESHNESS_RESPECT)
            }
        }
        _ = try loadFresh()
        let old = try #require(shared.entry(origin.url()))
        // Without interference the entry is updated if the cache supports replace.
        #expect(try loadFresh().status == .SDIMAGE_STATUS_OK)
        #expect(origin.requests.count == 2)
        let renewed = try #require(shared.entry(origin.url()))
        #expect(
            (sdimage_cache_entry_date_ns(renewed.pointer) > sdimage_cache_entry_date_ns(old.pointer)) == hasReplace)
        // With interference it is not.
        let newer = try make(sdimage_data_unref) { sdimage_data_new("newer", 5, $0, $1) }
        let entry = try make(sdimage_cache_entry_unref) { sdimage_cache_entry_new(newer.pointer, nil, $0, $1) }
        shared.afterQuery(of: origin.url(), count: 2) { shared.put(origin.url(), entry) }
        let last = try loadFresh()
        #expect(last.status == .SDIMAGE_STATUS_OK)
        #expect(!last.isStale)
        #expect(origin.requests.count == 3)
        #expect(shared.entry(origin.url()).map { sdimage_data_length(sdimage_cache_entry_data($0.pointer)) } == 5)
    }
}
