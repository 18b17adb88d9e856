import CSDImage
import Foundation
import SDImage
import TestSupport
import Testing

/// Loads of images on disk, which one worker reads and decodes if no other work waits.
@Suite struct DiskHitTests {
    /// Starts a load of the entry `id`, which is stored first.
    private func load(_ id: Int, _ priority: sdimage_priority, _ coder: Owned, _ manager: Owned, _ cache: Owned) throws
        -> Listener
    {
        let bytes = [UInt8(id & 255), UInt8(id >> 8)]
        let data = try make(sdimage_data_unref) { sdimage_data_new(bytes, 2, $0, $1) }
        try #require(sdimage_cache_store_data(cache.pointer, "\(id)", -1, data.pointer, nil) == .SDIMAGE_STATUS_OK)
        let request = makeRequest("\(id)")
        let patient = decodeOptions { sdimage_decode_options_set_max_work_ms($0, 600_000) }
        sdimage_request_set_decode_options(request.pointer, patient.pointer)
        sdimage_request_set_source_policy(request.pointer, .SDIMAGE_SOURCE_POLICY_CACHE_ONLY)
        sdimage_request_set_coder(request.pointer, coder.pointer)
        sdimage_request_set_priority(request.pointer, priority)
        let listener = Listener()
        _ = try listener.load(manager, request)
        return listener
    }

    // Each test occupies every worker, so that it runs in a process of its own.

    @Test func aHighPriorityGoesBeforeImagesThatWereReadEarlier() async {
        await #expect(processExitsWith: .success) { try DiskHitTests().loadAHighPriorityLast() }
    }

    private func loadAHighPriorityLast() throws {
        let cache = try makeCache(in: TemporaryDirectory())
        let workers = LibraryThread.availableProcessors
        let others = 10 * workers
        let urgent = workers + others
        let ordered = OrderedCoder(urgent: urgent)
        let coder = try ordered.make()
        let manager = try makeManager(cache: cache)
        var listeners: [Listener] = []
        for id in 0...urgent {
            let priority = id == urgent ? sdimage_priority.SDIMAGE_PRIORITY_HIGH : .SDIMAGE_PRIORITY_NORMAL
            listeners.append(try load(id, priority, coder, manager, cache))
            // The next loads find every worker busy.
            if id == workers - 1 { #expect(becomesTrue { ordered.decoded.get().count == workers }) }
        }
        #expect(becomesTrue { Engine.current?.work.queuedJobs == others + 1 })
        ordered.gate.open()
        for listener in listeners { #expect(listener.final()?.status == .SDIMAGE_STATUS_OK) }
        // Every other worker may have begun one image while the last entry was read.
        let position = try #require(ordered.decoded.get().firstIndex(of: urgent))
        #expect(position < 2 * workers)
    }

    @Test(.enabled(if: LibraryThread.availableProcessors > 1, "one worker decodes everything"))
    func imagesOfLowPriorityLeaveAWorkerFree() async {
        await #expect(processExitsWith: .success) { try DiskHitTests().occupyWorkersWithLowPriority() }
    }

    private func occupyWorkersWithLowPriority() throws {
        let cache = try makeCache(in: TemporaryDirectory())
        let ordered = OrderedCoder(urgent: LibraryThread.availableProcessors)
        let coder = try ordered.make()
        let manager = try makeManager(cache: cache)
        let low = try (0..<ordered.workers).map { try load($0, .SDIMAGE_PRIORITY_LOW, coder, manager, cache) }
        #expect(becomesTrue { ordered.decoded.get().count == ordered.workers - 1 })
        let high = try load(ordered.workers, .SDIMAGE_PRIORITY_HIGH, coder, manager, cache)
        #expect(high.final()?.status == .SDIMAGE_STATUS_OK)
        ordered.gate.open()
        for listener in low { #expect(listener.final()?.status == .SDIMAGE_STATUS_OK) }
    }
}
