// The functions of include/sdimage/animated_view.h: animations that play while a widget is visible. `sdimage_animated_view` is an
// `AnimatedView`, which uses the frame budget of the process.

import CSDImage
import SDImage
import SDImageHost

@_cdecl("sdimage_animated_view_new") @implementation
public func sdimage_animated_view_new(
    _ handler: UnsafePointer<sdimage_animated_view_handler>?, _ userData: UserData, _ destroy: sdimage_destroy_fn?,
    _ view: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    return unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(view)
        let host = unsafe try ForeignView(handler, foreign)
        unsafe try give(AnimatedView(handler: host, budget: .shared, lease: try Engine.acquire()), view)
    }
}

@_cdecl("sdimage_animated_view_ref") @implementation
public func sdimage_animated_view_ref(_ view: Object) -> Object {
    unsafe Handle.ref(view, as: AnimatedView.self)
}

@_cdecl("sdimage_animated_view_unref") @implementation
public func sdimage_animated_view_unref(_ view: Object) {
    unsafe Handle.unref(view, as: AnimatedView.self)
}

@_cdecl("sdimage_animated_view_set_image") @implementation
public func sdimage_animated_view_set_image(_ view: Object, _ image: Object, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let view = unsafe try Handle.borrow(view, as: AnimatedView.self)
        try view.setImage(unsafe image == nil ? nil : try Handle.borrow(image, as: Image.self))
    }
}

@_cdecl("sdimage_animated_view_get_image") @implementation
public func sdimage_animated_view_get_image(_ view: Object, _ image: ObjectOut) {
    guard let image = unsafe image else { return }
    let shown = unsafe read(view, AnimatedView.self, nil) { $0.image }
    unsafe image.pointee = unsafe shown.flatMap { unsafe Handle.own($0) }
}

@_cdecl("sdimage_animated_view_get_player") @implementation
public func sdimage_animated_view_get_player(_ view: Object, _ player: ObjectOut) {
    guard let player = unsafe player else { return }
    let made = unsafe read(view, AnimatedView.self, nil) { $0.player }
    unsafe player.pointee = unsafe made.flatMap { unsafe Handle.own($0) }
}

@_cdecl("sdimage_animated_view_set_visible") @implementation
public func sdimage_animated_view_set_visible(_ view: Object, _ visible: Bool) {
    unsafe read(view, AnimatedView.self, ()) { $0.setVisible(visible) }
}

@_cdecl("sdimage_animated_view_is_visible") @implementation
public func sdimage_animated_view_is_visible(_ view: Object) -> Bool {
    unsafe read(view, AnimatedView.self, false) { $0.isVisible }
}

@_cdecl("sdimage_animated_view_start") @implementation
public func sdimage_animated_view_start(_ view: Object) {
    unsafe read(view, AnimatedView.self, ()) { $0.start() }
}

@_cdecl("sdimage_animated_view_stop") @implementation
public func sdimage_animated_view_stop(_ view: Object) {
    unsafe read(view, AnimatedView.self, ()) { $0.stop() }
}

@_cdecl("sdimage_animated_view_is_animating") @implementation
public func sdimage_animated_view_is_animating(_ view: Object) -> Bool {
    unsafe read(view, AnimatedView.self, false) { $0.isAnimating }
}

@_cdecl("sdimage_animated_view_tick") @implementation
public func sdimage_animated_view_tick(_ view: Object, _ nanoseconds: UInt64) -> Bool {
    unsafe read(view, AnimatedView.self, false) { $0.tick(nanoseconds) }
}

@_cdecl("sdimage_animated_view_set_clock") @implementation
public func sdimage_animated_view_set_clock(
    _ view: Object, _ clock: sdimage_player_clock, _ dispatcher: Object, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let view = unsafe try Handle.borrow(view, as: AnimatedView.self)
        let made = unsafe try Input.playbackClock(clock, dispatcher) { [weak view] in _ = view?.advance() }
        view.setClock(made)
    }
}

@_cdecl("sdimage_animated_view_get_clock") @implementation
public func sdimage_animated_view_get_clock(
    _ view: Object, _ clock: UnsafeMutablePointer<sdimage_player_clock>?, _ dispatcher: ObjectOut
) {
    unsafe give(clock: read(view, AnimatedView.self, nil) { $0.clock }, clock, dispatcher)
}

@_cdecl("sdimage_animated_view_descriptor") @implementation
public func sdimage_animated_view_descriptor(_ view: Object) -> Int32 {
    unsafe read(view, AnimatedView.self, -1) { ($0.clock as? DescriptorClock)?.descriptor ?? -1 }
}

@_cdecl("sdimage_animated_view_advance") @implementation
public func sdimage_animated_view_advance(_ view: Object) -> Bool {
    unsafe read(view, AnimatedView.self, false) { $0.advance() }
}

@_cdecl("sdimage_animated_view_set_autoplay") @implementation
public func sdimage_animated_view_set_autoplay(_ view: Object, _ value: Bool) {
    unsafe read(view, AnimatedView.self, ()) { view in view.change { $0.playsByItself = value } }
}

@_cdecl("sdimage_animated_view_should_autoplay") @implementation
public func sdimage_animated_view_should_autoplay(_ view: Object) -> Bool {
    unsafe read(view, AnimatedView.self, false) { $0.settings.playsByItself }
}

@_cdecl("sdimage_animated_view_set_loop_limit") @implementation
public func sdimage_animated_view_set_loop_limit(_ view: Object, _ loops: UInt32) {
    unsafe read(view, AnimatedView.self, ()) { view in view.change { $0.loopLimit = Int(clamping: loops) } }
}

@_cdecl("sdimage_animated_view_loop_limit") @implementation
public func sdimage_animated_view_loop_limit(_ view: Object) -> UInt32 {
    unsafe read(view, AnimatedView.self, 0) { UInt32(clamping: $0.settings.loopLimit ?? 0) }
}

@_cdecl("sdimage_animated_view_has_loop_limit") @implementation
public func sdimage_animated_view_has_loop_limit(_ view: Object) -> Bool {
    unsafe read(view, AnimatedView.self, false) { $0.settings.loopLimit != nil }
}

@_cdecl("sdimage_animated_view_reset_loop_limit") @implementation
public func sdimage_animated_view_reset_loop_limit(_ view: Object) {
    unsafe read(view, AnimatedView.self, ()) { view in view.change { $0.loopLimit = nil } }
}

@_cdecl("sdimage_animated_view_set_incremental") @implementation
public func sdimage_animated_view_set_incremental(_ view: Object, _ value: Bool) {
    unsafe read(view, AnimatedView.self, ()) { view in view.change { $0.isIncremental = value } }
}

@_cdecl("sdimage_animated_view_is_incremental") @implementation
public func sdimage_animated_view_is_incremental(_ view: Object) -> Bool {
    unsafe read(view, AnimatedView.self, false) { $0.settings.isIncremental }
}

@_cdecl("sdimage_animated_view_set_clear_buffer_when_stopped") @implementation
public func sdimage_animated_view_set_clear_buffer_when_stopped(_ view: Object, _ value: Bool) {
    unsafe read(view, AnimatedView.self, ()) { view in view.change { $0.clearsBufferWhenStopped = value } }
}

@_cdecl("sdimage_animated_view_should_clear_buffer_when_stopped") @implementation
public func sdimage_animated_view_should_clear_buffer_when_stopped(_ view: Object) -> Bool {
    unsafe read(view, AnimatedView.self, false) { $0.settings.clearsBufferWhenStopped }
}

@_cdecl("sdimage_animated_view_set_rewind_when_stopped") @implementation
public func sdimage_animated_view_set_rewind_when_stopped(_ view: Object, _ value: Bool) {
    unsafe read(view, AnimatedView.self, ()) { view in view.change { $0.rewindsWhenStopped = value } }
}

@_cdecl("sdimage_animated_view_should_rewind_when_stopped") @implementation
public func sdimage_animated_view_should_rewind_when_stopped(_ view: Object) -> Bool {
    unsafe read(view, AnimatedView.self, false) { $0.settings.rewindsWhenStopped }
}

@_cdecl("sdimage_animated_view_set_transformer") @implementation
public func sdimage_animated_view_set_transformer(_ view: Object, _ transformer: Object) {
    let change = unsafe Handle.find(transformer, as: TransformerObject.self).map { FrameChange($0.transformer) }
    unsafe read(view, AnimatedView.self, ()) { view in view.change { $0.change = change } }
}

@_cdecl("sdimage_animated_view_get_transformer") @implementation
public func sdimage_animated_view_get_transformer(_ view: Object, _ transformer: ObjectOut) {
    unsafe hand(read(view, AnimatedView.self, nil) { $0.settings.change?.transformer }, transformer) { TransformerObject($0) }
}

@_cdecl("sdimage_animated_view_set_rate") @implementation
public func sdimage_animated_view_set_rate(_ view: Object, _ rate: Double) {
    unsafe read(view, AnimatedView.self, ()) { view in view.change { $0.playback.rate = rate.isFinite ? rate : 0 } }
}

@_cdecl("sdimage_animated_view_rate") @implementation
public func sdimage_animated_view_rate(_ view: Object) -> Double {
    unsafe read(view, AnimatedView.self, 1) { $0.settings.playback.rate }
}

@_cdecl("sdimage_animated_view_set_mode") @implementation
public func sdimage_animated_view_set_mode(_ view: Object, _ mode: sdimage_playback_mode) {
    unsafe read(view, AnimatedView.self, ()) { view in view.change { $0.playback.mode = PlaybackMode(mode) ?? $0.playback.mode } }
}

@_cdecl("sdimage_animated_view_mode") @implementation
public func sdimage_animated_view_mode(_ view: Object) -> sdimage_playback_mode {
    unsafe read(view, AnimatedView.self, .SDIMAGE_PLAYBACK_MODE_NORMAL) { $0.settings.playback.mode.code }
}

@_cdecl("sdimage_animated_view_set_max_buffer_size") @implementation
public func sdimage_animated_view_set_max_buffer_size(_ view: Object, _ bytes: Int) {
    unsafe read(view, AnimatedView.self, ()) { view in view.change { $0.playback.bufferBytes = Input.size(bytes) } }
}

@_cdecl("sdimage_animated_view_max_buffer_size") @implementation
public func sdimage_animated_view_max_buffer_size(_ view: Object) -> Int {
    unsafe read(view, AnimatedView.self, 0) { $0.settings.playback.bufferBytes == .max ? -1 : $0.settings.playback.bufferBytes }
}

@_cdecl("sdimage_animated_view_set_drop_late_frames") @implementation
public func sdimage_animated_view_set_drop_late_frames(_ view: Object, _ value: Bool) {
    unsafe read(view, AnimatedView.self, ()) { view in view.change { $0.playback.dropsLateFrames = value } }
}

@_cdecl("sdimage_animated_view_should_drop_late_frames") @implementation
public func sdimage_animated_view_should_drop_late_frames(_ view: Object) -> Bool {
    unsafe read(view, AnimatedView.self, false) { $0.settings.playback.dropsLateFrames }
}

@_cdecl("sdimage_animated_view_set_decode_when_due") @implementation
public func sdimage_animated_view_set_decode_when_due(_ view: Object, _ value: Bool) {
    unsafe read(view, AnimatedView.self, ()) { view in view.change { $0.playback.makesFramesItself = value } }
}

@_cdecl("sdimage_animated_view_should_decode_when_due") @implementation
public func sdimage_animated_view_should_decode_when_due(_ view: Object) -> Bool {
    unsafe read(view, AnimatedView.self, false) { $0.settings.playback.makesFramesItself }
}
