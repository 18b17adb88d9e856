import CSDImage
import Foundation

/// Frames of a host provider: squares of 4 x 4 pixels whose first byte is the frame index. A test can inject faults.
final class HostFrames: @unchecked Sendable {
    private let condition = NSCondition()
    private var count: UInt32
    private var growing = false
    private var log: [UInt32] = []
    private var destroyed = 0
    private var isHeld = false
    private var heldIndex: UInt32?
    private var begun = 0
    let durations: [UInt32]
    let loops: UInt32
    /// Frames whose creation fails.
    var broken: Set<UInt32> = []
    var side: UInt32 = 4

    init(_ durations: [UInt32], loops: UInt32 = 0, growingFrom start: Int? = nil) {
        self.durations = durations
        self.loops = loops
        count = UInt32(start ?? durations.count)
        growing = start != nil
    }

    /// Indices of the frames made, in order.
    var made: [UInt32] { condition.withLock { log } }
    var destroyCount: Int { condition.withLock { destroyed } }

    /// Blocks frame creation until `release`: of all frames, or of one.
    func hold(only index: UInt32? = nil) { condition.withLock { (isHeld, heldIndex) = (true, index) } }
    func release() { note { $0.isHeld = false } }

    /// Grows the frame count; `isLast`: the animation is complete.
    func grow(to count: Int, isLast: Bool = false) {
        note { frames in
            frames.count = UInt32(count)
            frames.growing = !isLast
        }
    }

    /// Waits until the creation of `count` frames has begun.
    func waitForBegun(_ count: Int, within seconds: Double = 120) -> Bool { wait(seconds) { $0.begun >= count } }
    func waitForMade(_ count: Int, within seconds: Double = 120) -> Bool { wait(seconds) { $0.log.count >= count } }
    func waitForDestroy(within seconds: Double = 120) -> Bool { wait(seconds) { $0.destroyed > 0 } }

    func provider() throws -> Owned {
        var table = sdimage_frame_provider_vtable()
        table.size = MemoryLayout<sdimage_frame_provider_vtable>.size
        table.frame_count = { userData in HostFrames.from(userData).condition.withLock { HostFrames.from(userData).count } }
        table.frame = { userData, index, image, _ in HostFrames.from(userData).make(index, image) }
        table.duration_ms = { userData, index in HostFrames.from(userData).durations[Int(index)] }
        table.loop_count = { userData in HostFrames.from(userData).loops }
        table.is_growing = { userData in HostFrames.from(userData).condition.withLock { HostFrames.from(userData).growing } }
        let userData = Unmanaged.passRetained(self).toOpaque()
        return try APITests.make(sdimage_frame_provider_unref) { provider, error in
            sdimage_frame_provider_new_custom(
                &table, userData,
                { userData in
                    Unmanaged<HostFrames>.fromOpaque(userData!).takeRetainedValue().note { $0.destroyed += 1 }
                }, provider, error)
        }
    }

    /// An animated image of these frames.
    func image() throws -> Owned {
        let provider = try provider()
        return try APITests.make(sdimage_image_unref) { sdimage_image_new_provider(provider.pointer, $0, $1) }
    }

    private func make(_ index: UInt32, _ image: UnsafeMutablePointer<OpaquePointer?>?) -> sdimage_status {
        let isBroken = condition.withLock {
            begun += 1
            condition.broadcast()
            while isHeld, heldIndex ?? index == index { condition.wait() }
            log.append(index)
            condition.broadcast()
            return broken.contains(index)
        }
        if isBroken { return .SDIMAGE_STATUS_BAD_DATA }
        let pixels = [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: Int(side * side) * 4)
        return sdimage_image_new(side, side, Int(side) * 4, .SDIMAGE_PIXEL_FORMAT_RGBA8, pixels, image, nil)
    }

    private static func from(_ userData: UnsafeMutableRawPointer?) -> HostFrames {
        Unmanaged<HostFrames>.fromOpaque(userData!).takeUnretainedValue()
    }

    private func note(_ change: (HostFrames) -> Void) {
        condition.withLock {
            change(self)
            condition.broadcast()
        }
    }

    private func wait(_ seconds: Double, until isTrue: (HostFrames) -> Bool) -> Bool {
        let end = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer { condition.unlock() }
        while !isTrue(self) { if !condition.wait(until: end) { return isTrue(self) } }
        return true
    }
}
