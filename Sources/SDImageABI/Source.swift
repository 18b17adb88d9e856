import CSDImage
import SDImage
import SDImageHost

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

@_cdecl("sdimage_source_new_custom") @implementation
public func sdimage_source_new_custom(
    _ vtable: UnsafePointer<sdimage_source_vtable>?, _ length: UInt64, _ userData: UserData,
    _ destroy: sdimage_destroy_fn?, _ source: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    return unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(source)
        unsafe try give(SourceObject(try ForeignSource(vtable, length: length, foreign)), source)
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
            throw ImageError(.invalidArgument, "source: NULL buffer or invalid length")
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
