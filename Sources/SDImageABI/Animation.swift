import CSDImage
import SDImage
import SDImageHost

@_cdecl("sdimage_frame_provider_new_custom") @implementation
public func sdimage_frame_provider_new_custom(
    _ vtable: UnsafePointer<sdimage_frame_provider_vtable>?, _ userData: UserData, _ destroy: sdimage_destroy_fn?, _ provider: ObjectOut,
    _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    return unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(provider)
        unsafe try give(FrameSource(AnimationFrames.of(try ForeignFrames(vtable, foreign))), provider)
    }
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
    FrameBudget.shared.setLimit(bytes < 0 ? .max / 2 : min(bytes, .max / 2))
}

@_cdecl("sdimage_frame_budget_limit") @implementation
public func sdimage_frame_budget_limit() -> Int { FrameBudget.shared.limit }

@_cdecl("sdimage_frame_budget_statistics") @implementation
public func sdimage_frame_budget_statistics(_ json: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(json)
        unsafe try give(try Report.statistics(FrameBudget.shared).bytes(), json)
    }
}
