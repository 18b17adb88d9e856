import CSDImage
import Foundation
import TestSupport
import Testing

private let tag = ["ETag": "\"a\""]
private let bigger = makePNG(width: 9, height: 9)

/// Cache-Control and other fields; by default those of a response that was 100 seconds old on arrival.
private func control(_ value: String, _ other: [String: String] = ["Age": "100", "ETag": "\"a\""]) -> [String: String] {
    other.merging(["Cache-Control": value]) { $1 }
}

@Suite struct FreshnessTests {
    @Test func aPlainLoadStoresTheValidatorsOfTheFirstRefresh() throws {
        let fixture = try FreshnessFixture(control("max-age=1000"))
        _ = try fixture.load(.SDIMAGE_FRESHNESS_IGNORE)
        let results = try fixture.load(.SDIMAGE_FRESHNESS_REFRESH)
        #expect(results.map(\.kind) == [.SDIMAGE_DELIVERY_KIND_CACHED, .SDIMAGE_DELIVERY_KIND_FINAL])
        #expect(results.allSatisfy { $0.width == 8 && $0.source == .SDIMAGE_IMAGE_SOURCE_MEMORY && !$0.isChanged && !$0.isStale })
        #expect(fixture.origin.requests.map(kind) == ["plain", "conditional"])
        fixture.forgetMemory()
        let fromDisk = try fixture.load(.SDIMAGE_FRESHNESS_REFRESH)
        #expect(fromDisk.map(\.source) == [.SDIMAGE_IMAGE_SOURCE_DISK, .SDIMAGE_IMAGE_SOURCE_DISK])
        #expect(fromDisk.map(\.rule) == ["refresh", "refresh"] && fromDisk.allSatisfy(\.hasData))
        #expect(fixture.origin.requests.map(kind) == ["plain", "conditional", "conditional"])
    }

    @Test func aRefreshDeliversWhatHasChanged() throws {
        let fixture = try FreshnessFixture(tag)
        _ = try fixture.load(.SDIMAGE_FRESHNESS_IGNORE)
        fixture.origin.now { ($0.headers["ETag"], $0.body) = ("\"b\"", bigger) }
        let results = try fixture.load(.SDIMAGE_FRESHNESS_REFRESH)
        #expect(results.map(\.width) == [8, 9])
        #expect(results.last?.isChanged == true && results.last?.source == .SDIMAGE_IMAGE_SOURCE_NETWORK)
        // It has replaced the previous image, in memory and on disk.
        #expect(try fixture.load(.SDIMAGE_FRESHNESS_IGNORE).last?.width == 9)
        fixture.forgetMemory()
        let stored = try fixture.load(.SDIMAGE_FRESHNESS_IGNORE).last
        #expect(stored?.width == 9 && stored?.source == .SDIMAGE_IMAGE_SOURCE_DISK)
    }

    @Test func aRefreshKnowsTheSameBytesWithoutValidators() throws {
        let fixture = try FreshnessFixture([:])
        _ = try fixture.load(.SDIMAGE_FRESHNESS_IGNORE)
        for _ in 0..<2 {
            let results = try fixture.load(.SDIMAGE_FRESHNESS_REFRESH)
            #expect(results.map(\.kind) == [.SDIMAGE_DELIVERY_KIND_CACHED, .SDIMAGE_DELIVERY_KIND_FINAL])
            #expect(results.last?.isChanged == false)
            fixture.forgetMemory()
        }
        fixture.origin.now { $0.body = bigger }
        #expect(try fixture.load(.SDIMAGE_FRESHNESS_REFRESH).last?.isChanged == true)
    }

    // The body equals the original on disk, but nothing relates the thumbnail to that.
    @Test func aThumbnailOfAnOlderOriginalIsMadeAgainWithoutValidators() throws {
        let fixture = try FreshnessFixture([:])
        let thumbnail: (OpaquePointer) -> Void = { sdimage_request_set_thumbnail_size($0, 4, 4, .SDIMAGE_SCALE_MODE_ASPECT_FIT) }
        _ = try fixture.load(.SDIMAGE_FRESHNESS_IGNORE, thumbnail)
        fixture.origin.now { $0.body = makePNG(width: 4, height: 8) }
        #expect(try fixture.load(.SDIMAGE_FRESHNESS_REFRESH).last?.width == 4)
        fixture.forgetMemory()
        let results = try fixture.load(.SDIMAGE_FRESHNESS_REFRESH, thumbnail)
        #expect(results.map(\.width) == [4, 2] && results.last?.isChanged == true)
    }

    @Test func aRefreshOfNothingIsALoad() throws {
        let fixture = try FreshnessFixture(tag)
        let results = try fixture.load(.SDIMAGE_FRESHNESS_REFRESH)
        #expect(results.count == 1 && results[0].isChanged && results[0].rule == "none")
        #expect(results[0].source == .SDIMAGE_IMAGE_SOURCE_NETWORK)
    }

    @Test func aRefreshOfAnImmutableImageSendsNoRequest() throws {
        let fixture = try FreshnessFixture(control("max-age=1000, immutable", tag))
        _ = try fixture.load(.SDIMAGE_FRESHNESS_IGNORE)
        for source in [sdimage_image_source.SDIMAGE_IMAGE_SOURCE_MEMORY, .SDIMAGE_IMAGE_SOURCE_DISK] {
            let results = try fixture.load(.SDIMAGE_FRESHNESS_REFRESH)
            #expect(results.map(\.rule) == ["immutable"] && results.first?.source == source)
            #expect(results.first?.isChanged == false)
            fixture.forgetMemory()
        }
        #expect(fixture.origin.requests.count == 1)
    }

    /// Reliability: a failed refresh never loses the stored image.
    @Test(arguments: [0, 1, 2, 3, 4, 5]) func aRefreshThatFailsKeepsTheGoodCopy(_ fault: Int) throws {
        let fixture = try FreshnessFixture(tag)
        _ = try fixture.load(.SDIMAGE_FRESHNESS_IGNORE)
        fixture.origin.now { answer in
            answer.headers = ["ETag": "\"b\""]
            switch fault {
            case 0: answer.status = 500
            case 1: answer.status = 404
            case 2: answer.body = Array("<html></html>".utf8)
            case 3: answer.breaksOff = true
            case 4: answer.body = []
            default: answer.body = Array(bigger.prefix(60))
            }
        }
        for isFirst in [true, false] {
            let results = try fixture.load(.SDIMAGE_FRESHNESS_REFRESH)
            #expect(results.map(\.kind) == [.SDIMAGE_DELIVERY_KIND_CACHED, .SDIMAGE_DELIVERY_KIND_FINAL])
            let final = try #require(results.last)
            #expect(final.width == 8 && final.isStale && !final.isChanged && final.status.rawValue < 0)
            if fault == 1 {
                #expect(final.status == (isFirst ? .SDIMAGE_STATUS_HTTP_STATUS : .SDIMAGE_STATUS_FAILED_URL))
                #expect(final.httpStatus == 404)
            }
            #expect(fixture.isOnDisk)
        }
        #expect(try fixture.load(.SDIMAGE_FRESHNESS_IGNORE).last?.width == 8)
        // The next valid response is stored, without a restart.
        fixture.origin.now { ($0.status, $0.body, $0.breaksOff) = (200, bigger, false) }
        sdimage_manager_forget_failed(fixture.manager.pointer, nil, 0)
        #expect(try fixture.load(.SDIMAGE_FRESHNESS_REFRESH).last?.width == 9)
    }

    @Test func notModifiedMakesThePictureFreshAgain() throws {
        let fixture = try FreshnessFixture(control("max-age=10"))
        _ = try fixture.load(.SDIMAGE_FRESHNESS_RESPECT)
        fixture.origin.now { $0.confirmation = ["Age": "0", "Cache-Control": "max-age=1000"] }
        fixture.forgetMemory()
        #expect(try fixture.load(.SDIMAGE_FRESHNESS_RESPECT).last?.rule == "expired")
        #expect(try fixture.load(.SDIMAGE_FRESHNESS_RESPECT).last?.rule == "max_age")
        fixture.forgetMemory()
        let stored = try fixture.load(.SDIMAGE_FRESHNESS_RESPECT).last
        #expect(stored?.rule == "max_age" && stored?.source == .SDIMAGE_IMAGE_SOURCE_DISK)
        #expect(fixture.origin.requests.map(kind) == ["plain", "conditional"])
    }

    @Test func thumbnailsShareWhatIsKnownOfTheirOriginal() throws {
        let fixture = try FreshnessFixture(control("max-age=10"))
        let thumbnail: (OpaquePointer) -> Void = { sdimage_request_set_thumbnail_size($0, 4, 4, .SDIMAGE_SCALE_MODE_ASPECT_FIT) }
        _ = try fixture.load(.SDIMAGE_FRESHNESS_RESPECT)
        _ = try fixture.load(.SDIMAGE_FRESHNESS_IGNORE, thumbnail)
        fixture.origin.now { $0.confirmation = ["Age": "0", "Cache-Control": "max-age=1000"] }
        #expect(try fixture.load(.SDIMAGE_FRESHNESS_RESPECT).last?.rule == "expired")
        let result = try fixture.load(.SDIMAGE_FRESHNESS_RESPECT, thumbnail).last
        #expect(result?.rule == "max_age" && result?.width == 4 && result?.source == .SDIMAGE_IMAGE_SOURCE_MEMORY)
        #expect(fixture.origin.requests.count == 2)
    }

    /// The other load starts in the task of the cancelled one, on its thread.
    @Test func aLoadStartedByACachedDeliveryOutlivesTheLoadOfTheDelivery() throws {
        let fixture = try FreshnessFixture(tag)
        _ = try fixture.load(.SDIMAGE_FRESHNESS_IGNORE)
        let dispatcher = try make(sdimage_dispatcher_unref) { sdimage_dispatcher_new_immediate($0, $1) }
        let manager = try makeManager(cache: try makeCache(in: nil))
        let request = fixture.request(.SDIMAGE_FRESHNESS_REFRESH), another = makeRequest(fixture.origin.url("/b.png"))
        sdimage_request_set_dispatcher(request.pointer, dispatcher.pointer)
        let first = Listener(), second = Listener()
        first.onResult = { task, result in
            guard sdimage_result_kind(result) == .SDIMAGE_DELIVERY_KIND_CACHED else { return }
            sdimage_task_cancel(task)
            _ = try? second.load(manager, another)
        }
        _ = try first.load(fixture.manager, request)
        #expect(second.final()?.status == .SDIMAGE_STATUS_OK)
        #expect(first.final()?.status == .SDIMAGE_STATUS_CANCELLED)
    }

    @Test func aThumbnailOnDiskIsConfirmedAndReplacedAsItsOriginal() throws {
        let fixture = try FreshnessFixture(control("max-age=10"))
        let thumbnail: (OpaquePointer) -> Void = { sdimage_request_set_thumbnail_size($0, 4, 4, .SDIMAGE_SCALE_MODE_ASPECT_FIT) }
        _ = try fixture.load(.SDIMAGE_FRESHNESS_IGNORE, thumbnail)
        fixture.forgetMemory()
        fixture.origin.now { $0.confirmation = ["Age": "0", "Cache-Control": "max-age=1000"] }
        for (rule, count) in [("expired", 2), ("max_age", 2)] {
            let result = try fixture.load(.SDIMAGE_FRESHNESS_RESPECT, thumbnail).last
            #expect(result?.rule == rule && result?.width == 4 && result?.source == .SDIMAGE_IMAGE_SOURCE_DISK)
            #expect(fixture.origin.requests.count == count)
            fixture.forgetMemory()
        }
        fixture.origin.now { ($0.headers["ETag"], $0.body) = ("\"b\"", makePNG(width: 4, height: 8)) }
        let refreshed = try fixture.load(.SDIMAGE_FRESHNESS_REFRESH, thumbnail)
        #expect(refreshed.map(\.width) == [4, 2] && refreshed.last?.isChanged == true)
        fixture.forgetMemory()
        let stored = try fixture.load(.SDIMAGE_FRESHNESS_IGNORE, thumbnail).last
        #expect(stored?.width == 2 && stored?.source == .SDIMAGE_IMAGE_SOURCE_DISK)
    }

    @Test func whatIsFreshInMemoryComesWithItsBytesWhereTheyAreWanted() throws {
        let fixture = try FreshnessFixture(control("max-age=1000", tag))
        _ = try fixture.load(.SDIMAGE_FRESHNESS_RESPECT)
        let result = try fixture.load(.SDIMAGE_FRESHNESS_RESPECT) { sdimage_request_set_include_data($0, true) }.last
        #expect(result?.rule == "max_age" && result?.source == .SDIMAGE_IMAGE_SOURCE_MEMORY && result?.hasData == true)
        #expect(fixture.origin.requests.count == 1)
    }

    @Test(arguments: [false, true]) func aSlightlyStalePictureIsTheResultAndIsRenewedMeanwhile(fromDisk: Bool) throws {
        let fixture = try FreshnessFixture(control("max-age=10, stale-while-revalidate=1000"))
        _ = try fixture.load(.SDIMAGE_FRESHNESS_RESPECT)
        fixture.origin.now { $0.confirmation = ["Age": "0", "Cache-Control": "max-age=1000"] }
        if fromDisk { fixture.forgetMemory() }
        let results = try fixture.load(.SDIMAGE_FRESHNESS_RESPECT)
        #expect(results.map(\.rule) == ["stale_while_revalidate"])
        #expect(results[0].width == 8 && !results[0].isStale && results[0].status == .SDIMAGE_STATUS_OK)
        #expect(fixture.origin.wait(requests: 2))
        #expect(fixture.origin.requests.map(kind) == ["plain", "conditional"])
        #expect(becomesTrue { sdimage_manager_running_count(fixture.manager.pointer) == 0 })
        #expect(try fixture.load(.SDIMAGE_FRESHNESS_RESPECT).last?.rule == "max_age")
        #expect(fixture.origin.requests.count == 2)
    }

    @Test func aRenewalInTheBackgroundReplacesWhatHasChanged() throws {
        let fixture = try FreshnessFixture(control("max-age=10, stale-while-revalidate=1000"))
        _ = try fixture.load(.SDIMAGE_FRESHNESS_RESPECT)
        fixture.origin.now { ($0.headers, $0.body) = (["ETag": "\"b\"", "Cache-Control": "max-age=1000"], bigger) }
        #expect(try fixture.load(.SDIMAGE_FRESHNESS_RESPECT).last?.width == 8)
        #expect(fixture.origin.wait(requests: 2))
        #expect(becomesTrue { sdimage_manager_running_count(fixture.manager.pointer) == 0 })
        let next = try fixture.load(.SDIMAGE_FRESHNESS_RESPECT).last
        #expect(next?.width == 9 && next?.rule == "max_age" && next?.source == .SDIMAGE_IMAGE_SOURCE_MEMORY)
    }

    @Test func whatMustNotBeStoredIsInMemoryAlone() throws {
        let fixture = try FreshnessFixture(control("no-store, max-age=1000", tag))
        for freshness in [sdimage_freshness.SDIMAGE_FRESHNESS_IGNORE, .SDIMAGE_FRESHNESS_RESPECT, .SDIMAGE_FRESHNESS_REFRESH] {
            let first = try fixture.load(freshness).last
            #expect(first?.width == 8 && first?.source == .SDIMAGE_IMAGE_SOURCE_NETWORK && first?.rule == "no_store")
            #expect(try fixture.load(.SDIMAGE_FRESHNESS_IGNORE).last?.source == .SDIMAGE_IMAGE_SOURCE_MEMORY)
            #expect(!fixture.isOnDisk)
        }
    }

    @Test func anAnswerThatMustNotBeStoredTakesTheOldOneAway() throws {
        let fixture = try FreshnessFixture(tag)
        _ = try fixture.load(.SDIMAGE_FRESHNESS_IGNORE)
        fixture.origin.now { ($0.headers, $0.body) = (["Cache-Control": "no-store"], bigger) }
        #expect(try fixture.load(.SDIMAGE_FRESHNESS_RESPECT).last?.width == 9)
        #expect(!fixture.isOnDisk)
    }

    @Test func cachesAloneGiveWhatTheyMay() throws {
        let only: (OpaquePointer) -> Void = { sdimage_request_set_source_policy($0, .SDIMAGE_SOURCE_POLICY_CACHE_ONLY) }
        let fixture = try FreshnessFixture(control("max-age=10"))
        _ = try fixture.load(.SDIMAGE_FRESHNESS_RESPECT)
        let stale = try fixture.load(.SDIMAGE_FRESHNESS_RESPECT, only).last
        #expect(stale?.width == 8 && stale?.isStale == true && stale?.rule == "expired" && stale?.status == .SDIMAGE_STATUS_OK)
        let refreshed = try fixture.load(.SDIMAGE_FRESHNESS_REFRESH, only).last
        #expect(refreshed?.width == 8 && refreshed?.isStale == true && refreshed?.isChanged == false)
        let strict = try FreshnessFixture(control("no-cache"))
        _ = try strict.load(.SDIMAGE_FRESHNESS_RESPECT)
        let nothing = try strict.load(.SDIMAGE_FRESHNESS_RESPECT, only).last
        #expect(nothing?.width == 0 && nothing?.rule == "no_cache" && nothing?.status == .SDIMAGE_STATUS_OK)
        #expect(fixture.origin.requests.count == 1 && strict.origin.requests.count == 1)
    }

    @Test func plainAndConditionalLoadsDoNotShareATransfer() throws {
        let fixture = try FreshnessFixture(control("no-cache", tag))
        _ = try fixture.load(.SDIMAGE_FRESHNESS_IGNORE)
        let loads: [(sdimage_freshness, sdimage_source_policy)] = (0..<12).map { index in
            index % 2 == 0
                ? (.SDIMAGE_FRESHNESS_RESPECT, .SDIMAGE_SOURCE_POLICY_ANY)
                : (.SDIMAGE_FRESHNESS_IGNORE, .SDIMAGE_SOURCE_POLICY_LOADER_ONLY)
        }
        let listeners = try loads.map { freshness, policy in
            let request = fixture.request(freshness)
            sdimage_request_set_source_policy(request.pointer, policy)
            let listener = Listener()
            _ = try listener.load(fixture.manager, request)
            return listener
        }
        for (listener, load) in zip(listeners, loads) {
            let final = listener.final()
            let isPlain = load.1 == .SDIMAGE_SOURCE_POLICY_LOADER_ONLY
            #expect(final?.width == 8 && final?.status == .SDIMAGE_STATUS_OK)
            #expect(final?.source == (isPlain ? .SDIMAGE_IMAGE_SOURCE_NETWORK : .SDIMAGE_IMAGE_SOURCE_MEMORY))
        }
        #expect(Set(fixture.origin.requests.map(kind)) == ["plain", "conditional"])
    }

    @Test func aConditionOfTheHostThatIsMetIsNoPicture() throws {
        let fixture = try FreshnessFixture(tag)
        let final = try fixture.load(.SDIMAGE_FRESHNESS_IGNORE) { sdimage_request_set_header($0, "If-None-Match", "\"a\"") }.last
        #expect(final?.status == .SDIMAGE_STATUS_NOT_MODIFIED && final?.httpStatus == 304 && final?.width == 0)
        // The 304 is not remembered as a failure of the URL.
        #expect(try fixture.load(.SDIMAGE_FRESHNESS_IGNORE).last?.width == 8)
    }

    @Test func theManagerDecidesForRequestsThatDoNot() throws {
        let origin = ScriptedOrigin(.init(headers: control("no-cache"), body: bigger))
        let cache = try makeCache(in: nil)
        let config = sdimage_manager_config_new()
        defer { sdimage_manager_config_unref(config) }
        sdimage_manager_config_set_cache(config, cache.pointer)
        sdimage_manager_config_set_freshness(config, .SDIMAGE_FRESHNESS_RESPECT)
        let manager = try make(sdimage_manager_unref) { sdimage_manager_new(config, $0, $1) }
        func rule(_ change: (OpaquePointer) -> Void) throws -> String? {
            let listener = Listener(), request = makeRequest(origin.url())
            change(request.pointer)
            _ = try listener.load(manager, request)
            return listener.final()?.rule
        }
        #expect(try rule { _ in } == "none")
        #expect(try rule { _ in } == "no_cache")
        #expect(try rule { sdimage_request_set_freshness($0, .SDIMAGE_FRESHNESS_IGNORE) } == "none")
        #expect(
            try rule {
                sdimage_request_set_freshness($0, .SDIMAGE_FRESHNESS_IGNORE)
                sdimage_request_reset_freshness($0)
            } == "no_cache")
        #expect(origin.requests.count == 3)
    }

    @Test func aLoaderOfTheHostIsAskedForWhatIsNotKnownToBeFresh() throws {
        let held = HeldLoader(), folder = TemporaryDirectory()
        let manager = try makeManager(cache: try makeCache(in: folder.path), loader: try held.makeLoader())
        func load(_ freshness: sdimage_freshness, _ answer: [UInt8]) throws -> [Delivered] {
            let listener = Listener(), request = makeRequest("test://a.png")
            sdimage_request_set_freshness(request.pointer, freshness)
            sdimage_request_set_wait_for_store(request.pointer, true)
            _ = try listener.load(manager, request)
            #expect(held.answer(answer))
            _ = listener.final()
            return listener.results
        }
        #expect(try load(.SDIMAGE_FRESHNESS_IGNORE, bigger).map(\.rule) == ["none"])
        #expect(try load(.SDIMAGE_FRESHNESS_RESPECT, bigger).map(\.rule) == ["no_lifetime"])
        #expect(try load(.SDIMAGE_FRESHNESS_REFRESH, bigger).map(\.isChanged) == [false, false])
        #expect(try load(.SDIMAGE_FRESHNESS_REFRESH, makePNG(width: 3, height: 3)).map(\.isChanged) == [false, true])
    }

    @Test func aFreshPictureInMemoryIsTheResultBeforeTheCallReturns() throws {
        let fixture = try FreshnessFixture(control("max-age=1000", tag))
        _ = try fixture.load(.SDIMAGE_FRESHNESS_RESPECT)
        let listener = Listener()
        let task = try listener.load(fixture.manager, fixture.request(.SDIMAGE_FRESHNESS_RESPECT))
        #expect(sdimage_task_is_finished(task.pointer))
        _ = listener.final()
    }

    @Test func everyRuleHasItsName() {
        let names = (0...18).map {
            String(cString: sdimage_freshness_rule_name(sdimage_freshness_rule(rawValue: $0) ?? .SDIMAGE_FRESHNESS_RULE_NONE))
        }
        #expect(Set(names).count == 19 && names[0] == "none" && names[18] == "offline")
        #expect(sdimage_result_freshness(nil) == .SDIMAGE_FRESHNESS_RULE_NONE)
    }
}
