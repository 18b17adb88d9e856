import CSDImage
import Foundation
import SDImage
import TestSupport
import Testing

private let hasTwoWorkers = LibraryThread.availableProcessors > 1

/// Loads with a common progressive decode whose complete images are decoded apart. Each test holds workers, so that it runs in a
/// process of its own.
@Suite struct SharedProgressiveTests {
    /// A coder for any bytes. The first complete body is decoded when the test opens it, or until its load is cancelled.
    private final class HeldCoder: Sendable {
        let entered = Locked(0)
        let isOpen = Locked(false)

        func update(_ budget: OpaquePointer?) -> sdimage_status {
            entered.change { $0 += 1 }
            var status = sdimage_work_budget_check(budget)
            _ = becomesTrue {
                status = sdimage_work_budget_check(budget)
                return isOpen.get() || status != .SDIMAGE_STATUS_OK
            }
            return status
        }

        func make() throws -> Owned {
            var table = sdimage_coder_vtable()
            table.size = MemoryLayout<sdimage_coder_vtable>.size
            table.can_decode = { _, _, _ in true }
            table.decode = { _, _, _, _, image, error in HeldCoder.image(image, error) }
            table.open = { _, options, instance, _ in
                instance!.pointee = UnsafeMutableRawPointer(sdimage_decode_options_work_budget(options))
                return .SDIMAGE_STATUS_OK
            }
            table.instance_update = { userData, instance, _, _, isFinished, _ in
                guard isFinished else { return .SDIMAGE_STATUS_OK }
                return Unmanaged<HeldCoder>.fromOpaque(userData!).takeUnretainedValue().update(OpaquePointer(instance))
            }
            table.instance_image = { _, _, image, error in HeldCoder.image(image, error) }
            table.instance_destroy = { _, _ in }
            return try APITests.make(sdimage_coder_unref) {
                sdimage_coder_new_custom(
                    "held", &table, Unmanaged.passRetained(self).toOpaque(),
                    { Unmanaged<HeldCoder>.fromOpaque($0!).release() }, $0, $1)
            }
        }

        private static func image(
            _ image: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
        ) -> sdimage_status { sdimage_image_new(1, 1, 1, .SDIMAGE_PIXEL_FORMAT_GRAY8, [7], image, error) }
    }

    /// Two loads, and the manager whose release would end them.
    private struct Loads {
        let manager: Owned
        let listeners: [Listener]
        let tasks: [Owned]
    }

    /// Starts two loads of one body that show a part. Then the body ends.
    private func load(
        _ coder: Owned, cache: Owned?, _ change: (_ request: OpaquePointer, _ isFirst: Bool) throws -> Void
    ) throws -> Loads {
        let held = HeldLoader()
        let manager = try makeManager(cache: cache, loader: try held.makeLoader())
        let request = makeRequest("test://a")
        let patient = decodeOptions { sdimage_decode_options_set_max_work_ms($0, 600_000) }
        sdimage_request_set_decode_options(request.pointer, patient.pointer)
        sdimage_request_set_coder(request.pointer, coder.pointer)
        sdimage_request_set_progressive(request.pointer, true)
        let listeners = [Listener(), Listener()]
        let tasks = try listeners.map { listener in
            try change(request.pointer, listener === listeners[0])
            return try listener.load(manager, request)
        }
        let sink = try #require(held.next())
        let bytes = [UInt8](repeating: 1, count: 200)
        #expect(sdimage_load_sink_write(sink, bytes, bytes.count, nil) == .SDIMAGE_STATUS_OK)
        for listener in listeners { #expect(listener.part()?.isIncremental == true) }
        sdimage_load_sink_finish(sink, nil)
        sdimage_load_sink_unref(sink)
        return Loads(manager: manager, listeners: listeners, tasks: tasks)
    }

    @Test func theCancellationOfOneLoadEndsNoOther() async {
        await #expect(processExitsWith: .success) { try SharedProgressiveTests().cancelOneOfTwo() }
    }

    /// The decode of the second load begins after that of the first, because there is one worker for both.
    private func cancelOneOfTwo() throws {
        let gate = Gate(), held = HeldCoder()
        defer { gate.open() }
        let slow = try gate.makeCoder()
        let manager = try makeManager(cache: nil, loader: try ScriptedLoader.answering([1]).makeLoader())
        for id in 1..<LibraryThread.availableProcessors {
            let request = makeRequest("test://\(id)")
            sdimage_request_set_coder(request.pointer, slow.pointer)
            _ = try Listener().load(manager, request)
            #expect(gate.waitForEntry())
        }
        let loads = try load(try held.make(), cache: nil) { sdimage_request_set_include_data($0, !$1) }
        #expect(becomesTrue { held.entered.get() == 1 && Engine.current?.work.queuedJobs == 1 })
        sdimage_task_cancel(loads.tasks[0].pointer)
        #expect(loads.listeners[0].final()?.status == .SDIMAGE_STATUS_CANCELLED)
        let final = try #require(loads.listeners[1].final())
        #expect(final.status == .SDIMAGE_STATUS_OK && !final.isIncremental)
        withExtendedLifetime((manager, loads)) {}
    }

    @Test(.enabled(if: hasTwoWorkers, "one worker decodes one image at a time"))
    func aFinalIsCompleteWhileAnotherLoadDecodesIt() async {
        await #expect(processExitsWith: .success) { try SharedProgressiveTests().decodeTwiceAtOnce() }
    }

    /// Only one of the loads stores the image before its transformer, so that each decodes for itself.
    private func decodeTwiceAtOnce() throws {
        let held = HeldCoder()
        let flip = try make(sdimage_transformer_unref) { sdimage_transformer_new_flip(true, false, $0, $1) }
        let loads = try load(try held.make(), cache: try makeCache(in: nil)) { request, isFirst in
            sdimage_request_set_transformer(request, flip.pointer)
            if !isFirst { sdimage_request_set_cache_policy(request, .SDIMAGE_CACHE_POLICY_STORE_ORIGINAL_IN_MEMORY) }
        }
        #expect(becomesTrue { loads.listeners.contains { !$0.finals.isEmpty } })
        held.isOpen.set(true)
        for listener in loads.listeners {
            let final = try #require(listener.final())
            #expect(final.status == .SDIMAGE_STATUS_OK && !final.isIncremental)
        }
        #expect(held.entered.get() == 1)
        withExtendedLifetime(loads) {}
    }
}
