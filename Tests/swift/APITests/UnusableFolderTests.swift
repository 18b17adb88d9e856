import CSDImage
import Foundation
import TestSupport
import Testing

/// A disk cache whose folder cannot be used: the errors of its stores and sdimage_cache_check. LogTests has its
/// messages.
@Suite(.serialized) struct UnusableFolderTests {
    private let folder = TemporaryDirectory()

    /// A path at which no folder can be created: a file is in the way.
    private func blockedPath() throws -> String {
        try Data("a file".utf8).write(to: URL(fileURLWithPath: folder.path + "/file"))
        return folder.path + "/file/cache"
    }

    private struct Failure: Equatable {
        var status = sdimage_status.SDIMAGE_STATUS_OK
        var message = ""
        var systemError: Int32 = 0
    }

    private func failure(_ call: (UnsafeMutablePointer<OpaquePointer?>) -> sdimage_status) -> Failure {
        var error: OpaquePointer?
        let status = call(&error)
        defer { sdimage_error_unref(error) }
        #expect(sdimage_error_code(error) == status)
        return Failure(
            status: status, message: String(cString: sdimage_error_message(error)),
            systemError: sdimage_error_system_error(error))
    }

    private func check(_ cache: Owned?) -> Failure { failure { sdimage_cache_check(cache?.pointer, $0) } }

    private func store(_ cache: Owned) -> Failure {
        let data = try? make(sdimage_data_unref) { sdimage_data_new("bytes", 5, $0, $1) }
        return failure { sdimage_cache_store_data(cache.pointer, "a", -1, data?.pointer, $0) }
    }

    @Test func storesAndTheCheckReportThePathAndTheErrno() throws {
        let cache = try makeCache(in: try blockedPath())
        for failure in [store(cache), check(cache)] {
            #expect(failure.status == .SDIMAGE_STATUS_CACHE_UNUSABLE)
            #expect(failure.systemError == ENOTDIR)
            #expect(failure.message.hasPrefix("disk cache: ") && failure.message.contains(folder.path + "/file/cache/default"))
        }
    }

    @Test func aFlushReportsTheFirstFailureSinceTheLastOne() throws {
        let broken = try makeCache(in: try blockedPath()), sound = try makeCache(in: folder.path + "/sound")
        let data = try make(sdimage_data_unref) { sdimage_data_new("bytes", 5, $0, $1) }
        let flush = { failure { sdimage_cache_flush(broken.pointer, $0) } }
        #expect(flush() == Failure())
        for _ in 0..<2 {
            let status = sdimage_cache_store_data_async(broken.pointer, "a", -1, data.pointer, nil, nil, nil, nil)
            #expect(status == .SDIMAGE_STATUS_OK)
        }
        let failed = flush()
        #expect(failed.status == .SDIMAGE_STATUS_CACHE_UNUSABLE && failed.systemError == ENOTDIR)
        #expect(flush() == Failure())
        // The failures of a chain are those of its members.
        let chain = try make(sdimage_cache_unref) { sdimage_cache_new_tiered(sound.pointer, broken.pointer, $0, $1) }
        for (cache, status) in [
            (broken, sdimage_status.SDIMAGE_STATUS_CACHE_UNUSABLE), (chain, .SDIMAGE_STATUS_CACHE_UNUSABLE),
            (sound, .SDIMAGE_STATUS_OK),
        ] {
            let loader = try ScriptedLoader.answering(makePNG(width: 2, height: 2)).makeLoader()
            let manager = try makeManager(cache: cache, loader: loader), listener = Listener()
            let request = makeRequest("test://a.png")
            sdimage_request_set_source_policy(request.pointer, .SDIMAGE_SOURCE_POLICY_LOADER_ONLY)
            _ = try listener.load(manager, request)
            #expect(listener.final()?.status == .SDIMAGE_STATUS_OK)
            #expect(sdimage_manager_flush(manager.pointer, .max, nil) == status)
            #expect(sdimage_manager_flush(manager.pointer, .max, nil) == .SDIMAGE_STATUS_OK)
        }
    }

    /// A manager that has stored an image in both caches; flushes begin with `shared`.
    private func loadedManager(_ local: Owned, _ shared: Owned) throws -> Owned {
        let chain = try make(sdimage_cache_unref) { sdimage_cache_new_tiered(local.pointer, shared.pointer, $0, $1) }
        let loader = try ScriptedLoader.answering(makePNG(width: 2, height: 2)).makeLoader()
        let manager = try makeManager(cache: chain, loader: loader), listener = Listener()
        let request = makeRequest("test://a.png")
        sdimage_request_set_source_policy(request.pointer, .SDIMAGE_SOURCE_POLICY_LOADER_ONLY)
        _ = try listener.load(manager, request)
        #expect(listener.final()?.status == .SDIMAGE_STATUS_OK)
        return manager
    }

    @Test func aClosedMemberOfAChainHidesNoFailureOfTheOther() throws {
        let broken = try makeCache(in: try blockedPath()), closed = try makeCache(in: folder.path + "/closed")
        #expect(sdimage_cache_close(closed.pointer, nil) == .SDIMAGE_STATUS_OK)
        let manager = try loadedManager(broken, closed)
        #expect(sdimage_manager_flush(manager.pointer, .max, nil) == .SDIMAGE_STATUS_CACHE_UNUSABLE)
        #expect(sdimage_manager_flush(manager.pointer, .max, nil) == .SDIMAGE_STATUS_SHUTDOWN)
    }

    /// The next flush reports the failure.
    @Test(arguments: [false, true]) func aTimeoutOfAChainPrecedesAFailure(isHostFirst: Bool) throws {
        let broken = try makeCache(in: try blockedPath()), dictionary = HostCache(), host = try dictionary.makeCache()
        dictionary.holdsStores = true
        let manager = try isHostFirst ? loadedManager(broken, host) : loadedManager(host, broken)
        #expect(becomesTrue { dictionary.held.get().count == 1 })
        #expect(sdimage_manager_flush(manager.pointer, 20, nil) == .SDIMAGE_STATUS_TIMEOUT)
        dictionary.held.change { $0.removeAll() }
        #expect(sdimage_manager_flush(manager.pointer, .max, nil) == .SDIMAGE_STATUS_CACHE_UNUSABLE)
        #expect(sdimage_manager_flush(manager.pointer, .max, nil) == .SDIMAGE_STATUS_OK)
    }

    @Test func aUsableCachePassesTheCheckAndKeepsItsEntries() throws {
        let cache = try makeCache(in: folder.path)
        #expect(check(cache) == Failure())
        #expect(store(cache) == Failure())
        #expect(check(cache) == Failure())
        #expect(sdimage_cache_contains(cache.pointer, "a", -1) == .SDIMAGE_CACHE_LAYERS_DISK)
        // Nothing is left behind by the check.
        let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        #expect(!files.contains { $0.hasSuffix(".check") })
        #expect(sdimage_cache_close(cache.pointer, nil) == .SDIMAGE_STATUS_OK)
        #expect(check(cache).status == .SDIMAGE_STATUS_SHUTDOWN)
    }

    @Test func aMendedFolderPassesAtOnce() throws {
        let path = try blockedPath()
        let cache = try makeCache(in: path)
        #expect(check(cache).status == .SDIMAGE_STATUS_CACHE_UNUSABLE)
        try FileManager.default.removeItem(atPath: folder.path + "/file")
        #expect(check(cache) == Failure())
        #expect(store(cache) == Failure())
        // A folder that is removed later is created again.
        try FileManager.default.removeItem(atPath: path)
        #expect(check(cache) == Failure())
        #expect(FileManager.default.fileExists(atPath: path + "/default"))
    }

    @Test func chainsAndLayersCheckTheirBuiltInMembers() throws {
        let broken = try makeCache(in: try blockedPath()), sound = try makeCache(in: folder.path + "/sound")
        let memory = try makeCache(in: nil), host = try HostCache().makeCache()
        #expect(check(memory).status == .SDIMAGE_STATUS_UNSUPPORTED)
        #expect(check(host).status == .SDIMAGE_STATUS_UNSUPPORTED)
        for (disk, status) in [
            (broken, sdimage_status.SDIMAGE_STATUS_CACHE_UNUSABLE), (sound, .SDIMAGE_STATUS_OK),
            (host, .SDIMAGE_STATUS_UNSUPPORTED),
        ] {
            let layered = try make(sdimage_cache_unref) { sdimage_cache_new_layered(memory.pointer, disk.pointer, $0, $1) }
            #expect(check(layered).status == status)
            let chain = try make(sdimage_cache_unref) { sdimage_cache_new_chain($0, $1) }
            for member in [host, layered] {
                #expect(sdimage_cache_chain_add(chain.pointer, member.pointer, nil) == .SDIMAGE_STATUS_OK)
            }
            #expect(check(chain).status == status)
        }
        #expect(sdimage_cache_check(nil, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
    }
}
