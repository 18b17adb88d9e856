import CSDImage
import Foundation
import TestSupport
import Testing

/// Loads of images on disk, which one worker reads and decodes if no other work waits.
@Suite struct DiskHitTests {
    /// A coder for images of one byte. The first decodes, one for each worker, wait for the gate.
    private final class OrderedCoder: Sendable {
        let workers = ProcessInfo.processInfo.activeProcessorCount
        let gate = Gate()
        let decoded = Locked<[UInt8]>([])

        func decode(_ id: UInt8) {
            decoded.change { $0.append(id) }
            // Long enough that a worker cannot decode many of them before another one reads one more.
            if id < workers { gate.pass() } else { usleep(5000) }
        }

        func make() throws -> Owned {
            var table = sdimage_coder_vtable()
            table.size = MemoryLayout<sdimage_coder_vtable>.size
            table.can_decode = { _, _, _ in true }
            table.decode = { userData, bytes, length, _, image, error in
                let pixel = bytes!.assumingMemoryBound(to: UInt8.self)[0]
                Unmanaged<OrderedCoder>.fromOpaque(userData!).takeUnretainedValue().decode(pixel)
                return sdimage_image_new(1, 1, 1, .SDIMAGE_PIXEL_FORMAT_GRAY8, [pixel], image, error)
            }
            return try APITests.make(sdimage_coder_unref) {
                sdimage_coder_new_custom(
                    "ordered", &table, Unmanaged.passRetained(self).toOpaque(),
                    { Unmanaged<OrderedCoder>.fromOpaque($0!).release() }, $0, $1)
            }
        }
    }

    @Test func aHighPriorityGoesBeforeImagesThatWereReadEarlier() throws {
        let cache = try makeCache(in: TemporaryDirectory())
        let ordered = OrderedCoder()
        let coder = try ordered.make()
        let manager = try makeManager(cache: cache)
        let urgent = UInt8(ordered.workers + 20)
        var listeners: [Listener] = []
        for id in 0...urgent {
            let key = "\(id)"
            let data = try make(sdimage_data_unref) { sdimage_data_new([id], 1, $0, $1) }
            try #require(sdimage_cache_store_data(cache.pointer, key, -1, data.pointer, nil) == .SDIMAGE_STATUS_OK)
            let request = makeRequest(key)
            sdimage_request_set_source_policy(request.pointer, .SDIMAGE_SOURCE_POLICY_CACHE_ONLY)
            sdimage_request_set_coder(request.pointer, coder.pointer)
            if id == urgent { sdimage_request_set_priority(request.pointer, .SDIMAGE_PRIORITY_HIGH) }
            listeners.append(Listener())
            _ = try listeners[Int(id)].load(manager, request)
            // The next loads find every worker busy.
            if id == ordered.workers - 1 { #expect(becomesTrue { ordered.decoded.get().count == ordered.workers }) }
        }
        ordered.gate.open()
        for listener in listeners { #expect(listener.final()?.status == .SDIMAGE_STATUS_OK) }
        let position = try #require(ordered.decoded.get().firstIndex(of: urgent))
        #expect(position < ordered.workers + 10)
    }
}
