import CSDImage
import Foundation
import TestSupport
import Testing

/// Long decodes end at their time limit, on cancellation, and when the manager closes.
@Suite(.serialized) struct HostileTimeTests {
    /// 10^9 pixels in a megabyte: seconds of work, decoded row by row without holding the bitmap.
    private static let slow = HostileFile.black(32_000, 32_000)

    /// Without the default time limit, which may pass before the load is cancelled.
    private static func slowRequest(_ url: String) -> Owned {
        let request = makeRequest(url)
        let options = decodeOptions {
            sdimage_decode_options_set_max_work_ms($0, 600_000)
            sdimage_decode_options_set_thumbnail_size($0, 40, 40, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
        }
        sdimage_request_set_decode_options(request.pointer, options.pointer)
        return request
    }

    private static func makeSlowManager() throws -> (Owned, EventCounter) {
        let fast = makePNG(width: 4, height: 4)
        let served = EventCounter()
        let loader = ScriptedLoader { request, sink in
            let isSlow = String(cString: sdimage_request_url(request, nil)).contains("slow")
            let bytes = isSlow ? HostileTimeTests.slow : fast
            let status = sdimage_load_sink_write(sink, bytes, bytes.count, nil)
            sdimage_load_sink_finish(sink, nil)
            if isSlow { served.count() }
            return status
        }
        return (try makeManager(cache: nil, loader: try loader.makeLoader()), served)
    }

    @Test(arguments: [UInt32(500), 2000])
    func aDecodeEndsWithItsTimeLimit(milliseconds: UInt32) throws {
        let options = decodeOptions {
            sdimage_decode_options_set_max_work_ms($0, milliseconds)
            sdimage_decode_options_set_thumbnail_size($0, 40, 40, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
        }
        var status = sdimage_status.SDIMAGE_STATUS_OK
        // Created before the clock starts.
        let slow = HostileTimeTests.slow
        let time = ProcessorTime.ofThread {
            var image: OpaquePointer?
            status = sdimage_decode(slow, slow.count, options.pointer, &image, nil)
            sdimage_image_unref(image)
        }
        // A fast machine may finish earlier.
        #expect(status == .SDIMAGE_STATUS_TIMEOUT || time < Double(milliseconds) / 1000)
        #expect(time < Double(milliseconds) / 1000 + 1)
    }

    @Test func anEncodeEndsWithItsTimeLimit() throws {
        let pixels = [UInt8](repeating: 7, count: 3000 * 3000 * 3)
        let image = try make(sdimage_image_unref) {
            sdimage_image_new(3000, 3000, 9000, .SDIMAGE_PIXEL_FORMAT_RGB8, pixels, $0, $1)
        }
        let options = Owned(sdimage_encode_options_new()) { sdimage_encode_options_unref($0) }
        sdimage_encode_options_set_max_work_ms(options.pointer, 1)
        var data: OpaquePointer?
        let status = sdimage_encode(image.pointer, .SDIMAGE_FORMAT_PNG, options.pointer, &data, nil)
        sdimage_data_unref(data)
        #expect(status == .SDIMAGE_STATUS_TIMEOUT)
    }

    /// Starts loads, and returns when two of them decode.
    private static func startDecodes(_ count: Int, _ manager: Owned, _ served: EventCounter) throws -> [(Listener, Owned)] {
        let loads = try (0..<count).map { index in
            let listener = Listener()
            return (listener, try listener.load(manager, slowRequest("test://slow/\(index)")))
        }
        #expect(served.wait(for: 2))
        let start = ProcessorTime.ofProcess
        #expect(becomesTrue { ProcessorTime.ofProcess > start + 0.3 })
        return loads
    }

    // The next two run in processes of their own, whose processor time is that of these loads. A single decode takes seconds.

    @Test func cancelledLoadsLeaveTheirWorkersToOthers() async {
        await #expect(processExitsWith: .success) {
            let (manager, served) = try HostileTimeTests.makeSlowManager()
            let loads = try HostileTimeTests.startDecodes(16, manager, served)
            let start = ProcessorTime.ofProcess
            for (_, task) in loads { sdimage_task_cancel(task.pointer) }
            let good = Listener()
            let task = try good.load(manager, makeRequest("test://good"))
            #expect(good.final()?.status == .SDIMAGE_STATUS_OK)
            #expect(ProcessorTime.ofProcess - start < 1)
            for (listener, _) in loads { #expect(listener.final()?.status == .SDIMAGE_STATUS_CANCELLED) }
            withExtendedLifetime(task) {}
        }
    }

    @Test func aManagerClosesWhileItDecodes() async {
        await #expect(processExitsWith: .success) {
            let (manager, served) = try HostileTimeTests.makeSlowManager()
            let loads = try HostileTimeTests.startDecodes(4, manager, served)
            let start = ProcessorTime.ofProcess
            sdimage_manager_cancel_all(manager.pointer)
            #expect(sdimage_manager_close(manager.pointer, 60_000, nil) == .SDIMAGE_STATUS_OK)
            #expect(ProcessorTime.ofProcess - start < 1)
            withExtendedLifetime(loads) {}
        }
    }
}

/// Counts events of other threads.
final class EventCounter: @unchecked Sendable {
    private let condition = NSCondition()
    private var events = 0

    func count() {
        condition.lock()
        events += 1
        condition.broadcast()
        condition.unlock()
    }

    func wait(for count: Int, seconds: Double = 120) -> Bool {
        let end = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer { condition.unlock() }
        while events < count { if !condition.wait(until: end) { return false } }
        return true
    }
}
