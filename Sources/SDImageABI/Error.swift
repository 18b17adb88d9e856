// The functions of include/sdimage/error.h. `sdimage_error` is an `ImageError`.

import CSDImage
import SDImage
import SDImageHost

@_cdecl("sdimage_status_name") @implementation
public func sdimage_status_name(_ status: sdimage_status) -> Text {
    unsafe Names.status(status)
}

@_cdecl("sdimage_error_ref") @implementation
public func sdimage_error_ref(_ error: Object) -> Object {
    unsafe Handle.ref(error, as: ImageError.self)
}

@_cdecl("sdimage_error_unref") @implementation
public func sdimage_error_unref(_ error: Object) {
    unsafe Handle.unref(error, as: ImageError.self)
}

@_cdecl("sdimage_error_new") @implementation
public func sdimage_error_new(_ status: sdimage_status, _ message: Text) -> Object {
    let known = Status(rawValue: status.rawValue) ?? .internalError
    let line = unsafe (Input.text(message) ?? "").prefix { !$0.isNewline }
    return unsafe Handle.own(ImageError(known.rawValue < 0 ? known : .internalError, String(line)))
}

@_cdecl("sdimage_error_code") @implementation
public func sdimage_error_code(_ error: Object) -> sdimage_status {
    unsafe read(error, ImageError.self, .SDIMAGE_STATUS_OK) { $0.status.code }
}

@_cdecl("sdimage_error_message") @implementation
public func sdimage_error_message(_ error: Object) -> Text {
    unsafe read(error, ImageError.self, CString.empty.pointer) { unsafe $0.message.pointer }
}

@_cdecl("sdimage_error_http_status") @implementation
public func sdimage_error_http_status(_ error: Object) -> Int32 {
    unsafe read(error, ImageError.self, 0) { $0.httpStatus }
}

@_cdecl("sdimage_error_system_error") @implementation
public func sdimage_error_system_error(_ error: Object) -> Int32 {
    unsafe read(error, ImageError.self, 0) { $0.systemError }
}

@_cdecl("sdimage_error_library_code") @implementation
public func sdimage_error_library_code(_ error: Object) -> Int32 {
    unsafe read(error, ImageError.self, 0) { $0.libraryCode }
}

@_cdecl("sdimage_error_url") @implementation
public func sdimage_error_url(_ error: Object) -> Text {
    unsafe read(error, ImageError.self, CString.empty.pointer) { unsafe $0.url.pointer }
}

@_cdecl("sdimage_error_is_transient") @implementation
public func sdimage_error_is_transient(_ error: Object) -> Bool {
    unsafe read(error, ImageError.self, false) { $0.isTransient }
}
