// The functions of include/sdimage/decode.h: decoding on the calling thread, decoders for bytes that arrive
// (`IncrementalDecoder`), and the setters of options (`DecodeOptionsObject`).

import CSDImage
import Glibc
import SDImage
import SDImageHost

@_cdecl("sdimage_decode_options_new") @implementation
public func sdimage_decode_options_new() -> Object {
    unsafe Handle.own(DecodeOptionsObject(DecodeOptions()))
}

@_cdecl("sdimage_decode_options_ref") @implementation
public func sdimage_decode_options_ref(_ options: Object) -> Object {
    unsafe Handle.ref(options, as: DecodeOptionsObject.self)
}

@_cdecl("sdimage_decode_options_unref") @implementation
public func sdimage_decode_options_unref(_ options: Object) {
    unsafe Handle.unref(options, as: DecodeOptionsObject.self)
}

@_cdecl("sdimage_decode_options_set_thumbnail_size") @implementation
public func sdimage_decode_options_set_thumbnail_size(
    _ options: Object, _ width: UInt32, _ height: UInt32, _ mode: sdimage_scale_mode
) {
    unsafe change(options, DecodeOptionsObject.self) { $0.setThumbnail(width, height, mode) }
}

@_cdecl("sdimage_decode_options_set_pixel_format") @implementation
public func sdimage_decode_options_set_pixel_format(_ options: Object, _ pixelFormat: sdimage_pixel_format) {
    unsafe change(options, DecodeOptionsObject.self) { $0.setPixelFormat(pixelFormat) }
}

@_cdecl("sdimage_decode_options_set_dynamic_range") @implementation
public func sdimage_decode_options_set_dynamic_range(_ options: Object, _ range: sdimage_dynamic_range) {
    unsafe change(options, DecodeOptionsObject.self) {
        $0.dynamicRange = DynamicRange(rawValue: Int32(bitPattern: range.rawValue)) ?? .sdr
    }
}

@_cdecl("sdimage_decode_options_set_display_headroom") @implementation
public func sdimage_decode_options_set_display_headroom(_ options: Object, _ stops: Double) {
    unsafe change(options, DecodeOptionsObject.self) { $0.displayHeadroom = stops > 0 ? stops : 0 }
}

@_cdecl("sdimage_decode_options_set_keep_gain_map") @implementation
public func sdimage_decode_options_set_keep_gain_map(_ options: Object, _ keepGainMap: Bool) {
    unsafe change(options, DecodeOptionsObject.self) { $0.keepsGainMap = keepGainMap }
}

@_cdecl("sdimage_decode_options_set_transfer_characteristics") @implementation
public func sdimage_decode_options_set_transfer_characteristics(
    _ options: Object, _ transfer: sdimage_transfer_characteristics
) {
    unsafe change(options, DecodeOptionsObject.self) { $0.transfer = HDRTransfer?(transfer) }
}

@_cdecl("sdimage_decode_options_set_first_frame_only") @implementation
public func sdimage_decode_options_set_first_frame_only(_ options: Object, _ firstFrameOnly: Bool) {
    unsafe change(options, DecodeOptionsObject.self) { $0.firstFrameOnly = firstFrameOnly }
}

@_cdecl("sdimage_decode_options_set_apply_orientation") @implementation
public func sdimage_decode_options_set_apply_orientation(_ options: Object, _ apply: Bool) {
    unsafe change(options, DecodeOptionsObject.self) { $0.applyOrientation = apply }
}

@_cdecl("sdimage_decode_options_set_convert_to_srgb") @implementation
public func sdimage_decode_options_set_convert_to_srgb(_ options: Object, _ convert: Bool) {
    unsafe change(options, DecodeOptionsObject.self) { $0.convertToSRGB = convert }
}

@_cdecl("sdimage_decode_options_set_limit_bytes") @implementation
public func sdimage_decode_options_set_limit_bytes(_ options: Object, _ limitBytes: Int) {
    unsafe change(options, DecodeOptionsObject.self) { $0.limitBytes = Input.size(limitBytes) }
}

@_cdecl("sdimage_decode_options_set_format_hint") @implementation
public func sdimage_decode_options_set_format_hint(_ options: Object, _ format: sdimage_format) {
    unsafe change(options, DecodeOptionsObject.self) { $0.formatHint = ImageFormat(rawValue: format.rawValue) ?? .unknown }
}

@_cdecl("sdimage_decode_options_set_scale") @implementation
public func sdimage_decode_options_set_scale(_ options: Object, _ scale: Double) {
    unsafe change(options, DecodeOptionsObject.self) { $0.scale = scale >= 1 && scale.isFinite ? scale : nil }
}

@_cdecl("sdimage_decode_options_set_accept_partial") @implementation
public func sdimage_decode_options_set_accept_partial(_ options: Object, _ accept: Bool) {
    unsafe change(options, DecodeOptionsObject.self) { $0.acceptPartial = accept }
}

@_cdecl("sdimage_decode_options_set_early_thumbnail") @implementation
public func sdimage_decode_options_set_early_thumbnail(_ options: Object, _ early: Bool) {
    unsafe change(options, DecodeOptionsObject.self) { $0.earlyThumbnail = early }
}

@_cdecl("sdimage_decode_options_set_max_pixels") @implementation
public func sdimage_decode_options_set_max_pixels(_ options: Object, _ pixels: UInt64) {
    unsafe change(options, DecodeOptionsObject.self) { $0.limits.setPixels(pixels) }
}

@_cdecl("sdimage_decode_options_set_max_bytes") @implementation
public func sdimage_decode_options_set_max_bytes(_ options: Object, _ bytes: Int) {
    unsafe change(options, DecodeOptionsObject.self) { options in
        options.limits.outputBytes = bytes == 0 ? DecodeLimits.standard.outputBytes : Input.size(bytes)
    }
}

@_cdecl("sdimage_decode_options_set_max_work_ms") @implementation
public func sdimage_decode_options_set_max_work_ms(_ options: Object, _ milliseconds: UInt32) {
    unsafe change(options, DecodeOptionsObject.self) { options in
        let standard = DecodeLimits.standard.workNanoseconds
        options.limits.workNanoseconds = milliseconds > 0 ? .saturatingNanoseconds(milliseconds: milliseconds) : standard
    }
}

@_cdecl("sdimage_decode_options_set_options") @implementation
public func sdimage_decode_options_set_options(_ options: Object, _ values: Object) {
    unsafe Handle.find(options, as: DecodeOptionsObject.self)?.setValues(Handle.find(values, as: OptionsObject.self)?.value)
}

@_cdecl("sdimage_sniff") @implementation
public func sdimage_sniff(_ bytes: UnsafeRawPointer?, _ length: Int) -> sdimage_format {
    guard let bytes = unsafe try? Input.callersBytes(bytes, length) else { return .SDIMAGE_FORMAT_UNKNOWN }
    return FormatSniffer.format(of: bytes).code
}

@_cdecl("sdimage_decode") @implementation
public func sdimage_decode(_ bytes: UnsafeRawPointer?, _ length: Int, _ options: Object, _ image: ObjectOut, _ error: ObjectOut)
    -> sdimage_status
{
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(image)
        let options = unsafe try Input.decodeOptions(options)
        unsafe try give(try Defaults.coders.decodeCallersBytes(bytes, length, options), image)
    }
}

@_cdecl("sdimage_decode_file") @implementation
public func sdimage_decode_file(_ path: Text, _ options: Object, _ image: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(image)
        var options = unsafe try Input.decodeOptions(options)
        let path = unsafe Input.name(path)
        guard !path.isEmpty else { throw ImageError(.invalidArgument, "file: path is empty") }
        options.scale = options.scale ?? FileScale.of(String(decoding: path, as: UTF8.self))
        let bytes = try FileLoader.read(path, limit: DecodeLimits.standard.workingBytes)
        unsafe try give(try Defaults.coders.decode(bytes, options: options, stop: CancellationToken()), image)
    }
}

@_cdecl("sdimage_default_limit_bytes") @implementation
public func sdimage_default_limit_bytes() -> Int { Defaults.limitBytes.load(ordering: .relaxed) }

@_cdecl("sdimage_set_default_limit_bytes") @implementation
public func sdimage_set_default_limit_bytes(_ bytes: Int) {
    let bytes = Input.size(bytes)
    if bytes >= 4 { Defaults.limitBytes.store(bytes, ordering: .relaxed) }
}

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

@_cdecl("sdimage_source_new_file") @implementation
public func sdimage_source_new_file(_ path: Text, _ source: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(source)
        let path = unsafe Input.name(path)
        guard !path.isEmpty else { throw ImageError(.invalidArgument, "file: path is empty") }
        unsafe try give(SourceObject(try FileSource(path)), source)
    }
}

@_cdecl("sdimage_source_new_data") @implementation
public func sdimage_source_new_data(_ data: Object, _ source: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try give(SourceObject(MemorySource(try Handle.borrow(data, as: Bytes.self))), source)
    }
}

@_cdecl("sdimage_source_ref") @implementation
public func sdimage_source_ref(_ source: Object) -> Object {
    unsafe Handle.ref(source, as: SourceObject.self)
}

@_cdecl("sdimage_source_unref") @implementation
public func sdimage_source_unref(_ source: Object) {
    unsafe Handle.unref(source, as: SourceObject.self)
}

@_cdecl("sdimage_source_size") @implementation
public func sdimage_source_size(_ source: Object) -> UInt64 {
    unsafe read(source, SourceObject.self, 0) { $0.source.size }
}

@_cdecl("sdimage_source_read") @implementation
public func sdimage_source_read(
    _ source: Object, _ offset: UInt64, _ buffer: UserData, _ length: Int, _ read: UnsafeMutablePointer<Int>?, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let source = unsafe try Handle.borrow(source, as: SourceObject.self).source
        guard let buffer = unsafe buffer, let read = unsafe read, length >= 0 else {
            throw ImageError(.invalidArgument, "source: NULL buffer, or length exceeds the address space")
        }
        unsafe read.pointee = unsafe try source.read(
            at: offset, into: UnsafeMutableRawBufferPointer(start: buffer, count: length))
    }
}

@_cdecl("sdimage_decoder_new_source") @implementation
public func sdimage_decoder_new_source(
    _ source: Object, _ options: Object, _ coder: Object, _ decoder: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let source = unsafe try Handle.borrow(source, as: SourceObject.self).source
        unsafe try requireResult(decoder)
        let options = unsafe try Input.decodeOptions(options)
        let coder = unsafe coder == nil ? nil : try Handle.borrow(coder, as: CoderObject.self).coder
        unsafe try give(try IncrementalDecoder(Defaults.coders, source: source, options: options, coder: coder), decoder)
    }
}
