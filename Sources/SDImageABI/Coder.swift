import CSDImage
import Glibc
import SDImage
import SDImageHost

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

@_cdecl("sdimage_info") @implementation
public func sdimage_info(_ bytes: UnsafeRawPointer?, _ length: Int, _ json: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(json)
        let info = unsafe try Defaults.coders.info(try Input.callersBytes(bytes, length))
        unsafe try give(try Report.info(info).bytes(), json)
    }
}

@_cdecl("sdimage_read_metadata") @implementation
public func sdimage_read_metadata(
    _ bytes: UnsafeRawPointer?, _ length: Int, _ kind: sdimage_metadata_kind, _ data: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(data)
        let info = unsafe try Defaults.coders.info(try Input.callersBytes(bytes, length))
        guard let block = try info.block(kind) else { throw ImageError(.notFound, "image: no such metadata") }
        unsafe try give(try block.copiedIfLent(), data)
    }
}

@_cdecl("sdimage_coder_new_custom") @implementation
public func sdimage_coder_new_custom(
    _ name: Text, _ vtable: UnsafePointer<sdimage_coder_vtable>?, _ userData: UserData, _ destroy: sdimage_destroy_fn?,
    _ coder: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    return unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(coder)
        let custom = unsafe try ForeignCoder(name: Input.text(name) ?? "custom", vtable, foreign, Defaults.coders)
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

@_cdecl("sdimage_coder_get_builtin") @implementation
public func sdimage_coder_get_builtin(_ name: Text, _ coder: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        guard let wanted = unsafe Input.text(name) else { throw ImageError(.invalidArgument, "coder: no name") }
        guard let found = Defaults.namedCoders.first(where: { $0.name == wanted }) else {
            throw ImageError(.notFound, "coder: no built-in coder is named \(wanted)")
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
            throw ImageError(.notFound, "coder: \(coder.name) is not registered")
        }
        Defaults.coders.unregister(coder)
    }
}

@_cdecl("sdimage_coder_registered_count") @implementation
public func sdimage_coder_registered_count() -> Int { Defaults.coders.coders.count }

@_cdecl("sdimage_coder_get_registered") @implementation
public func sdimage_coder_get_registered(_ index: Int, _ coder: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let coders = Defaults.coders.coders
        guard index >= 0, index < coders.count else {
            throw ImageError(.notFound, "coder: index \(index) is out of range (count \(coders.count))")
        }
        unsafe try give(CoderObject(coders[coders.count - 1 - index]), coder)
    }
}

@_cdecl("sdimage_coder_unregister_all") @implementation
public func sdimage_coder_unregister_all() { Defaults.coders.unregisterAll() }

@_cdecl("sdimage_coder_register_builtin") @implementation
public func sdimage_coder_register_builtin() { Defaults.coders.register(lowest: Defaults.builtinCoders) }

@_cdecl("sdimage_can_decode") @implementation
public func sdimage_can_decode(_ bytes: UnsafeRawPointer?, _ length: Int) -> Bool {
    guard let bytes = unsafe try? Input.callersBytes(bytes, length) else { return false }
    return Defaults.coders.canDecode(bytes)
}

@_cdecl("sdimage_can_encode") @implementation
public func sdimage_can_encode(_ format: sdimage_format) -> Bool {
    Defaults.coders.canEncode(ImageFormat(rawValue: format.rawValue) ?? .unknown)
}

@_cdecl("sdimage_default_limit_bytes") @implementation
public func sdimage_default_limit_bytes() -> Int { Defaults.limitBytes.load(ordering: .relaxed) }

@_cdecl("sdimage_set_default_limit_bytes") @implementation
public func sdimage_set_default_limit_bytes(_ bytes: Int) {
    if bytes >= 4 { Defaults.limitBytes.store(bytes, ordering: .relaxed) }
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
    _ options: Object, _ width: UInt32, _ height: UInt32, _ mode: sdimage_scale_mode
) {
    unsafe change(options, DecodeOptionsObject.self) { $0.setThumbnail(width, height, mode) }
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
        options.limits.outputBytes = bytes > 0 ? bytes : DecodeLimits.standard.outputBytes
    }
}

@_cdecl("sdimage_decode_options_set_max_work_ms") @implementation
public func sdimage_decode_options_set_max_work_ms(_ options: Object, _ milliseconds: UInt32) {
    unsafe change(options, DecodeOptionsObject.self) { options in
        let standard = DecodeLimits.standard.workNanoseconds
        options.limits.workNanoseconds = milliseconds > 0 ? .saturatingNanoseconds(milliseconds: milliseconds) : standard
    }
}

@_cdecl("sdimage_decode_options_thumbnail_size") @implementation
public func sdimage_decode_options_thumbnail_size(_ options: Object) -> sdimage_size {
    unsafe read(options, DecodeOptionsObject.self, sdimage_size(width: 0, height: 0)) { options in
        guard let box = options.value.thumbnailSize else { return sdimage_size(width: 0, height: 0) }
        return sdimage_size(width: UInt32(clamping: box.width), height: UInt32(clamping: box.height))
    }
}

@_cdecl("sdimage_decode_options_thumbnail_mode") @implementation
public func sdimage_decode_options_thumbnail_mode(_ options: Object) -> sdimage_scale_mode {
    unsafe read(options, DecodeOptionsObject.self, .SDIMAGE_SCALE_MODE_ASPECT_FIT) { options in
        options.value.thumbnailMode.code
    }
}

@_cdecl("sdimage_decode_options_pixel_format") @implementation
public func sdimage_decode_options_pixel_format(_ options: Object) -> sdimage_pixel_format {
    unsafe read(options, DecodeOptionsObject.self, .SDIMAGE_PIXEL_FORMAT_AUTOMATIC) { options in
        options.value.pixelFormat?.code ?? .SDIMAGE_PIXEL_FORMAT_AUTOMATIC
    }
}

@_cdecl("sdimage_decode_options_should_apply_orientation") @implementation
public func sdimage_decode_options_should_apply_orientation(_ options: Object) -> Bool {
    unsafe read(options, DecodeOptionsObject.self, true) { $0.value.applyOrientation }
}

@_cdecl("sdimage_decode_options_should_convert_to_srgb") @implementation
public func sdimage_decode_options_should_convert_to_srgb(_ options: Object) -> Bool {
    unsafe read(options, DecodeOptionsObject.self, true) { $0.value.convertToSRGB }
}

@_cdecl("sdimage_decode_options_is_first_frame_only") @implementation
public func sdimage_decode_options_is_first_frame_only(_ options: Object) -> Bool {
    unsafe read(options, DecodeOptionsObject.self, false) { $0.value.firstFrameOnly }
}

@_cdecl("sdimage_decode_options_scale") @implementation
public func sdimage_decode_options_scale(_ options: Object) -> Double {
    unsafe read(options, DecodeOptionsObject.self, 1) { $0.value.scale ?? 1 }
}

@_cdecl("sdimage_decode_options_should_accept_partial") @implementation
public func sdimage_decode_options_should_accept_partial(_ options: Object) -> Bool {
    unsafe read(options, DecodeOptionsObject.self, false) { $0.value.acceptPartial }
}

@_cdecl("sdimage_decode_options_limit_bytes") @implementation
public func sdimage_decode_options_limit_bytes(_ options: Object) -> Int {
    unsafe read(options, DecodeOptionsObject.self, 0) { $0.value.limitBytes }
}

@_cdecl("sdimage_decode_options_set_options") @implementation
public func sdimage_decode_options_set_options(_ options: Object, _ values: Object) {
    unsafe Handle.find(options, as: DecodeOptionsObject.self)?.setValues(Handle.find(values, as: OptionsObject.self)?.value)
}

@_cdecl("sdimage_decode_options_options") @implementation
public func sdimage_decode_options_options(_ options: Object) -> Object {
    unsafe read(options, DecodeOptionsObject.self, nil) { unsafe Handle.lend($0.values) }
}

@_cdecl("sdimage_decode_options_max_pixels") @implementation
public func sdimage_decode_options_max_pixels(_ options: Object) -> UInt64 {
    unsafe read(options, DecodeOptionsObject.self, UInt64(DecodeLimits.standard.heldPixels)) { options in
        UInt64(clamping: options.value.limits.heldPixels)
    }
}

@_cdecl("sdimage_decode_options_max_bytes") @implementation
public func sdimage_decode_options_max_bytes(_ options: Object) -> Int {
    unsafe read(options, DecodeOptionsObject.self, DecodeLimits.standard.outputBytes) { $0.value.limits.outputBytes }
}

@_cdecl("sdimage_decode_options_max_work_ms") @implementation
public func sdimage_decode_options_max_work_ms(_ options: Object) -> UInt32 {
    let standard = UInt32(clamping: DecodeLimits.standard.workNanoseconds / 1_000_000)
    return unsafe read(options, DecodeOptionsObject.self, standard) { options in
        UInt32(clamping: max(1, options.value.limits.workNanoseconds / 1_000_000))
    }
}

@_cdecl("sdimage_work_budget_check") @implementation
public func sdimage_work_budget_check(_ budget: Object) -> sdimage_status {
    attempt(nil) { () throws(ImageError) in
        guard unsafe budget != nil else { return }
        try (unsafe try Handle.borrow(budget, as: WorkBudget.self)).check()
    }
}

@_cdecl("sdimage_work_budget_spend") @implementation
public func sdimage_work_budget_spend(_ budget: Object, _ bytes: Int) -> sdimage_status {
    attempt(nil) { () throws(ImageError) in
        guard unsafe budget != nil else { return }
        try (unsafe try Handle.borrow(budget, as: WorkBudget.self)).spend(bytes)
    }
}

@_cdecl("sdimage_work_budget_remaining_ms") @implementation
public func sdimage_work_budget_remaining_ms(_ budget: Object) -> UInt32 {
    unsafe read(budget, WorkBudget.self, .max) { $0.remainingMilliseconds }
}

@_cdecl("sdimage_decode_options_work_budget") @implementation
public func sdimage_decode_options_work_budget(_ options: Object) -> Object {
    unsafe Handle.lend(unsafe Handle.find(options, as: DecodeOptionsObject.self)?.budget)
}
