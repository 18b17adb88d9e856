import CSDImage
import Foundation
import Testing

/// Long decodes end at their time limit, on cancellation, and when the manager closes.
@Suite(.serialized) struct HostileTimeTests {
    /// 10^9 pixels in a megabyte: seconds of work, decoded row by row without holding the bitmap.
    private static let slow = HostileFile.black(32_000, 32_000)

    private func seconds(_ body: () throws -> Void) rethrows -> Double {
        let began = MonotonicTime.now
        try body()
        return MonotonicTime.now - began
    }

    private func slowRequest(_ url: String) -> Owned {
        let request = makeRequest(url)
        sdimage_request_set_thumbnail_size(request.pointer, 40, 40, true)
        return request
    }

    private func makeSlowManager() throws -> (Owned, EventCounter) {
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
            sdimage_decode_options_set_thumbnail_size($0, 40, 40, true)
        }
        var status = sdimage_status.SDIMAGE_STATUS_OK
        // Created before the clock starts.
        let slow = HostileTimeTests.slow
        let time = seconds {
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

    @Test func cancelledLoadsLeaveTheirWorkersToOthers() throws {
        let (manager, served) = try makeSlowManager()
        let listeners = (0..<16).map { _ in Listener() }
        let tasks = try listeners.enumerated().map { try $1.load(manager, slowRequest("test://slow/\($0)")) }
        #expect(served.wait(for: 2))
        usleep(300_000)
        for task in tasks { sdimage_task_cancel(task.pointer) }
        let good = Listener()
        let time = try seconds {
            let task = try good.load(manager, makeRequest("test://good"))
            #expect(good.final(within: 30)?.status == .SDIMAGE_STATUS_OK)
            withExtendedLifetime(task) {}
        }
        #expect(time < 3)
        for listener in listeners { #expect(listener.final()?.status == .SDIMAGE_STATUS_CANCELLED) }
    }

    @Test func aManagerClosesWhileItDecodes() throws {
        let (manager, served) = try makeSlowManager()
        let listeners = (0..<4).map { _ in Listener() }
        let tasks = try listeners.enumerated().map { try $1.load(manager, slowRequest("test://slow/\($0)")) }
        #expect(served.wait(for: 2))
        usleep(300_000)
        let time = seconds {
            sdimage_manager_cancel_all(manager.pointer)
            #expect(sdimage_manager_close(manager.pointer, 10_000, nil) == .SDIMAGE_STATUS_OK)
        }
        #expect(time < 3)
        withExtendedLifetime(tasks) {}
    }
}

private enum MonotonicTime {
    static var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }
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

    func wait(for count: Int, seconds: Double = 30) -> Bool {
        let end = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer { condition.unlock() }
        while events < count { if !condition.wait(until: end) { return false } }
        return true
    }
}
