// The functions of include/sdimage/player.h, and those of frame sources. `sdimage_player` is an `AnimationPlayer`, and
// `sdimage_frame_provider` a `FrameSource`.

import CSDImage
import SDImage
import SDImageHost

/// Makes a player and stores it for the caller.
private func make(
    _ handler: UnsafePointer<sdimage_player_handler>?, _ userData: UserData, _ destroy: sdimage_destroy_fn?, _ player: ObjectOut,
    _ error: ObjectOut, _ source: () throws(ImageError) -> FrameSource
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    return unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(player)
        let playback = unsafe try ForeignPlayback(handler, foreign)
        let made = try AnimationPlayer(try source(), handler: playback, budget: .shared, lease: try Engine.acquire())
        unsafe try give(made, player)
    }
}

@_cdecl("sdimage_player_new") @implementation
public func sdimage_player_new(
    _ image: Object, _ handler: UnsafePointer<sdimage_player_handler>?, _ userData: UserData, _ destroy: sdimage_destroy_fn?,
    _ player: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    unsafe make(handler, userData, destroy, player, error) { () throws(ImageError) in
        FrameSource(unsafe try Handle.borrow(image, as: Image.self))
    }
}

@_cdecl("sdimage_player_new_provider") @implementation
public func sdimage_player_new_provider(
    _ provider: Object, _ handler: UnsafePointer<sdimage_player_handler>?, _ userData: UserData,
    _ destroy: sdimage_destroy_fn?, _ player: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    unsafe make(handler, userData, destroy, player, error) { () throws(ImageError) in
        unsafe try Handle.borrow(provider, as: FrameSource.self)
    }
}

@_cdecl("sdimage_player_ref") @implementation
public func sdimage_player_ref(_ player: Object) -> Object {
    unsafe Handle.ref(player, as: AnimationPlayer.self)
}

@_cdecl("sdimage_player_unref") @implementation
public func sdimage_player_unref(_ player: Object) {
    unsafe Handle.unref(player, as: AnimationPlayer.self)
}

@_cdecl("sdimage_player_start") @implementation
public func sdimage_player_start(_ player: Object) {
    unsafe read(player, AnimationPlayer.self, ()) { $0.start() }
}

@_cdecl("sdimage_player_pause") @implementation
public func sdimage_player_pause(_ player: Object) {
    unsafe read(player, AnimationPlayer.self, ()) { $0.pause() }
}

@_cdecl("sdimage_player_stop") @implementation
public func sdimage_player_stop(_ player: Object) {
    unsafe read(player, AnimationPlayer.self, ()) { $0.stop() }
}

@_cdecl("sdimage_player_seek") @implementation
public func sdimage_player_seek(_ player: Object, _ index: UInt32, _ loopCount: UInt32, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try Handle.borrow(player, as: AnimationPlayer.self).seek(to: Int(clamping: index), loop: Int(clamping: loopCount))
    }
}

@_cdecl("sdimage_player_clear_frame_buffer") @implementation
public func sdimage_player_clear_frame_buffer(_ player: Object) {
    unsafe read(player, AnimationPlayer.self, ()) { $0.clearFrameBuffer() }
}

@_cdecl("sdimage_player_update") @implementation
public func sdimage_player_update(_ player: Object) {
    unsafe read(player, AnimationPlayer.self, ()) { $0.update() }
}

@_cdecl("sdimage_player_tick") @implementation
public func sdimage_player_tick(_ player: Object, _ nanoseconds: UInt64) -> Bool {
    unsafe read(player, AnimationPlayer.self, false) { $0.tick(nanoseconds) }
}

@_cdecl("sdimage_player_set_clock") @implementation
public func sdimage_player_set_clock(
    _ player: Object, _ clock: sdimage_player_clock, _ dispatcher: Object, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let player = unsafe try Handle.borrow(player, as: AnimationPlayer.self)
        let made = unsafe try Input.playbackClock(clock, dispatcher) { [weak player] in _ = player?.advance() }
        player.setClock(made)
    }
}

@_cdecl("sdimage_player_get_clock") @implementation
public func sdimage_player_get_clock(
    _ player: Object, _ clock: UnsafeMutablePointer<sdimage_player_clock>?, _ dispatcher: ObjectOut
) {
    unsafe give(clock: read(player, AnimationPlayer.self, nil) { $0.clock }, clock, dispatcher)
}

@_cdecl("sdimage_player_descriptor") @implementation
public func sdimage_player_descriptor(_ player: Object) -> Int32 {
    unsafe read(player, AnimationPlayer.self, -1) { ($0.clock as? DescriptorClock)?.descriptor ?? -1 }
}

@_cdecl("sdimage_player_advance") @implementation
public func sdimage_player_advance(_ player: Object) -> Bool {
    unsafe read(player, AnimationPlayer.self, false) { $0.advance() }
}

@_cdecl("sdimage_player_set_rate") @implementation
public func sdimage_player_set_rate(_ player: Object, _ rate: Double) {
    unsafe read(player, AnimationPlayer.self, ()) { player in player.change { $0.rate = rate.isFinite ? rate : 0 } }
}

@_cdecl("sdimage_player_rate") @implementation
public func sdimage_player_rate(_ player: Object) -> Double {
    unsafe read(player, AnimationPlayer.self, 1) { $0.settings.rate }
}

@_cdecl("sdimage_player_set_mode") @implementation
public func sdimage_player_set_mode(_ player: Object, _ mode: sdimage_playback_mode) {
    unsafe read(player, AnimationPlayer.self, ()) { player in player.change { $0.mode = PlaybackMode(mode) ?? $0.mode } }
}

@_cdecl("sdimage_player_mode") @implementation
public func sdimage_player_mode(_ player: Object) -> sdimage_playback_mode {
    unsafe read(player, AnimationPlayer.self, .SDIMAGE_PLAYBACK_MODE_NORMAL) { $0.settings.mode.code }
}

@_cdecl("sdimage_player_set_loop_limit") @implementation
public func sdimage_player_set_loop_limit(_ player: Object, _ loops: UInt32) {
    unsafe read(player, AnimationPlayer.self, ()) { $0.setLoopLimit(Int(clamping: loops)) }
}

@_cdecl("sdimage_player_reset_loop_limit") @implementation
public func sdimage_player_reset_loop_limit(_ player: Object) {
    unsafe read(player, AnimationPlayer.self, ()) { $0.setLoopLimit(nil) }
}

@_cdecl("sdimage_player_loop_limit") @implementation
public func sdimage_player_loop_limit(_ player: Object) -> UInt32 {
    unsafe read(player, AnimationPlayer.self, 0) { UInt32(clamping: $0.loopLimit) }
}

@_cdecl("sdimage_player_set_frame_count") @implementation
public func sdimage_player_set_frame_count(_ player: Object, _ frames: UInt32) {
    unsafe read(player, AnimationPlayer.self, ()) { $0.setFrameLimit(Int(clamping: frames)) }
}

@_cdecl("sdimage_player_reset_frame_count") @implementation
public func sdimage_player_reset_frame_count(_ player: Object) {
    unsafe read(player, AnimationPlayer.self, ()) { $0.setFrameLimit(nil) }
}

@_cdecl("sdimage_player_frame_count") @implementation
public func sdimage_player_frame_count(_ player: Object) -> UInt32 {
    unsafe read(player, AnimationPlayer.self, 0) { UInt32(clamping: $0.frameCount) }
}

@_cdecl("sdimage_player_set_max_buffer_size") @implementation
public func sdimage_player_set_max_buffer_size(_ player: Object, _ bytes: Int) {
    unsafe read(player, AnimationPlayer.self, ()) { player in player.change { $0.bufferBytes = Input.size(bytes) } }
}

@_cdecl("sdimage_player_max_buffer_size") @implementation
public func sdimage_player_max_buffer_size(_ player: Object) -> Int {
    unsafe read(player, AnimationPlayer.self, 0) { $0.settings.bufferBytes == .max ? -1 : $0.settings.bufferBytes }
}

@_cdecl("sdimage_player_set_drop_late_frames") @implementation
public func sdimage_player_set_drop_late_frames(_ player: Object, _ drops: Bool) {
    unsafe read(player, AnimationPlayer.self, ()) { player in player.change { $0.dropsLateFrames = drops } }
}

@_cdecl("sdimage_player_should_drop_late_frames") @implementation
public func sdimage_player_should_drop_late_frames(_ player: Object) -> Bool {
    unsafe read(player, AnimationPlayer.self, false) { $0.settings.dropsLateFrames }
}

@_cdecl("sdimage_player_set_decode_when_due") @implementation
public func sdimage_player_set_decode_when_due(_ player: Object, _ decodes: Bool) {
    unsafe read(player, AnimationPlayer.self, ()) { player in player.change { $0.makesFramesItself = decodes } }
}

@_cdecl("sdimage_player_should_decode_when_due") @implementation
public func sdimage_player_should_decode_when_due(_ player: Object) -> Bool {
    unsafe read(player, AnimationPlayer.self, false) { $0.settings.makesFramesItself }
}

@_cdecl("sdimage_player_is_playing") @implementation
public func sdimage_player_is_playing(_ player: Object) -> Bool {
    unsafe read(player, AnimationPlayer.self, false) { $0.isPlaying }
}

@_cdecl("sdimage_player_get_frame") @implementation
public func sdimage_player_get_frame(_ player: Object, _ image: ObjectOut) {
    guard let image = unsafe image else { return }
    let frame = unsafe read(player, AnimationPlayer.self, nil) { $0.frame }
    unsafe image.pointee = unsafe frame.flatMap { unsafe Handle.own($0) }
}

@_cdecl("sdimage_player_frame_index") @implementation
public func sdimage_player_frame_index(_ player: Object) -> UInt32 {
    unsafe read(player, AnimationPlayer.self, 0) { UInt32(clamping: $0.index) }
}

@_cdecl("sdimage_player_loop_count") @implementation
public func sdimage_player_loop_count(_ player: Object) -> UInt32 {
    unsafe read(player, AnimationPlayer.self, 0) { UInt32(clamping: $0.loopCount) }
}

@_cdecl("sdimage_player_buffered_frames") @implementation
public func sdimage_player_buffered_frames(_ player: Object) -> UInt32 {
    unsafe read(player, AnimationPlayer.self, 0) { UInt32(clamping: $0.bufferedFrames) }
}

@_cdecl("sdimage_player_shown_frames") @implementation
public func sdimage_player_shown_frames(_ player: Object) -> UInt64 {
    unsafe read(player, AnimationPlayer.self, 0) { $0.statistics.shown }
}

@_cdecl("sdimage_player_late_frames") @implementation
public func sdimage_player_late_frames(_ player: Object) -> UInt64 {
    unsafe read(player, AnimationPlayer.self, 0) { $0.statistics.late }
}

@_cdecl("sdimage_player_dropped_frames") @implementation
public func sdimage_player_dropped_frames(_ player: Object) -> UInt64 {
    unsafe read(player, AnimationPlayer.self, 0) { $0.statistics.dropped }
}

@_cdecl("sdimage_player_failed_frames") @implementation
public func sdimage_player_failed_frames(_ player: Object) -> UInt64 {
    unsafe read(player, AnimationPlayer.self, 0) { $0.statistics.failed }
}

@_cdecl("sdimage_frame_provider_new_image") @implementation
public func sdimage_frame_provider_new_image(_ image: Object, _ provider: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try give(FrameSource(try Handle.borrow(image, as: Image.self)), provider)
    }
}

@_cdecl("sdimage_frame_provider_new_decoder") @implementation
public func sdimage_frame_provider_new_decoder(_ decoder: Object, _ provider: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try give(FrameSource(try Handle.borrow(decoder, as: IncrementalDecoder.self)), provider)
    }
}

@_cdecl("sdimage_frame_provider_new_transformed") @implementation
public func sdimage_frame_provider_new_transformed(
    _ provider: Object, _ transformer: Object, _ transformed: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let source = unsafe try Handle.borrow(provider, as: FrameSource.self)
        let transformer = unsafe try Handle.borrow(transformer, as: TransformerObject.self).transformer
        unsafe try give(source.changed(by: FrameChange(transformer)), transformed)
    }
}

@_cdecl("sdimage_frame_provider_ref") @implementation
public func sdimage_frame_provider_ref(_ provider: Object) -> Object {
    unsafe Handle.ref(provider, as: FrameSource.self)
}

@_cdecl("sdimage_frame_provider_unref") @implementation
public func sdimage_frame_provider_unref(_ provider: Object) {
    unsafe Handle.unref(provider, as: FrameSource.self)
}

@_cdecl("sdimage_frame_provider_frame_count") @implementation
public func sdimage_frame_provider_frame_count(_ provider: Object) -> UInt32 {
    unsafe read(provider, FrameSource.self, 0) { UInt32(clamping: $0.frames.frameCount) }
}

@_cdecl("sdimage_frame_provider_loop_count") @implementation
public func sdimage_frame_provider_loop_count(_ provider: Object) -> UInt32 {
    unsafe read(provider, FrameSource.self, 0) { UInt32(clamping: $0.frames.loopCount) }
}

@_cdecl("sdimage_frame_provider_is_growing") @implementation
public func sdimage_frame_provider_is_growing(_ provider: Object) -> Bool {
    unsafe read(provider, FrameSource.self, false) { $0.frames.isGrowing }
}

@_cdecl("sdimage_frame_provider_duration_ms") @implementation
public func sdimage_frame_provider_duration_ms(_ provider: Object, _ index: UInt32) -> UInt32 {
    unsafe read(provider, FrameSource.self, 0) { UInt32(clamping: $0.frames.durationMilliseconds(at: Int(clamping: index))) }
}

@_cdecl("sdimage_frame_provider_get_frame") @implementation
public func sdimage_frame_provider_get_frame(
    _ provider: Object, _ index: UInt32, _ image: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let source = unsafe try Handle.borrow(provider, as: FrameSource.self)
        unsafe try requireResult(image)
        unsafe try give(try source.make(Int(clamping: index)), image)
    }
}

@_cdecl("sdimage_frame_provider_get_data") @implementation
public func sdimage_frame_provider_get_data(_ provider: Object, _ data: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        guard let bytes = unsafe try Handle.borrow(provider, as: FrameSource.self).frames.encoded else {
            throw ImageError(.notFound, "animation: frames have no encoded bytes")
        }
        unsafe try give(bytes, data)
    }
}

@_cdecl("sdimage_image_new_provider") @implementation
public func sdimage_image_new_provider(_ provider: Object, _ image: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let source = unsafe try Handle.borrow(provider, as: FrameSource.self)
        unsafe try requireResult(image)
        unsafe try give(try source.make(0).with(frames: source.frames), image)
    }
}

@_cdecl("sdimage_image_preload_frames") @implementation
public func sdimage_image_preload_frames(_ image: Object, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        guard let frames = unsafe try Handle.borrow(image, as: Image.self).frames else { return }
        let stop = CancellationToken()
        stop.allow(nanoseconds: CallTimeLimits.frame)
        try Engine.helped { () throws(ImageError) in
            try frames.load(limit: DecodeLimits.standard.outputBytes, stop: stop)
        }
    }
}

@_cdecl("sdimage_image_unload_frames") @implementation
public func sdimage_image_unload_frames(_ image: Object) {
    unsafe read(image, Image.self, ()) { $0.frames?.unload() }
}

@_cdecl("sdimage_image_has_all_frames") @implementation
public func sdimage_image_has_all_frames(_ image: Object) -> Bool {
    unsafe read(image, Image.self, false) { $0.frames?.isLoaded ?? false }
}

@_cdecl("sdimage_frame_budget_set_limit") @implementation
public func sdimage_frame_budget_set_limit(_ bytes: Int) {
    FrameBudget.shared.setLimit(min(Input.size(bytes), .max / 2))
}

@_cdecl("sdimage_frame_budget_limit") @implementation
public func sdimage_frame_budget_limit() -> Int { FrameBudget.shared.limit }

@_cdecl("sdimage_frame_budget_get_statistics") @implementation
public func sdimage_frame_budget_get_statistics(
    _ statistics: UnsafeMutablePointer<sdimage_frame_budget_statistics>?, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try fill(statistics, size: statistics?.pointee.size ?? 0, with: FrameBudget.shared.counters)
    }
}

@_cdecl("sdimage_frame_budget_statistics_to_json") @implementation
public func sdimage_frame_budget_statistics_to_json(_ json: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(json)
        unsafe try give(try Report.statistics(FrameBudget.shared).bytes(), json)
    }
}
