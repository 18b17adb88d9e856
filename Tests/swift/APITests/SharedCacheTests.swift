import CSDImage
import Foundation
import TestSupport
import Testing

/// Caches shared by several processes: complete entries, and leases.
@Suite struct SharedCacheTests {
    private let key = "test://host/a.png"

    private func load(_ manager: Owned, _ configure: (OpaquePointer?) -> Void = { _ in }) throws -> Owned {
        let request = makeRequest(key)
        sdimage_request_set_wait_for_store(request.pointer, true)
        configure(request.pointer)
        return try make(sdimage_result_unref) { sdimage_manager_load_sync(manager.pointer, request.pointer, $0, $1) }
    }

    @Test func anEntryIsMadeAgainOfItsBytesAndItsMetadata() throws {
        let shared = SharedHostCache()
        let directory = TemporaryDirectory()
        let cache = try makeCache(in: directory.path)
        let lower = try shared.makeCache()
        let chain = try make(sdimage_cache_unref) { sdimage_cache_new_tiered(cache.pointer, lower.pointer, $0, $1) }
        let loader = try ScriptedLoader.answering(makePNG(width: 3, height: 2)).makeLoader()
        _ = try load(try makeManager(cache: chain, loader: loader))
        let stored = try #require(shared.entry(key))
        let data = sdimage_cache_entry_data(stored.pointer)
        let metadata = sdimage_cache_entry_metadata(stored.pointer)
        #expect(sdimage_cache_entry_date_ns(stored.pointer) == 0)
        let again = try make(sdimage_cache_entry_unref) { sdimage_cache_entry_new(data, metadata, $0, $1) }
        #expect(sdimage_data_length(sdimage_cache_entry_data(again.pointer)) == sdimage_data_length(data))
        #expect(sdimage_cache_entry_date_ns(again.pointer) > 1_000_000_000)
        #expect(sdimage_cache_entry_expiry_ns(again.pointer) == 0)
        #expect(sdimage_cache_contains(cache.pointer, key, -1).rawValue & 2 != 0)
    }

    @Test func metadataThatIsCutOffOrOfALaterVersionIsRefused() throws {
        let data = try make(sdimage_data_unref) { sdimage_data_new("abc", 3, $0, $1) }
        let plain = try make(sdimage_cache_entry_unref) { sdimage_cache_entry_new(data.pointer, nil, $0, $1) }
        let metadata = try #require(sdimage_cache_entry_metadata(plain.pointer))
        let bytes = Array(UnsafeRawBufferPointer(start: sdimage_data_bytes(metadata), count: sdimage_data_length(metadata)))
        func status(_ bytes: [UInt8]) throws -> sdimage_status {
            let told = try make(sdimage_data_unref) { sdimage_data_new(bytes, bytes.count, $0, $1) }
            var entry: OpaquePointer?
            defer { sdimage_cache_entry_unref(entry) }
            return sdimage_cache_entry_new(data.pointer, told.pointer, &entry, nil)
        }
        #expect(try status(bytes) == .SDIMAGE_STATUS_OK)
        for length in 0..<bytes.count {
            #expect(try status(Array(bytes.prefix(length))) == .SDIMAGE_STATUS_BAD_DATA)
        }
        #expect(try status([2] + bytes.dropFirst()) == .SDIMAGE_STATUS_BAD_DATA)
        #expect(try status(bytes + [0]) == .SDIMAGE_STATUS_BAD_DATA)
        #expect(try status(bytes + [255, 255, 255, 255]) == .SDIMAGE_STATUS_BAD_DATA)
        #expect(try status(bytes.dropLast() + [255]) == .SDIMAGE_STATUS_BAD_DATA)
    }

    @Test func aLoadTakesALeaseAndGivesItBackWhenTheEntryIsStored() throws {
        let shared = SharedHostCache()
        let loader = try ScriptedLoader.answering(makePNG(width: 3, height: 2)).makeLoader()
        let manager = try makeManager(cache: try shared.makeCache(), loader: loader)
        let result = try load(manager)
        #expect(sdimage_result_source(result.pointer) == .SDIMAGE_IMAGE_SOURCE_LOADER)
        #expect(shared.waitForEvents(["lease", "store", "end"]) == ["lease", "store", "end"])
    }

    @Test func aFailedLoadGivesItsLeaseBack() throws {
        let shared = SharedHostCache()
        let held = HeldLoader()
        let manager = try makeManager(cache: try shared.makeCache(), loader: try held.makeLoader())
        let listener = Listener()
        _ = try listener.load(manager, makeRequest(key))
        #expect(held.answer(Array("no picture".utf8)))
        #expect(listener.final()?.status != .SDIMAGE_STATUS_OK)
        #expect(shared.waitForEvents(["lease", "end"]) == ["lease", "end"])
    }

    @Test func whatAnotherProcessHasBroughtMeanwhileSparesTheLoader() throws {
        let shared = SharedHostCache()
        shared.answer = .entry(makePNG(width: 5, height: 4))
        let held = HeldLoader()
        let manager = try makeManager(cache: try shared.makeCache(), loader: try held.makeLoader())
        let result = try load(manager)
        #expect(sdimage_result_source(result.pointer) == .SDIMAGE_IMAGE_SOURCE_REMOTE)
        #expect(sdimage_image_width(sdimage_result_image(result.pointer)) == 5)
        #expect(held.startCount == 0)
    }

    @Test func whatAnotherProcessHasBroughtIsKeptAboveIt() throws {
        let shared = SharedHostCache()
        shared.answer = .entry(makePNG(width: 5, height: 4))
        let directory = TemporaryDirectory()
        let local = try makeCache(in: directory.path)
        let lower = try shared.makeCache()
        let chain = try make(sdimage_cache_unref) { sdimage_cache_new_tiered(local.pointer, lower.pointer, $0, $1) }
        _ = try load(try makeManager(cache: chain, loader: try HeldLoader().makeLoader()))
        #expect(sdimage_cache_flush(local.pointer, nil) == .SDIMAGE_STATUS_OK)
        #expect(sdimage_cache_contains(local.pointer, key, -1) == .SDIMAGE_CACHE_LAYERS_ALL)
    }

    @Test func whatTurnsOutToBeNoPictureIsAskedOfTheLoader() throws {
        let shared = SharedHostCache()
        shared.answer = .entry(Array("no picture".utf8))
        let loader = try ScriptedLoader.answering(makePNG(width: 3, height: 2)).makeLoader()
        let result = try load(try makeManager(cache: try shared.makeCache(), loader: loader))
        #expect(sdimage_result_source(result.pointer) == .SDIMAGE_IMAGE_SOURCE_LOADER)
        #expect(sdimage_image_width(sdimage_result_image(result.pointer)) == 3)
    }

    @Test func aFailingCacheDelaysNoLoad() throws {
        let shared = SharedHostCache()
        shared.answer = .error
        let loader = try ScriptedLoader.answering(makePNG(width: 3, height: 2)).makeLoader()
        let result = try load(try makeManager(cache: try shared.makeCache(), loader: loader))
        #expect(sdimage_result_source(result.pointer) == .SDIMAGE_IMAGE_SOURCE_LOADER)
        #expect(shared.waitForEvents(["lease", "store"]) == ["lease", "store"])
    }

    @Test func onlyLoadsFromWhichOthersProfitAskForALease() throws {
        let loader = try ScriptedLoader.answering(makePNG(width: 3, height: 2)).makeLoader()
        let choices: [(OpaquePointer?) -> Void] = [
            { sdimage_request_set_source_policy($0, .SDIMAGE_SOURCE_POLICY_LOADER_ONLY) },
            { sdimage_request_set_source_policy($0, .SDIMAGE_SOURCE_POLICY_CACHE_ONLY) },
            { setStoreLayers($0, .SDIMAGE_CACHE_LAYERS_MEMORY) },
            { setQueryLayers($0, .SDIMAGE_CACHE_LAYERS_MEMORY) },
            { sdimage_request_set_freshness($0, .SDIMAGE_FRESHNESS_REFRESH) },
        ]
        for choose in choices {
            let shared = SharedHostCache()
            _ = try load(try makeManager(cache: try shared.makeCache(), loader: loader), choose)
            #expect(!shared.events.contains("lease"))
        }
        let shared = SharedHostCache()
        let cache = try shared.makeCache()
        var data: OpaquePointer?
        #expect(sdimage_cache_get_data(cache.pointer, key, -1, &data, nil) == .SDIMAGE_STATUS_NOT_FOUND)
        #expect(shared.events.isEmpty)
    }

    @Test func loadsOfOneURLShareALease() throws {
        let shared = SharedHostCache()
        let held = HeldLoader()
        let manager = try makePatientManager(cache: try shared.makeCache(), loader: try held.makeLoader())
        let listeners = [Listener(), Listener(), Listener()]
        let asked = DispatchSemaphore(value: 0)
        shared.afterQuery(of: key, count: listeners.count) { asked.signal() }
        for (index, listener) in listeners.enumerated() {
            // Thumbnails of different sizes: each looks for its original, and all share the transfer.
            let request = makeRequest(key)
            sdimage_request_set_thumbnail_size(request.pointer, UInt32(index + 1), 1, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
            _ = try listener.load(manager, request)
        }
        let first = try #require(held.next())
        #expect(asked.wait(timeout: .now() + 120) == .success)
        // A load started now is last in every queue: once it reaches the loader, all others have joined.
        let probe = Listener()
        let request = makeRequest("http://test.invalid/probe.png")
        setStoreLayers(request.pointer, .SDIMAGE_CACHE_LAYERS_MEMORY)
        _ = try probe.load(manager, request)
        let second = try #require(held.next())
        #expect(held.answer(makePNG(width: 2, height: 2), to: first))
        #expect(held.answer(makePNG(width: 2, height: 2), to: second))
        for listener in listeners + [probe] { #expect(listener.final()?.status == .SDIMAGE_STATUS_OK) }
        // The original, and three thumbnails.
        let events = shared.waitForEvents(["lease", "end"] + Array(repeating: "store", count: 4))
        #expect(events.filter { $0 == "lease" }.count == 1)
        #expect(events.filter { $0 == "end" }.count == 1)
    }

    @Test func aFlushWaitsForTheUpdateOfARevalidatedEntry() throws {
        let cache = SharedHostCache(), gate = Gate(), listener = Listener()
        let origin = ScriptedOrigin(
            .init(headers: ["ETag": "\"a\"", "Cache-Control": "max-age=0"], body: makePNG(width: 3, height: 2)))
        let manager = try makeManager(cache: try cache.makeCache(leases: false))
        let request = makeRequest(origin.url())
        sdimage_request_set_freshness(request.pointer, .SDIMAGE_FRESHNESS_RESPECT)
        _ = try make(sdimage_result_unref) { sdimage_manager_load_sync(manager.pointer, request.pointer, $0, $1) }
        #expect(sdimage_manager_flush(manager.pointer, .max, nil) == .SDIMAGE_STATUS_OK)
        cache.gate = gate
        _ = try listener.load(manager, request)
        #expect(listener.final()?.status == .SDIMAGE_STATUS_OK)
        #expect(sdimage_manager_flush(manager.pointer, 20, nil) == .SDIMAGE_STATUS_TIMEOUT)
        gate.open()
        #expect(sdimage_manager_flush(manager.pointer, .max, nil) == .SDIMAGE_STATUS_OK)
        #expect(cache.events == ["store", "store"])
    }

    @Test func aTableWithoutAStoreOfEntriesOrBytesIsRefused() throws {
        var table = sdimage_cache_vtable()
        table.size = MemoryLayout<sdimage_cache_vtable>.size
        table.query = { _, _, _, _, reply in sdimage_reply_unref(reply) }
        table.remove = { _, _, _, _, reply in sdimage_reply_unref(reply) }
        var cache: OpaquePointer?
        #expect(sdimage_cache_new_custom(&table, nil, nil, &cache, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        table.store_entry = { _, _, _, _, _, reply in sdimage_reply_unref(reply) }
        // A program built before the function existed.
        table.size = MemoryLayout<sdimage_cache_vtable>.offset(of: \.store_entry)!
        #expect(sdimage_cache_new_custom(&table, nil, nil, &cache, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        table.size = MemoryLayout<sdimage_cache_vtable>.size
        #expect(sdimage_cache_new_custom(&table, nil, nil, &cache, nil) == .SDIMAGE_STATUS_OK)
        sdimage_cache_unref(cache)
    }
}

/// A host cache of entries in a dictionary, which records its calls.
final class SharedHostCache: @unchecked Sendable {
    enum LeaseAnswer {
        case granted
        case entry([UInt8])
        case error
    }

    private let changed = NSCondition()
    private var entries: [[UInt8]: Owned] = [:]
    private var told: [String] = []
    private var interruption: (key: [UInt8], left: Int, action: () -> Void)?
    var answer = LeaseAnswer.granted
    /// Blocks stores.
    var gate: Gate?

    var events: [String] { changed.withLock { told } }

    func entry(_ key: String) -> Owned? { changed.withLock { entries[Array(key.utf8)] } }

    func put(_ key: String, _ entry: Owned) { changed.withLock { entries[Array(key.utf8)] = entry } }

    /// Runs an action once, after the given number of further queries for a key.
    func afterQuery(of key: String, count: Int, _ action: @escaping () -> Void) {
        changed.withLock { interruption = (Array(key.utf8), count, action) }
    }

    private func noteQuery(_ key: [UInt8]) {
        let action = changed.withLock { () -> (() -> Void)? in
            guard interruption?.key == key else { return nil }
            interruption?.left -= 1
            guard interruption?.left == 0 else { return nil }
            defer { interruption = nil }
            return interruption?.action
        }
        action?()
    }

    private static func isSame(_ a: OpaquePointer?, _ b: OpaquePointer?) -> Bool {
        func bytes(_ data: OpaquePointer?) -> [UInt8] {
            Array(UnsafeRawBufferPointer(start: sdimage_data_bytes(data), count: sdimage_data_length(data)))
        }
        return bytes(sdimage_cache_entry_data(a)) == bytes(sdimage_cache_entry_data(b))
            && bytes(sdimage_cache_entry_metadata(a)) == bytes(sdimage_cache_entry_metadata(b))
    }

    /// The recorded calls except queries, once their number is that of `wanted`.
    func waitForEvents(_ wanted: [String]) -> [String] {
        let end = Date(timeIntervalSinceNow: 120)
        return changed.withLock {
            while told.count < wanted.count, changed.wait(until: end) {}
            return told
        }
    }

    private func note(_ event: String) {
        changed.withLock {
            told.append(event)
            changed.broadcast()
        }
    }

    func makeCache(leases: Bool = true, isShared: Bool = false, replaces: Bool = true) throws -> Owned {
        var table = sdimage_cache_vtable()
        table.size = MemoryLayout<sdimage_cache_vtable>.size
        table.query = { userData, key, length, _, reply in
            let (cache, key) = SharedHostCache.asked(userData, key, length)
            if let entry = cache.changed.withLock({ cache.entries[key] }) {
                sdimage_reply_complete_with_entry(reply, entry.pointer)
            } else {
                sdimage_reply_complete(reply)
            }
            cache.noteQuery(key)
            sdimage_reply_unref(reply)
        }
        table.is_shared = isShared
        if replaces { table.replace_entry = SharedHostCache.replace }
        table.store_entry = { userData, key, length, entry, _, reply in
            let (cache, key) = SharedHostCache.asked(userData, key, length)
            cache.gate?.pass()
            let kept = sdimage_cache_entry_ref(entry).map { Owned($0) { sdimage_cache_entry_unref($0) } }
            cache.changed.withLock { cache.entries[key] = kept }
            cache.note("store")
            sdimage_reply_complete(reply)
            sdimage_reply_unref(reply)
        }
        table.remove = { userData, key, length, _, reply in
            let (cache, key) = SharedHostCache.asked(userData, key, length)
            let old = cache.changed.withLock { cache.entries.removeValue(forKey: key) }
            withExtendedLifetime(old) {}
            sdimage_reply_complete(reply)
            sdimage_reply_unref(reply)
        }
        if leases {
            table.lease = { userData, key, length, _, _, reply in
                SharedHostCache.asked(userData, key, length).0.complete(reply)
                sdimage_reply_unref(reply)
            }
        }
        table.end_lease = { userData, key, length in SharedHostCache.asked(userData, key, length).0.note("end") }
        let userData = Unmanaged.passRetained(self).toOpaque()
        return try make(sdimage_cache_unref) { cache, error in
            sdimage_cache_new_custom(&table, userData, SharedHostCache.release, cache, error)
        }
    }

    private static let replace:
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafeRawPointer?, Int, OpaquePointer?, OpaquePointer?, OpaquePointer?
        ) -> Void = { userData, key, length, old, entry, reply in
            let (cache, key) = SharedHostCache.asked(userData, key, length)
            let kept = sdimage_cache_entry_ref(entry).map { Owned($0) { sdimage_cache_entry_unref($0) } }
            cache.changed.withLock {
                if let found = cache.entries[key], isSame(found.pointer, old) { cache.entries[key] = kept }
            }
            sdimage_reply_complete(reply)
            sdimage_reply_unref(reply)
        }

    private static let release: sdimage_destroy_fn = { userData in
        if let userData { Unmanaged<SharedHostCache>.fromOpaque(userData).release() }
    }

    private func complete(_ reply: OpaquePointer?) {
        note("lease")
        switch answer {
        case .granted: sdimage_reply_complete(reply)
        case .error: sdimage_reply_complete_with_error(reply, nil)
        case .entry(let bytes):
            var data: OpaquePointer?
            var entry: OpaquePointer?
            sdimage_data_new(bytes, bytes.count, &data, nil)
            sdimage_cache_entry_new(data, nil, &entry, nil)
            sdimage_reply_complete_with_entry(reply, entry)
            sdimage_cache_entry_unref(entry)
            sdimage_data_unref(data)
        }
    }

    private static func asked(_ userData: UnsafeMutableRawPointer?, _ key: UnsafeRawPointer?, _ length: Int)
        -> (SharedHostCache, [UInt8])
    {
        guard let userData else { return (SharedHostCache(), []) }
        let cache = Unmanaged<SharedHostCache>.fromOpaque(userData).takeUnretainedValue()
        return (cache, Array(UnsafeRawBufferPointer(start: key, count: length)))
    }
}
