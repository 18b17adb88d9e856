import CSDImage
import Foundation
import TestSupport
import Testing

/// Observers and metrics. One serialized suite, because the counters are process-wide.
@Suite(.serialized) struct MetricsTests {
    private let picture = makePNG(width: 6, height: 5)

    /// Records the calls to an observer.
    private final class Observer: @unchecked Sendable {
        let heard = Locked<[Delivered]>([])
        let destroyed = Locked(0)

        func makeManager(cache: Owned?, loader: Owned? = nil) throws -> Owned {
            let config = sdimage_manager_config_new()
            defer { sdimage_manager_config_unref(config) }
            sdimage_manager_config_set_cache(config, cache?.pointer)
            sdimage_manager_config_set_loader(config, loader?.pointer)
            var table = sdimage_load_observer()
            table.size = MemoryLayout<sdimage_load_observer>.size
            table.load_ended = { Unmanaged<Observer>.fromOpaque($0!).takeUnretainedValue().hear($1) }
            let status = sdimage_manager_config_set_observer(
                config, &table, Unmanaged.passRetained(self).toOpaque(),
                { userData in
                    let mine = Unmanaged<Observer>.fromOpaque(userData!).takeRetainedValue()
                    mine.destroyed.change { $0 += 1 }
                }, nil)
            #expect(status == .SDIMAGE_STATUS_OK)
            return try make(sdimage_manager_unref) { sdimage_manager_new(config, $0, $1) }
        }

        private func hear(_ result: OpaquePointer?) { heard.change { $0.append(Delivered(result)) } }
    }

    private func load(_ manager: Owned, _ url: String) throws -> Delivered {
        let listener = Listener()
        _ = try listener.load(manager, makeRequest(url))
        return try #require(listener.final())
    }

    private func metrics() throws -> String {
        let data = try make(sdimage_data_unref) { sdimage_metrics($0, $1) }
        let bytes = UnsafeRawBufferPointer(start: sdimage_data_bytes(data.pointer), count: sdimage_data_length(data.pointer))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The value of one line; nil if it is missing.
    private func value(_ name: String, in text: String) -> Double? {
        text.split(separator: "\n").first { $0.hasPrefix(name + " ") }.flatMap { Double($0.split(separator: " ")[1]) }
    }

    @Test func anObserverIsToldOfEveryLoadOnce() throws {
        let held = HeldLoader()
        let observer = Observer()
        do {
            let manager = try observer.makeManager(cache: try makeCache(in: nil), loader: try held.makeLoader())
            let first = Listener()
            _ = try first.load(manager, makeRequest("held:a.png"))
            #expect(held.answer(picture))
            _ = first.final()
            #expect(try load(manager, "held:a.png").source == .SDIMAGE_IMAGE_SOURCE_MEMORY)
            let second = Listener()
            let task = try second.load(manager, makeRequest("held:b.png"))
            sdimage_task_cancel(task.pointer)
            _ = second.final()
            #expect(observer.heard.wait { $0.count == 3 })
        }
        let heard = observer.heard.get()
        #expect(heard.map(\.source) == [.SDIMAGE_IMAGE_SOURCE_LOADER, .SDIMAGE_IMAGE_SOURCE_MEMORY, .SDIMAGE_IMAGE_SOURCE_NONE])
        #expect(heard.map(\.status) == [.SDIMAGE_STATUS_OK, .SDIMAGE_STATUS_OK, .SDIMAGE_STATUS_CANCELLED])
        #expect(heard.allSatisfy { $0.kind == .SDIMAGE_DELIVERY_KIND_FINAL })
        #expect(observer.destroyed.wait { $0 == 1 })
    }

    @Test func numbersRiseWithWhatHappens() throws {
        let server = LoopbackServer { [picture] request, connection in
            connection.answer(request.target == "/gone.png" ? 404 : 200, body: picture)
        }
        defer { server.stop() }
        let folder = TemporaryDirectory()
        let cache = try makeCache(in: folder.path)
        let manager = try makeManager(cache: cache)
        let before = try metrics()
        _ = try load(manager, server.url("/a.png"))
        _ = try load(manager, server.url("/a.png"))
        _ = try load(manager, server.url("/gone.png"))
        let after = try metrics()
        func rise(_ name: String) -> Double { (value(name, in: after) ?? 0) - (value(name, in: before) ?? 0) }
        // Other tests load at the same time.
        #expect(rise("sdimage_loads_total{source=\"network\"}") >= 1)
        #expect(rise("sdimage_loads_total{source=\"memory\"}") >= 1)
        #expect(rise("sdimage_load_errors_total{code=\"HTTP_STATUS\"}") >= 1)
        #expect(rise("sdimage_exchanges_total") >= 2)
        #expect(rise("sdimage_received_bytes_total") >= Double(picture.count))
        #expect(rise("sdimage_load_stage_seconds_count{stage=\"decode\"}") >= 1)
        #expect(value("sdimage_threads", in: after) ?? 0 > 0)
    }

    @Test func loadsOfAllThreadsAreCounted() throws {
        let cache = try makeCache(in: nil)
        let manager = try makeManager(cache: cache, loader: try ScriptedLoader.answering(picture).makeLoader())
        let immediate = try make(sdimage_dispatcher_unref) { sdimage_dispatcher_new_immediate($0, $1) }
        let request = makeRequest("test://counted")
        sdimage_request_set_dispatcher(request.pointer, immediate.pointer)
        let first = Listener()
        _ = try first.load(manager, request)
        #expect(first.final()?.source == .SDIMAGE_IMAGE_SOURCE_LOADER)
        let before = try metrics()
        let (threads, each) = (8, 50)
        let found = Locked(0)
        for _ in 0..<threads {
            Thread.detachNewThread {
                for _ in 0..<each {
                    let listener = Listener()
                    _ = try? listener.load(manager, request)
                    if listener.final()?.source == .SDIMAGE_IMAGE_SOURCE_MEMORY { found.change { $0 += 1 } }
                }
            }
        }
        #expect(found.wait { $0 == threads * each })
        let name = "sdimage_loads_total{source=\"memory\"}"
        // Other tests load at the same time.
        let rise = (value(name, in: try metrics()) ?? 0) - (value(name, in: before) ?? 0)
        #expect(rise >= Double(threads * each))
        withExtendedLifetime((cache, immediate)) {}
    }

    @Test func theTextIsWhatPrometheusReads() throws {
        let lines = try metrics().split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.last == "")
        var described: Set<Substring> = []
        let sample = #/(sdimage_[a-z_]+)(\{[a-z]+="[^"]+"(,[a-z]+="[^"]+")*\})? (-?[0-9.e+-]+|\+Inf)/#
        for line in lines.dropLast() {
            if line.hasPrefix("# ") {
                if line.hasPrefix("# TYPE ") { #expect(described.insert(line.split(separator: " ")[2]).inserted) }
                continue
            }
            let match = try #require(try sample.wholeMatch(in: line), "\(line)")
            let family = ["_bucket", "_sum", "_count"].reduce(match.1) { $0.hasSuffix($1) ? $0.dropLast($1.count) : $0 }
            #expect(described.contains(match.1) || described.contains(family))
        }
        #expect(described.count >= 15)
    }

    @Test func classesOfAHistogramAddUp() throws {
        _ = try load(try makeManager(cache: nil), "data:image/png;base64," + Data(picture).base64EncodedString())
        let text = try metrics()
        let buckets = text.split(separator: "\n").filter { $0.hasPrefix("sdimage_load_stage_seconds_bucket{stage=\"total\"") }
        let counts = try buckets.map { try #require(Double($0.split(separator: " ")[1])) }
        #expect(counts.count == 12 && counts == counts.sorted())
        #expect(counts.last == value("sdimage_load_stage_seconds_count{stage=\"total\"}", in: text))
    }
}
