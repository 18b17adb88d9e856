import CSDImage
import Foundation
import TestSupport
import Testing

/// Reused cells whose images arrive late, early, or not at all.
@Suite(.serialized) struct TargetStressTests {
    /// A cell: the number of its requested image, and the mistakes in the images it showed.
    private final class Cell {
        var target: Owned?
        var wanted = -1
        var shown = -1
        var mistakes: [String] = []
        var finals: [Int: Int] = [:]

        func set(_ image: OpaquePointer?, _ result: OpaquePointer?) {
            guard image != nil else { return shown = -1 }
            var color = sdimage_color()
            guard sdimage_image_color_at(image, 1, 1, &color, nil) == .SDIMAGE_STATUS_OK else {
                return mistakes.append("no pixel")
            }
            let parts = [color.red, color.green, color.blue].map { Int(($0 * 255).rounded()) }
            shown = parts[0] << 16 | parts[1] << 8 | parts[2]
            if shown != wanted { mistakes.append("\(shown) in place of \(wanted)") }
        }
    }

    private final class Load {
        unowned let cell: Cell
        let number: Int
        init(_ cell: Cell, _ number: Int) { (self.cell, self.number) = (cell, number) }
    }

    @Test(arguments: [true, false]) func noCellEverShowsAPictureOfAnother(_ onLoop: Bool) throws {
        let loop = HostLoop()
        let dispatcher = try make(sdimage_dispatcher_unref) { sdimage_dispatcher_new_pollable($0, $1) }
        #expect(sdimage_dispatcher_bind_current_thread(dispatcher.pointer, nil) == .SDIMAGE_STATUS_OK)
        let host = try loop.makeDispatcher()
        let manager = try makeManager(cache: try makeCache(in: nil), loader: try colors().makeLoader())
        let cells = (0..<20).map { _ in Cell() }
        for cell in cells { try recreate(cell, manager, onLoop ? host : dispatcher) }
        var random = Randoms(seed: 7)
        var started = 0
        let turn = {
            if onLoop { while loop.runOne(within: 0) {} } else { _ = sdimage_dispatcher_drain(dispatcher.pointer) }
        }
        for number in 0..<2_000 {
            let cell = cells[random.below(20)]
            switch random.below(12) {
            case 0: sdimage_target_cancel_latest(cell.target?.pointer)
            // The cell is released and replaced by a new one.
            case 1: try recreate(cell, manager, onLoop ? host : dispatcher)
            default: break
            }
            // Some images shown before appear again, from memory.
            let wanted = random.below(5) == 0 ? random.below(number + 1) : number
            cell.wanted = wanted
            try load(cell, wanted, number)
            started += 1
            if random.below(3) == 0 { usleep(useconds_t(random.below(400))) }
            turn()
        }
        #expect(
            becomesTrue {
                turn()
                return cells.allSatisfy { $0.shown == $0.wanted }
            })
        #expect(cells.flatMap(\.mistakes) == [])
        for cell in cells { cell.target = nil }
        // A worker may not have posted the final result of a replaced load yet.
        #expect(
            becomesTrue {
                turn()
                return cells.reduce(0) { $0 + $1.finals.count } == started
            })
        #expect(cells.allSatisfy { $0.finals.values.allSatisfy { $0 == 1 } })
    }

    /// Responds to "test://N" with an image of that color, after a delay.
    private func colors() -> ScriptedLoader {
        ScriptedLoader { request, sink in
            let number = Int(String(cString: sdimage_request_url(request, nil)).dropFirst("test://".count)) ?? 0
            let parts = [16, 8, 0].map { UInt8(number >> $0 & 255) }
            nonisolated(unsafe) let kept = sdimage_load_sink_ref(sink)
            DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(number * 7919 % 3000)) {
                let bytes = makePNG(width: 2, height: 2, red: parts[0], green: parts[1], blue: parts[2])
                _ = sdimage_load_sink_write(kept, bytes, bytes.count, nil)
                sdimage_load_sink_finish(kept, nil)
                sdimage_load_sink_unref(kept)
            }
            return .SDIMAGE_STATUS_OK
        }
    }

    private func recreate(_ cell: Cell, _ manager: Owned, _ dispatcher: Owned) throws {
        cell.target = nil
        cell.shown = -1
        var table = sdimage_target_vtable()
        table.size = MemoryLayout<sdimage_target_vtable>.size
        table.set_image = {
            Unmanaged<Cell>.fromOpaque($0!).takeUnretainedValue().set($2, $3); _ = $1
        }
        cell.target = try make(sdimage_target_unref) {
            sdimage_target_new(
                manager.pointer, dispatcher.pointer, &table, Unmanaged.passUnretained(cell).toOpaque(), nil, $0, $1)
        }
    }

    private func load(_ cell: Cell, _ wanted: Int, _ number: Int) throws {
        var handler = sdimage_load_handler()
        handler.size = MemoryLayout<sdimage_load_handler>.size
        handler.result = { userData, _, result in
            let load = Unmanaged<Load>.fromOpaque(userData!).takeUnretainedValue()
            if sdimage_result_kind(result) == .SDIMAGE_DELIVERY_KIND_FINAL { load.cell.finals[load.number, default: 0] += 1 }
        }
        let request = makeRequest("test://\(wanted)")
        let userData = Unmanaged.passRetained(Load(cell, number)).toOpaque()
        let status = sdimage_target_load(
            cell.target?.pointer, request.pointer, nil, &handler, userData, { Unmanaged<Load>.fromOpaque($0!).release() }, nil,
            nil)
        #expect(status == .SDIMAGE_STATUS_OK)
    }
}
