import CSDImage
import Foundation
import TestSupport
import Testing

/// Cache chains as managers use them.
@Suite struct CacheChainTests {
    private func makeChain(_ members: Owned...) throws -> Owned {
        let chain = try make(sdimage_cache_unref) { sdimage_cache_new_chain($0, $1) }
        for member in members { #expect(sdimage_cache_chain_add(chain.pointer, member.pointer, nil) == .SDIMAGE_STATUS_OK) }
        return chain
    }

    private func load(_ manager: Owned) throws -> Owned {
        let request = makeRequest("test://host/a.png")
        sdimage_request_set_wait_for_store(request.pointer, true)
        return try make(sdimage_result_unref) { sdimage_manager_load_sync(manager.pointer, request.pointer, $0, $1) }
    }

    @Test func aManagerStoresInTheHighestAndFindsInTheLower() throws {
        let (low, high) = (HostCache(), HostCache())
        let chain = try makeChain(try low.makeCache(), try high.makeCache())
        let loader = try ScriptedLoader.answering(makePNG(width: 3, height: 2)).makeLoader()
        _ = try load(try makeManager(cache: chain, loader: loader))
        #expect(low.keys.isEmpty)
        #expect(high.keys == ["test://host/a.png"])

        #expect(
            sdimage_cache_chain_set_policy(
                chain.pointer, .SDIMAGE_CACHE_CHAIN_OPERATION_STORE, .SDIMAGE_CACHE_CHAIN_POLICY_SERIAL, nil)
                == .SDIMAGE_STATUS_OK)
        let held = HeldLoader()
        let other = try makeManager(cache: try makeChain(chain), loader: try held.makeLoader())
        let result = try load(other)
        #expect(sdimage_result_source(result.pointer) == .SDIMAGE_IMAGE_SOURCE_DISK)
        #expect(held.startCount == 0)
    }

    @Test func aFastCacheIsFilledFromTheLargeOneBelowIt() throws {
        let directory = TemporaryDirectory()
        let (large, fast) = (HostCache(), try makeCache(in: directory.path))
        let chain = try makeChain(try large.makeCache(), fast)
        #expect(sdimage_cache_chain_set_promote(chain.pointer, true, nil) == .SDIMAGE_STATUS_OK)
        let png = makePNG(width: 3, height: 2)
        large.put(png, at: "test://host/a.png")
        let result = try load(try makeManager(cache: chain, loader: try HeldLoader().makeLoader()))
        #expect(sdimage_result_source(result.pointer) == .SDIMAGE_IMAGE_SOURCE_DISK)
        #expect(sdimage_cache_flush(fast.pointer, nil) == .SDIMAGE_STATUS_OK)
        #expect(sdimage_cache_contains(fast.pointer, "test://host/a.png", -1) == .SDIMAGE_CACHE_LAYERS_ALL)
    }

    @Test func aConcurrentQueryEndsWithTheFirstHit() throws {
        let folder = TemporaryDirectory(), slow = HeldCache(), listener = Listener()
        let stored = try makeCache(in: folder.path)
        let bytes = makePNG(width: 3, height: 2)
        let data = try make(sdimage_data_unref) { sdimage_data_new(bytes, bytes.count, $0, $1) }
        #expect(sdimage_cache_store_data(stored.pointer, "test://a", -1, data.pointer, nil) == .SDIMAGE_STATUS_OK)
        let chain = try makeChain(stored, try slow.makeCache())
        #expect(
            sdimage_cache_chain_set_policy(
                chain.pointer, .SDIMAGE_CACHE_CHAIN_OPERATION_QUERY, .SDIMAGE_CACHE_CHAIN_POLICY_CONCURRENT, nil)
                == .SDIMAGE_STATUS_OK)
        let manager = try makeManager(cache: chain, loader: try HeldLoader().makeLoader())
        _ = try listener.load(manager, makeRequest("test://a"))
        let reply = try #require(slow.query())
        // The other member has not replied.
        #expect(listener.final()?.source == .SDIMAGE_IMAGE_SOURCE_DISK)
        #expect(becomesTrue { sdimage_reply_is_cancelled(reply) })
        sdimage_reply_complete(reply)
        sdimage_reply_unref(reply)
    }

    @Test func aConcurrentQueryWithoutAHitWaitsForAllMembers() throws {
        let caches = [HeldCache(), HeldCache()], held = HeldLoader(), listener = Listener()
        let chain = try makeChain(try caches[0].makeCache(), try caches[1].makeCache())
        #expect(
            sdimage_cache_chain_set_policy(
                chain.pointer, .SDIMAGE_CACHE_CHAIN_OPERATION_QUERY, .SDIMAGE_CACHE_CHAIN_POLICY_CONCURRENT, nil)
                == .SDIMAGE_STATUS_OK)
        let manager = try makeManager(cache: chain, loader: try held.makeLoader())
        let task = try listener.load(manager, makeRequest("test://a"))
        for cache in caches {
            let reply = try #require(cache.query())
            #expect(held.startCount == 0)
            sdimage_reply_complete(reply)
            sdimage_reply_unref(reply)
        }
        let sink = try #require(held.next())
        sdimage_task_cancel(task.pointer)
        #expect(listener.final()?.status == .SDIMAGE_STATUS_CANCELLED)
        sdimage_load_sink_finish(sink, nil)
        sdimage_load_sink_unref(sink)
    }

    @Test func aChainCannotHoldItselfAndOnlyChainsHold() throws {
        let plain = try makeCache(in: nil)
        let inner = try makeChain(plain)
        let outer = try makeChain(inner)
        let refused = sdimage_status.SDIMAGE_STATUS_INVALID_ARGUMENT
        #expect(sdimage_cache_chain_add(inner.pointer, outer.pointer, nil) == refused)
        #expect(sdimage_cache_chain_add(inner.pointer, inner.pointer, nil) == refused)
        #expect(sdimage_cache_chain_add(plain.pointer, inner.pointer, nil) == refused)
        #expect(sdimage_cache_chain_remove(outer.pointer, plain.pointer, nil) == .SDIMAGE_STATUS_NOT_FOUND)
        #expect(sdimage_cache_chain_remove(outer.pointer, inner.pointer, nil) == .SDIMAGE_STATUS_OK)
        let strange = unsafeBitCast(UInt32(9), to: sdimage_cache_chain_policy.self)
        #expect(sdimage_cache_chain_set_policy(outer.pointer, .SDIMAGE_CACHE_CHAIN_OPERATION_QUERY, strange, nil) == refused)
    }

    // The members end their look-ups in any order: the answer must not depend on it.
    @Test func aConcurrentChainReportsTheLayersOfAllItsMembers() throws {
        let (stored, held) = (HostCache(), try makeCache(in: nil))
        stored.put(makePNG(width: 3, height: 2), at: "a")
        let image = try makeImage(width: 4)
        #expect(sdimage_cache_set_memory_image(held.pointer, "a", -1, image.pointer, nil) == .SDIMAGE_STATUS_OK)
        for members in [[held, try stored.makeCache()], [try stored.makeCache(), held]] {
            let chain = try makeChain(members[0], members[1])
            #expect(
                sdimage_cache_chain_set_policy(
                    chain.pointer, .SDIMAGE_CACHE_CHAIN_OPERATION_CONTAINS, .SDIMAGE_CACHE_CHAIN_POLICY_CONCURRENT, nil)
                    == .SDIMAGE_STATUS_OK)
            for _ in 0..<200 {
                #expect(sdimage_cache_contains(chain.pointer, "a", -1) == .SDIMAGE_CACHE_LAYERS_ALL)
                #expect(layers(chain, "a") == .SDIMAGE_CACHE_LAYERS_ALL)
            }
            #expect(sdimage_cache_contains(chain.pointer, "b", -1) == .SDIMAGE_CACHE_LAYERS_NONE)
        }
    }

    /// The layers that the asynchronous function reports.
    private func layers(_ cache: Owned, _ key: String) -> sdimage_cache_layers? {
        let found = Locked<sdimage_cache_layers?>(nil)
        var handler = sdimage_cache_handler()
        handler.size = MemoryLayout<sdimage_cache_handler>.size
        handler.layers = { userData, layers, _ in
            Unmanaged<Locked<sdimage_cache_layers?>>.fromOpaque(userData!).takeUnretainedValue().set(layers)
        }
        let status = sdimage_cache_contains_async(
            cache.pointer, key, -1, &handler, Unmanaged.passRetained(found).toOpaque(),
            { Unmanaged<Locked<sdimage_cache_layers?>>.fromOpaque($0!).release() }, nil)
        #expect(status == .SDIMAGE_STATUS_OK)
        #expect(found.wait { $0 != nil })
        return found.get()
    }

    @Test func aConcurrentChainIgnoresFailingMembersIfAnotherHasTheEntry() throws {
        let (stored, failing) = (HostCache(), HostCache())
        stored.put(makePNG(width: 3, height: 2), at: "a")
        failing.dropsReplies = true
        let chain = try makeChain(try failing.makeCache(), try stored.makeCache())
        #expect(
            sdimage_cache_chain_set_policy(
                chain.pointer, .SDIMAGE_CACHE_CHAIN_OPERATION_CONTAINS, .SDIMAGE_CACHE_CHAIN_POLICY_CONCURRENT, nil)
                == .SDIMAGE_STATUS_OK)
        #expect(sdimage_cache_contains(chain.pointer, "a", -1) == .SDIMAGE_CACHE_LAYERS_DISK)
    }

    /// The status of a host's cache says nothing about the load.
    @Test(arguments: [sdimage_status.SDIMAGE_STATUS_CANCELLED, .SDIMAGE_STATUS_IO_ERROR])
    func aCacheThatFailsIsAMissWhateverItsStatus(failure: sdimage_status) throws {
        let (stored, failing) = (HostCache(), HostCache())
        stored.put(makePNG(width: 3, height: 2), at: "test://host/a.png")
        failing.failure = failure
        let loader = try ScriptedLoader.answering(makePNG(width: 5, height: 2)).makeLoader()
        let lone = try load(try makeManager(cache: try failing.makeCache(), loader: loader))
        #expect(sdimage_image_width(sdimage_result_image(lone.pointer)) == 5)
        for policy in [sdimage_cache_chain_policy.SDIMAGE_CACHE_CHAIN_POLICY_SERIAL, .SDIMAGE_CACHE_CHAIN_POLICY_CONCURRENT] {
            let chain = try makeChain(try stored.makeCache(), try failing.makeCache())
            let query = sdimage_cache_chain_operation.SDIMAGE_CACHE_CHAIN_OPERATION_QUERY
            #expect(sdimage_cache_chain_set_policy(chain.pointer, query, policy, nil) == .SDIMAGE_STATUS_OK)
            let result = try load(try makeManager(cache: chain, loader: loader))
            #expect(sdimage_image_width(sdimage_result_image(result.pointer)) == 3)
        }
    }

    @Test func ofTwoChainsOnlyOneBecomesAMemberOfTheOther() throws {
        let pairs = try (0..<1_000).map { _ in (try makeChain(), try makeChain()) }
        Race.run(rounds: pairs.count) { round in
            sdimage_cache_chain_add(pairs[round].0.pointer, pairs[round].1.pointer, nil)
        } against: { round in
            sdimage_cache_chain_add(pairs[round].1.pointer, pairs[round].0.pointer, nil)
        }
        for (a, b) in pairs {
            #expect(sdimage_cache_chain_count(a.pointer) + sdimage_cache_chain_count(b.pointer) == 1)
        }
    }

    @Test func ofTwoRemovalsOfAMemberOneFindsIt() throws {
        let member = try makeCache(in: nil)
        let chains = try (0..<1_000).map { _ in try makeChain(member) }
        let removed = Locked([Int](repeating: 0, count: chains.count))
        let remove: @Sendable (Int) -> Void = { round in
            if sdimage_cache_chain_remove(chains[round].pointer, member.pointer, nil) == .SDIMAGE_STATUS_OK {
                removed.change { $0[round] += 1 }
            }
        }
        Race.run(rounds: chains.count, remove, against: remove)
        #expect(removed.get().allSatisfy { $0 == 1 })
    }
}
