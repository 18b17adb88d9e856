import CSDImage
import Foundation
import SDImage
import TestSupport
import Testing

/// The priority of decodes that wait for a worker. Each test occupies every worker, so that it runs in a process of its own.
@Suite struct QueuedDecodeTests {
    /// Every worker decodes an image of `ordered`, and ten times as many images are behind them.
    private final class Fixture {
        let ordered: OrderedCoder
        let later = Gate()
        let others = 10 * LibraryThread.availableProcessors
        let urgent = 11 * LibraryThread.availableProcessors
        let cache: Owned
        let coder: Owned
        /// A manager without a loader, for entries of the cache.
        let manager: Owned
        private(set) var listeners: [Listener] = []

        init() throws {
            ordered = OrderedCoder(urgent: urgent, later: later)
            cache = try makeCache(in: TemporaryDirectory())
            coder = try ordered.make()
            manager = try makeManager(cache: cache)
        }

        var decoded: Int { ordered.decoded.get().count }

        /// A request for the image `id`, which only this coder decodes.
        func request(_ id: Int, _ priority: sdimage_priority) -> Owned {
            let request = makeRequest("test://\(id)")
            let patient = decodeOptions { sdimage_decode_options_set_max_work_ms($0, 600_000) }
            sdimage_request_set_decode_options(request.pointer, patient.pointer)
            sdimage_request_set_coder(request.pointer, coder.pointer)
            sdimage_request_set_priority(request.pointer, priority)
            return request
        }

        func store(_ id: Int) throws {
            let data = try make(sdimage_data_unref) { sdimage_data_new(QueuedDecodeTests.bytes(id), 100, $0, $1) }
            try #require(sdimage_cache_store_data(cache.pointer, "test://\(id)", -1, data.pointer, nil) == .SDIMAGE_STATUS_OK)
        }

        /// Loads the images of `ids`, which are stored first.
        func load(_ ids: Range<Int>, _ priority: sdimage_priority = .SDIMAGE_PRIORITY_NORMAL) throws -> [Owned] {
            try ids.map { id in
                try store(id)
                return try load(request(id, priority))
            }
        }

        func load(_ request: Owned, from manager: Owned? = nil) throws -> Owned {
            let listener = Listener()
            listeners.append(listener)
            return try listener.load(manager ?? self.manager, request)
        }

        func waitForQueue(_ count: Int) -> Bool { becomesTrue { Engine.current?.work.queuedJobs == count } }

        /// Every worker is in a decode of the second kind, and the urgent image waits at low priority.
        func queueUrgent() throws -> Owned {
            let workers = ordered.workers
            _ = try load(0..<workers)
            #expect(becomesTrue { decoded == workers })
            _ = try load(workers..<urgent)
            let task = try load(urgent..<urgent + 1, .SDIMAGE_PRIORITY_LOW)[0]
            #expect(waitForQueue(others + 1))
            ordered.gate.open()
            #expect(becomesTrue { decoded == 2 * workers })
            #expect(waitForQueue(others - workers + 1))
            return task
        }

        /// The urgent image of `queueUrgent` is queued a second time.
        func waitForRaise() -> Bool { waitForQueue(others - ordered.workers + 2) }

        /// Lets all images be decoded. True if the urgent one was decoded among the first.
        func finish() throws -> Bool {
            ordered.gate.open()
            later.open()
            for listener in listeners { #expect(listener.final()?.status == .SDIMAGE_STATUS_OK) }
            let position = try #require(ordered.decoded.get().firstIndex(of: urgent))
            #expect(ordered.decoded.get().count { $0 == urgent } == 1)
            return position < 5 * ordered.workers
        }
    }

    private static func bytes(_ id: Int) -> [UInt8] { [UInt8(id & 255), UInt8(id >> 8)] + [UInt8](repeating: 0, count: 98) }

    @Test func aLoadRaisesTheQueuedDecodeThatItJoins() async {
        await #expect(processExitsWith: .success) { try QueuedDecodeTests().joinAQueuedDecode() }
    }

    private func joinAQueuedDecode() throws {
        let fixture = try Fixture()
        _ = try fixture.queueUrgent()
        // A load of its own, because its result differs.
        let visible = fixture.request(fixture.urgent, .SDIMAGE_PRIORITY_HIGH)
        sdimage_request_set_include_data(visible.pointer, true)
        _ = try fixture.load(visible)
        #expect(fixture.waitForRaise())
        #expect(try fixture.finish())
    }

    @Test func aQueuedDecodeIsRaisedWithItsTask() async {
        await #expect(processExitsWith: .success) { try QueuedDecodeTests().raiseAQueuedDecode() }
    }

    private func raiseAQueuedDecode() throws {
        let fixture = try Fixture()
        let task = try fixture.queueUrgent()
        sdimage_task_set_priority(task.pointer, .SDIMAGE_PRIORITY_HIGH)
        #expect(fixture.waitForRaise())
        #expect(try fixture.finish())
    }

    @Test func aCompleteImageDoesNotWaitForAPartThatIsQueued() async {
        await #expect(processExitsWith: .success) { try QueuedDecodeTests().completeAQueuedPart() }
    }

    private func completeAQueuedPart() throws {
        let fixture = try Fixture()
        let workers = fixture.ordered.workers, bytes = QueuedDecodeTests.bytes(fixture.urgent)
        let held = HeldLoader()
        let manager = try makeManager(cache: nil, loader: try held.makeLoader())
        let request = fixture.request(fixture.urgent, .SDIMAGE_PRIORITY_LOW)
        sdimage_request_set_progressive(request.pointer, true)
        let task = try fixture.load(request, from: manager)
        let sink = try #require(held.next())
        defer { sdimage_load_sink_unref(sink) }
        _ = try fixture.load(0..<workers)
        #expect(becomesTrue { fixture.decoded == workers })
        #expect(sdimage_load_sink_write(sink, bytes, bytes.count, nil) == .SDIMAGE_STATUS_OK)
        #expect(fixture.waitForQueue(1))
        _ = try fixture.load(workers..<fixture.urgent)
        #expect(fixture.waitForQueue(fixture.others + 1))
        sdimage_task_set_priority(task.pointer, .SDIMAGE_PRIORITY_HIGH)
        sdimage_load_sink_finish(sink, nil)
        #expect(fixture.waitForQueue(fixture.others + 2))
        #expect(try fixture.finish())
    }
}
