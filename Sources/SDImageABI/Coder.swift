import CSDImage
import Glibc
import SDImage

/// A coder as seen from C, with a name that can be lent.
final class CoderObject: Sendable {
    let coder: any ImageCoder
    let name: CString

    init(_ coder: any ImageCoder) {
        self.coder = coder
        name = CString(coder.name)
    }
}

/// The caller's bytes, borrowed for the duration of a call.
func callersBytes(_ bytes: UnsafeRawPointer?, _ length: Int) throws(ImageError) -> Bytes {
    let view = unsafe try Input.content(bytes, length)
    return unsafe Bytes(lending: view.baseAddress, count: view.count)
}

extension Image {
    /// The image without references into the bytes it was decoded from: they belong to the caller and are valid during the call
    /// only.
    fileprivate func detached() throws(ImageError) -> Image {
        guard let profile = metadata.colorProfile else { return self }
        var metadata = metadata
        metadata.colorProfile = try profile.copiedIfLent()
        return with(metadata)
    }
}

/// Decodes the caller's bytes.
func decodeCallersBytes(
    _ bytes: UnsafeRawPointer?, _ length: Int, _ options: DecodeOptions, _ registry: CoderRegistry
) throws(ImageError) -> Image {
    let bytes = unsafe try callersBytes(bytes, length)
    return try registry.decode(bytes, options: options, stop: StopSignal()).detached()
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
        unsafe try requireResult(image)
        let options = unsafe try decodeOptions(options)
        unsafe try give(try decodeCallersBytes(bytes, length, options, Defaults.coders), image)
    }
}

@_cdecl("sdimage_decode_file") @implementation
public func sdimage_decode_file(_ path: Text, _ options: Object, _ image: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(image)
        var options = unsafe try decodeOptions(options)
        let path = unsafe Input.name(path)
        guard !path.isEmpty else { throw ImageError(.invalidArgument, "file: path is empty") }
        options.scale = options.scale ?? FileScale.of(String(decoding: path, as: UTF8.self))
        let bytes = try FileLoader.read(path, limit: DecodeLimits.standard.workingBytes)
        unsafe try give(try Defaults.coders.decode(bytes, options: options, stop: StopSignal()), image)
    }
}

@_cdecl("sdimage_info") @implementation
public func sdimage_info(_ bytes: UnsafeRawPointer?, _ length: Int, _ json: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(json)
        let info = unsafe try Defaults.coders.info(try callersBytes(bytes, length))
        unsafe try give(try Report.info(info).bytes(), json)
    }
}

@_cdecl("sdimage_read_metadata") @implementation
public func sdimage_read_metadata(
    _ bytes: UnsafeRawPointer?, _ length: Int, _ kind: sdimage_metadata_kind, _ data: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(data)
        let info = unsafe try Defaults.coders.info(try callersBytes(bytes, length))
        guard let block = try info.block(kind) else { throw ImageError(.notFound, "image: no such metadata") }
        unsafe try give(try block.copiedIfLent(), data)
    }
}

extension ImageInfo {
    fileprivate func block(_ kind: sdimage_metadata_kind) throws(ImageError) -> Bytes? {
        switch kind {
        case .SDIMAGE_METADATA_KIND_EXIF: exif
        case .SDIMAGE_METADATA_KIND_XMP: xmp
        case .SDIMAGE_METADATA_KIND_ICC: colorProfile
        @unknown default: throw ImageError(.invalidArgument, "image: unknown metadata kind \(kind.rawValue)")
        }
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

@_cdecl("sdimage_coder_registered") @implementation
public func sdimage_coder_registered(_ index: Int, _ coder: ObjectOut, _ error: ObjectOut) -> sdimage_status {
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
    guard let bytes = unsafe try? callersBytes(bytes, length) else { return false }
    return Defaults.coders.canDecode(bytes)
}

@_cdecl("sdimage_can_encode") @implementation
public func sdimage_can_encode(_ format: sdimage_format) -> Bool {
    Defaults.coders.canEncode(ImageFormat(rawValue: format.rawValue) ?? .undefined)
}

@_cdecl("sdimage_default_limit_bytes") @implementation
public func sdimage_default_limit_bytes() -> Int { Defaults.limitBytes.load(ordering: .relaxed) }

@_cdecl("sdimage_set_default_limit_bytes") @implementation
public func sdimage_set_default_limit_bytes(_ bytes: Int) {
    if bytes >= 4 { Defaults.limitBytes.store(bytes, ordering: .relaxed) }
}
