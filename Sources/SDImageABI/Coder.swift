import CSDImage
import Glibc
import SDImage

typealias DecodeOptionsObject = Box<DecodeOptions>

/// A coder as C holds it, with a name that can be lent.
final class CoderObject: Sendable {
    let coder: any ImageCoder
    let name: CString

    init(_ coder: any ImageCoder) {
        self.coder = coder
        name = CString(coder.name)
    }
}

/// The options behind a pointer; the defaults for NULL.
func decodeOptions(_ pointer: Object) throws(ImageError) -> DecodeOptions {
    guard unsafe pointer != nil else { return DecodeOptions() }
    return unsafe try Handle.borrow(pointer, as: DecodeOptionsObject.self).value
}

/// Bytes of the caller, for the length of a call only.
private func callersBytes(_ bytes: UnsafeRawPointer?, _ length: Int) throws(ImageError) -> Bytes {
    let view = unsafe try Input.content(bytes, length)
    return unsafe Bytes(adopting: view.baseAddress, count: view.count) {}
}

extension Image {
    /// Without parts of the bytes it was decoded from, which are the caller's and soon gone.
    fileprivate func detached() throws(ImageError) -> Image {
        guard let profile = metadata.colorProfile else { return self }
        var metadata = metadata
        metadata.colorProfile = unsafe try Bytes.copying(UnsafeRawBufferPointer(start: profile.pointer, count: profile.count))
        return with(metadata)
    }
}

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
    _ options: Object, _ width: UInt32, _ height: UInt32, _ preserveAspectRatio: Bool
) {
    unsafe change(options, DecodeOptionsObject.self) { $0.setThumbnail(width, height, preserveAspectRatio) }
}

@_cdecl("sdimage_decode_options_set_pixel_format") @implementation
public func sdimage_decode_options_set_pixel_format(_ options: Object, _ pixelFormat: sdimage_pixel_format) {
    unsafe change(options, DecodeOptionsObject.self) {
        $0.pixelFormat = PixelFormat(rawValue: Int32(bitPattern: pixelFormat.rawValue))
    }
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
    unsafe change(options, DecodeOptionsObject.self) { $0.limitBytes = max(0, limitBytes) }
}

@_cdecl("sdimage_decode_options_set_format_hint") @implementation
public func sdimage_decode_options_set_format_hint(_ options: Object, _ format: sdimage_format) {
    unsafe change(options, DecodeOptionsObject.self) { $0.formatHint = ImageFormat(rawValue: format.rawValue) ?? .undefined }
}

@_cdecl("sdimage_decode_options_set_scale") @implementation
public func sdimage_decode_options_set_scale(_ options: Object, _ scale: Double) {
    unsafe change(options, DecodeOptionsObject.self) { $0.scale = scale >= 1 && scale.isFinite ? scale : 1 }
}

@_cdecl("sdimage_decode_options_set_accept_partial") @implementation
public func sdimage_decode_options_set_accept_partial(_ options: Object, _ accept: Bool) {
    unsafe change(options, DecodeOptionsObject.self) { $0.acceptPartial = accept }
}

@_cdecl("sdimage_decode_options_set_max_pixels") @implementation
public func sdimage_decode_options_set_max_pixels(_ options: Object, _ pixels: UInt64) {
    unsafe change(options, DecodeOptionsObject.self) { $0.limits.setPixels(pixels) }
}

@_cdecl("sdimage_decode_options_set_max_bytes") @implementation
public func sdimage_decode_options_set_max_bytes(_ options: Object, _ bytes: Int) {
    unsafe change(options, DecodeOptionsObject.self) { options in
        options.limits.outputBytes = bytes > 0 ? bytes : DecodeLimits.standard.outputBytes
    }
}

@_cdecl("sdimage_decode_options_set_max_work_ms") @implementation
public func sdimage_decode_options_set_max_work_ms(_ options: Object, _ milliseconds: UInt32) {
    unsafe change(options, DecodeOptionsObject.self) { options in
        let standard = DecodeLimits.standard.workNanoseconds
        options.limits.workNanoseconds = milliseconds > 0 ? UInt64(milliseconds) * 1_000_000 : standard
    }
}

@_cdecl("sdimage_decode_options_thumbnail_size") @implementation
public func sdimage_decode_options_thumbnail_size(_ options: Object) -> sdimage_size {
    unsafe read(options, DecodeOptionsObject.self, sdimage_size(width: 0, height: 0)) { options in
        guard let box = options.value.thumbnailSize else { return sdimage_size(width: 0, height: 0) }
        return sdimage_size(width: UInt32(clamping: box.width), height: UInt32(clamping: box.height))
    }
}

@_cdecl("sdimage_decode_options_preserves_aspect_ratio") @implementation
public func sdimage_decode_options_preserves_aspect_ratio(_ options: Object) -> Bool {
    unsafe read(options, DecodeOptionsObject.self, true) { $0.value.preserveAspectRatio }
}

@_cdecl("sdimage_decode_options_pixel_format") @implementation
public func sdimage_decode_options_pixel_format(_ options: Object) -> sdimage_pixel_format {
    unsafe read(options, DecodeOptionsObject.self, .SDIMAGE_PIXEL_FORMAT_AUTOMATIC) { options in
        options.value.pixelFormat?.code ?? .SDIMAGE_PIXEL_FORMAT_AUTOMATIC
    }
}

@_cdecl("sdimage_decode_options_applies_orientation") @implementation
public func sdimage_decode_options_applies_orientation(_ options: Object) -> Bool {
    unsafe read(options, DecodeOptionsObject.self, true) { $0.value.applyOrientation }
}

@_cdecl("sdimage_decode_options_converts_to_srgb") @implementation
public func sdimage_decode_options_converts_to_srgb(_ options: Object) -> Bool {
    unsafe read(options, DecodeOptionsObject.self, true) { $0.value.convertToSRGB }
}

@_cdecl("sdimage_decode_options_is_first_frame_only") @implementation
public func sdimage_decode_options_is_first_frame_only(_ options: Object) -> Bool {
    unsafe read(options, DecodeOptionsObject.self, false) { $0.value.firstFrameOnly }
}

@_cdecl("sdimage_decode_options_scale") @implementation
public func sdimage_decode_options_scale(_ options: Object) -> Double {
    unsafe read(options, DecodeOptionsObject.self, 1) { $0.value.scale }
}

@_cdecl("sdimage_sniff") @implementation
public func sdimage_sniff(_ bytes: UnsafeRawPointer?, _ length: Int) -> sdimage_format {
    guard let bytes = unsafe try? callersBytes(bytes, length) else { return .SDIMAGE_FORMAT_UNDEFINED }
    return FormatSniffer.format(of: bytes).code
}

@_cdecl("sdimage_decode") @implementation
public func sdimage_decode(_ bytes: UnsafeRawPointer?, _ length: Int, _ options: Object, _ image: ObjectOut, _ error: ObjectOut)
    -> sdimage_status
{
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requirePlace(image)
        let options = unsafe try decodeOptions(options)
        let bytes = unsafe try callersBytes(bytes, length)
        unsafe try give(try Defaults.coders.decode(bytes, options: options, stop: StopSignal()).detached(), image)
    }
}

@_cdecl("sdimage_decode_file") @implementation
public func sdimage_decode_file(_ path: Text, _ options: Object, _ image: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requirePlace(image)
        let options = unsafe try decodeOptions(options)
        guard let path = unsafe Input.text(path), !path.isEmpty else { throw ImageError(.invalidArgument, "no path") }
        let bytes = try FileLoader.read(path, limit: DecodeLimits.standard.workingBytes)
        unsafe try give(try Defaults.coders.decode(bytes, options: options, stop: StopSignal()), image)
    }
}

@_cdecl("sdimage_info") @implementation
public func sdimage_info(_ bytes: UnsafeRawPointer?, _ length: Int, _ json: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requirePlace(json)
        let info = unsafe try Defaults.coders.info(try callersBytes(bytes, length))
        unsafe try give(try Report.info(info).bytes(), json)
    }
}

@_cdecl("sdimage_source_size") @implementation
public func sdimage_source_size(_ source: Object) -> UInt64 {
    unsafe read(source, SourceObject.self, 0) { $0.size }
}

@_cdecl("sdimage_source_read") @implementation
public func sdimage_source_read(
    _ source: Object, _ offset: UInt64, _ buffer: UserData, _ length: Int, _ read: UnsafeMutablePointer<Int>?, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let source = unsafe try Handle.borrow(source, as: SourceObject.self)
        guard let buffer = unsafe buffer, let read = unsafe read else {
            throw ImageError(.invalidArgument, "NULL where bytes are to be stored")
        }
        unsafe read.pointee = unsafe try source.read(
            at: offset, into: UnsafeMutableRawBufferPointer(start: buffer, count: max(0, length)))
    }
}

@_cdecl("sdimage_coder_new_custom") @implementation
public func sdimage_coder_new_custom(
    _ name: Text, _ vtable: UnsafePointer<sdimage_coder_vtable>?, _ userData: UserData, _ destroy: sdimage_destroy_fn?,
    _ coder: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    return unsafe attempt(error) { () throws(ImageError) in
        unsafe try requirePlace(coder)
        let custom = unsafe try ForeignCoder(name: Input.text(name) ?? "custom", vtable, foreign)
        unsafe try give(CoderObject(custom), coder)
    }
}

@_cdecl("sdimage_coder_ref") @implementation
public func sdimage_coder_ref(_ coder: Object) -> Object {
    unsafe Handle.ref(coder, as: CoderObject.self)
}

@_cdecl("sdimage_coder_unref") @implementation
public func sdimage_coder_unref(_ coder: Object) {
    unsafe Handle.unref(coder, as: CoderObject.self)
}

@_cdecl("sdimage_coder_name") @implementation
public func sdimage_coder_name(_ coder: Object) -> Text {
    unsafe read(coder, CoderObject.self, CString.empty.pointer) { unsafe $0.name.pointer }
}

@_cdecl("sdimage_coder_builtin") @implementation
public func sdimage_coder_builtin(_ name: Text, _ coder: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        guard let wanted = unsafe Input.text(name) else { throw ImageError(.invalidArgument, "no name") }
        guard let found = Defaults.builtinCoders.first(where: { $0.name == wanted }) else {
            throw ImageError(.notFound, "no built-in coder of that name")
        }
        unsafe try give(CoderObject(found), coder)
    }
}

@_cdecl("sdimage_coder_register") @implementation
public func sdimage_coder_register(_ coder: Object, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe Defaults.coders.register(try Handle.borrow(coder, as: CoderObject.self).coder)
    }
}

@_cdecl("sdimage_coder_unregister") @implementation
public func sdimage_coder_unregister(_ coder: Object, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let coder = unsafe try Handle.borrow(coder, as: CoderObject.self).coder
        guard Defaults.coders.coders.contains(where: { $0 === coder }) else {
            throw ImageError(.notFound, "that coder is not registered")
        }
        Defaults.coders.unregister(coder)
    }
}
