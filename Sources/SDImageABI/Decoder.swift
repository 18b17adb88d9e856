import CSDImage
import SDImage
import SDImageHost

@_cdecl("sdimage_decoder_new") @implementation
public func sdimage_decoder_new(_ options: Object, _ coder: Object, _ decoder: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let options = unsafe try Input.decodeOptions(options)
        let coder = unsafe coder == nil ? nil : try Handle.borrow(coder, as: CoderObject.self).coder
        unsafe try give(IncrementalDecoder(Defaults.coders, options: options, coder: coder), decoder)
    }
}

@_cdecl("sdimage_decoder_ref") @implementation
public func sdimage_decoder_ref(_ decoder: Object) -> Object {
    unsafe Handle.ref(decoder, as: IncrementalDecoder.self)
}

@_cdecl("sdimage_decoder_unref") @implementation
public func sdimage_decoder_unref(_ decoder: Object) {
    unsafe Handle.unref(decoder, as: IncrementalDecoder.self)
}

@_cdecl("sdimage_decoder_append") @implementation
public func sdimage_decoder_append(
    _ decoder: Object, _ bytes: UnsafeRawPointer?, _ length: Int, _ finished: Bool, _ error: ObjectOut
) -> sdimage_status {
    unsafe attemptNote(error) { () throws(ImageError) in
        let decoder = unsafe try Handle.borrow(decoder, as: IncrementalDecoder.self)
        unsafe try decoder.append(try Input.content(bytes, length), isFinished: finished)
        return decoder.isSatisfied || decoder.isFinished ? .SDIMAGE_STATUS_END : .SDIMAGE_STATUS_OK
    }
}

@_cdecl("sdimage_decoder_get_image") @implementation
public func sdimage_decoder_get_image(_ decoder: Object, _ image: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attemptNote(error) { () throws(ImageError) in
        let decoder = unsafe try Handle.borrow(decoder, as: IncrementalDecoder.self)
        unsafe try requireResult(image)
        guard let current = try decoder.image() else { return .SDIMAGE_STATUS_NEED_MORE_DATA }
        unsafe try give(current, image)
        return .SDIMAGE_STATUS_OK
    }
}

@_cdecl("sdimage_decoder_size") @implementation
public func sdimage_decoder_size(_ decoder: Object) -> sdimage_size {
    unsafe read(decoder, IncrementalDecoder.self, sdimage_size(width: 0, height: 0)) { decoder in
        let size = decoder.size
        return sdimage_size(width: UInt32(clamping: size.width), height: UInt32(clamping: size.height))
    }
}

@_cdecl("sdimage_decoder_frame_count") @implementation
public func sdimage_decoder_frame_count(_ decoder: Object) -> UInt32 {
    unsafe read(decoder, IncrementalDecoder.self, 0) { UInt32(clamping: $0.frameCount) }
}

@_cdecl("sdimage_decoder_loop_count") @implementation
public func sdimage_decoder_loop_count(_ decoder: Object) -> UInt32 {
    unsafe read(decoder, IncrementalDecoder.self, 0) { UInt32(clamping: $0.loopCount) }
}

@_cdecl("sdimage_decoder_frame_duration_ms") @implementation
public func sdimage_decoder_frame_duration_ms(_ decoder: Object, _ index: UInt32) -> UInt32 {
    unsafe read(decoder, IncrementalDecoder.self, 0) { UInt32(clamping: $0.durationMilliseconds(at: Int(clamping: index))) }
}

@_cdecl("sdimage_decoder_get_frame") @implementation
public func sdimage_decoder_get_frame(_ decoder: Object, _ index: UInt32, _ image: ObjectOut, _ error: ObjectOut)
    -> sdimage_status
{
    unsafe attempt(error) { () throws(ImageError) in
        let decoder = unsafe try Handle.borrow(decoder, as: IncrementalDecoder.self)
        unsafe try requireResult(image)
        unsafe try give(try decoder.frame(at: Int(clamping: index)), image)
    }
}

@_cdecl("sdimage_decoder_get_data") @implementation
public func sdimage_decoder_get_data(_ decoder: Object, _ data: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try give(try Handle.borrow(decoder, as: IncrementalDecoder.self).bytes, data)
    }
}
