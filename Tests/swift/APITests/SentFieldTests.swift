import CSDImage
import Foundation
import TestSupport
import Testing

/// Caching by the fields as sent: those that a download hook or the downloader adds count as those of the request.
@Suite struct SentFieldTests {
    /// An origin, and managers whose downloader has a hook that adds fields.
    private struct Fixture {
        let origin: ScriptedOrigin
        let folder = TemporaryDirectory()
        let fields = Locked<[String: String]>([:])
        let hooks = HostHooks()

        init(_ headers: [String: String]) {
            origin = ScriptedOrigin(.init(headers: headers, body: makePNG(width: 8, height: 8)))
            hooks.request = { [fields] request, reply in
                for (name, value) in fields.get() { sdimage_request_set_header(request, name, value) }
                HostHooks.complete(reply)
            }
        }

        func load(_ manager: Owned, _ change: (OpaquePointer) -> Void = { _ in }) throws -> Delivered {
            try APITests.load(manager, origin.url()) {
                sdimage_request_set_freshness($0, .SDIMAGE_FRESHNESS_RESPECT)
                sdimage_request_set_wait_for_store($0, true)
                change($0)
            }
        }
    }

    private func forgetMemory(_ cache: Owned) {
        #expect(sdimage_cache_clear(cache.pointer, .SDIMAGE_CACHE_LAYERS_MEMORY, nil) == .SDIMAGE_STATUS_OK)
    }

    @Test func aConfirmedResponseIsSelectedByTheFieldsOfTheHook() throws {
        let fixture = Fixture(["ETag": "\"a\"", "Vary": "X-Lang", "Cache-Control": "max-age=0"])
        let cache = try makeCache(in: fixture.folder.path), manager = try fixture.hooks.makeManager(cache: cache)
        fixture.fields.set(["X-Lang": "en"])
        fixture.origin.now { $0.confirmation = ["Cache-Control": "max-age=1000"] }
        for (rule, requests) in [("none", 1), ("expired", 2), ("max_age", 2)] {
            #expect(try fixture.load(manager).rule == rule)
            #expect(fixture.origin.requests.count == requests)
            forgetMemory(cache)
        }
    }

    @Test func aConfirmedResponseToAnAuthorizedRequestStaysPrivate() throws {
        let fixture = Fixture(["ETag": "\"a\"", "Cache-Control": "max-age=0"])
        let shared = SharedHostCache()
        let local = try makeCache(in: fixture.folder.path), lower = try shared.makeCache()
        let chain = try make(sdimage_cache_unref) { sdimage_cache_new_tiered(local.pointer, lower.pointer, $0, $1) }
        let manager = try fixture.hooks.makeManager(cache: chain)
        fixture.fields.set(["Authorization": "Bearer a"])
        fixture.origin.now { $0.confirmation = ["Cache-Control": "max-age=1000"] }
        for rule in ["none", "expired"] { #expect(try fixture.load(manager).rule == rule) }
        let thumbnail = try fixture.load(manager) {
            sdimage_request_set_thumbnail_size($0, 4, 4, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
        }
        #expect(thumbnail.width == 4 && thumbnail.rule == "max_age")
        #expect(diskBytes(local, fixture.origin.url()) != nil)
        // No response was stored in the shared cache, and no lease was taken.
        #expect(shared.events.isEmpty)
    }

    /// Under each of these policies, the image that was loaded with other fields is not the result.
    @Test(arguments: [sdimage_source_policy.SDIMAGE_SOURCE_POLICY_ANY, .SDIMAGE_SOURCE_POLICY_CACHE_ONLY])
    func theHookSelectsTheImageInMemory(policy: sdimage_source_policy) throws {
        let fixture = Fixture(["ETag": "\"a\"", "Vary": "X-Lang", "Cache-Control": "max-age=1000"])
        let manager = try fixture.hooks.makeManager(cache: try makeCache(in: nil))
        fixture.fields.set(["X-Lang": "en"])
        _ = try fixture.load(manager)
        let same = try fixture.load(manager) { sdimage_request_set_source_policy($0, policy) }
        #expect(same.rule == "max_age" && same.source == .SDIMAGE_IMAGE_SOURCE_MEMORY && same.width == 8)
        fixture.fields.set(["X-Lang": "de"])
        fixture.origin.now { ($0.headers["ETag"], $0.body) = ("\"b\"", makePNG(width: 9, height: 9)) }
        // A look-up on the calling thread does not call the hook, so it leaves the image to a load.
        let request = makeRequest(fixture.origin.url())
        sdimage_request_set_freshness(request.pointer, .SDIMAGE_FRESHNESS_RESPECT)
        var found: OpaquePointer?
        #expect(sdimage_manager_find(manager.pointer, request.pointer, &found, nil) == .SDIMAGE_STATUS_OK && found == nil)
        let other = try fixture.load(manager) { sdimage_request_set_source_policy($0, policy) }
        #expect(other.rule == "vary" && other.width == (policy == .SDIMAGE_SOURCE_POLICY_ANY ? 9 : 0))
        #expect(fixture.origin.requests.count == (policy == .SDIMAGE_SOURCE_POLICY_ANY ? 2 : 1))
    }

    /// The fields of the downloader select an entry on disk, too, if no request may be sent.
    @Test func cachesAloneGiveWhatTheFieldsOfTheDownloaderSelect() throws {
        let fixture = Fixture(["Vary": "User-Agent, X-Lang", "Cache-Control": "max-age=1000"])
        let cache = try makeCache(in: fixture.folder.path), manager = try fixture.hooks.makeManager(cache: cache)
        fixture.fields.set(["X-Lang": "en"])
        _ = try fixture.load(manager)
        forgetMemory(cache)
        let found = try fixture.load(manager) {
            sdimage_request_set_source_policy($0, .SDIMAGE_SOURCE_POLICY_CACHE_ONLY)
        }
        #expect(found.width == 8 && found.source == .SDIMAGE_IMAGE_SOURCE_DISK && found.rule == "max_age")
    }

    enum Sender: CaseIterable { case request, downloader, hook }

    /// The bytes of a range are not the image, although they may be one.
    @Test(arguments: Sender.allCases, ["Cache-Control: no-store", "Range: bytes=0-"])
    func theResponseToARequestThatForbidsItIsNotStored(sender: Sender, field: String) throws {
        let fixture = Fixture(["ETag": "\"a\"", "Cache-Control": "max-age=0"])
        let (cache, parts) = (try makeCache(in: fixture.folder.path), field.components(separatedBy: ": "))
        let config = makePatientConfig(), hooks = try fixture.hooks.make()
        if sender == .downloader { sdimage_downloader_config_set_header(config.pointer, parts[0], parts[1]) }
        sdimage_downloader_config_set_hooks(config.pointer, hooks.pointer)
        let loader = try make(sdimage_loader_unref) { sdimage_downloader_new(config.pointer, $0, $1) }
        let manager = try makeManager(cache: cache, loader: loader), shared = SharedHostCache()
        let sharing = try makeManager(cache: try shared.makeCache(), loader: loader)
        if sender == .hook { fixture.fields.set([parts[0]: parts[1]]) }
        for manager in [manager, sharing] {
            let result = try fixture.load(manager) {
                if sender == .request { sdimage_request_set_header($0, parts[0], parts[1]) }
            }
            #expect(result.width == 8 && result.rule == "no_store")
        }
        #expect(diskBytes(cache, fixture.origin.url()) == nil)
        #expect(shared.events.isEmpty)
    }

    @Test func aConfirmedResponseToARequestThatForbidsItIsRemoved() throws {
        let fixture = Fixture(["ETag": "\"a\"", "Cache-Control": "max-age=0"])
        let cache = try makeCache(in: fixture.folder.path), manager = try fixture.hooks.makeManager(cache: cache)
        #expect(try fixture.load(manager).rule == "none")
        #expect(diskBytes(cache, fixture.origin.url()) != nil)
        fixture.fields.set(["Cache-Control": "no-store"])
        #expect(try fixture.load(manager).width == 8)
        #expect(fixture.origin.requests.map(kind) == ["plain", "conditional"])
        #expect(diskBytes(cache, fixture.origin.url()) == nil)
    }
}
