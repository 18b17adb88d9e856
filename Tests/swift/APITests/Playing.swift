import CSDImage
import Foundation

/// A player, and the recorded calls of its handler.
final class Playing: @unchecked Sendable {
    /// One call of the handler.
    enum Call: Equatable {
        /// The index of the frame, and the first byte of its pixels.
        case frame(UInt32, UInt8)
        case loop(UInt32)
    }

    private let condition = NSCondition()
    private var heard: [Call] = []
    private var destroyed = 0
    private var threads: Set<UInt> = []
    /// Runs inside the handler.
    var onCall: ((Playing, Call) -> Void)?
    /// nil after `release`.
    private(set) var owned: Owned?
    var pointer: OpaquePointer? { owned?.pointer }

    init(provider: Owned) throws {
        owned = try start { sdimage_player_new_provider(provider.pointer, &$0, $1, Playing.destroy, $2, $3) }
    }

    init(image: Owned) throws {
        owned = try start { sdimage_player_new(image.pointer, &$0, $1, Playing.destroy, $2, $3) }
    }

    /// A player of host frames that are made when they are due, so that every run is the same.
    convenience init(_ frames: HostFrames, mode: sdimage_playback_mode = .SDIMAGE_PLAYBACK_MODE_NORMAL) throws {
        try self.init(provider: try frames.provider())
        sdimage_player_set_decode_when_due(pointer, true)
        sdimage_player_set_mode(pointer, mode)
    }

    private func start(
        _ call: (
            inout sdimage_player_handler, UnsafeMutableRawPointer, UnsafeMutablePointer<OpaquePointer?>,
            UnsafeMutablePointer<OpaquePointer?>
        ) -> sdimage_status
    ) throws -> Owned {
        var handler = sdimage_player_handler()
        handler.size = MemoryLayout<sdimage_player_handler>.size
        handler.frame = { userData, _, index, image in
            Playing.from(userData).hear(.frame(index, Playing.firstByte(image)))
        }
        handler.loop = { userData, _, count in Playing.from(userData).hear(.loop(count)) }
        let userData = Unmanaged.passRetained(self).toOpaque()
        return try make(sdimage_player_unref) { call(&handler, userData, $0, $1) }
    }

    var calls: [Call] { condition.withLock { heard } }
    var frames: [UInt32] { calls.compactMap { if case .frame(let index, _) = $0 { index } else { nil } } }
    var loops: [UInt32] { calls.compactMap { if case .loop(let count) = $0 { count } else { nil } } }
    var destroyCount: Int { condition.withLock { destroyed } }
    var callingThreads: Set<UInt> { condition.withLock { threads } }

    var index: UInt32 { sdimage_player_frame_index(pointer) }
    var loop: UInt32 { sdimage_player_loop_count(pointer) }
    var isPlaying: Bool { sdimage_player_is_playing(pointer) }
    var buffered: UInt32 { sdimage_player_buffered_frames(pointer) }

    /// The first byte of the frame shown; nil for none.
    var shown: UInt8? {
        var image: OpaquePointer?
        sdimage_player_get_frame(pointer, &image)
        defer { sdimage_image_unref(image) }
        return image.map { Playing.firstByte($0) }
    }

    @discardableResult
    func tick(_ milliseconds: Double) -> Bool { sdimage_player_tick(pointer, UInt64(milliseconds * 1_000_000)) }

    func play() { sdimage_player_start(pointer) }

    /// Ticks until `count` frames have been shown, or the player stops.
    func play(frames count: Int, milliseconds: Double = 100) {
        play()
        var ticks = 0
        while frames.count < count, isPlaying, ticks < 10 * count {
            tick(ticks == 0 ? 0 : milliseconds)
            ticks += 1
        }
    }

    /// Releases the player.
    func release() { owned = nil }

    func wait(within seconds: Double = 120, until isTrue: (Playing) -> Bool) -> Bool {
        let end = Date(timeIntervalSinceNow: seconds)
        while !isTrue(self) {
            if Date() > end { return false }
            condition.lock()
            _ = condition.wait(until: Date(timeIntervalSinceNow: 0.002))
            condition.unlock()
        }
        return true
    }

    static func firstByte(_ image: OpaquePointer?) -> UInt8 {
        sdimage_image_pixels(image)?.load(as: UInt8.self) ?? 255
    }

    private func hear(_ call: Call) {
        condition.withLock {
            heard.append(call)
            threads.insert(UInt(pthread_self()))
            condition.broadcast()
        }
        onCall?(self, call)
    }

    private static func from(_ userData: UnsafeMutableRawPointer?) -> Playing {
        Unmanaged<Playing>.fromOpaque(userData!).takeUnretainedValue()
    }

    private static let destroy: @convention(c) (UnsafeMutableRawPointer?) -> Void = { userData in
        let playing = Unmanaged<Playing>.fromOpaque(userData!).takeRetainedValue()
        playing.condition.withLock {
            playing.destroyed += 1
            playing.condition.broadcast()
        }
    }
}
