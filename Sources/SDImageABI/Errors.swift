import CSDImage
import SDImage

/// Runs the body of a fallible C function. Its error becomes the status, and an error object if the caller requested one.
func attempt(_ error: ObjectOut, _ body: () throws(ImageError) -> Void) -> sdimage_status {
    unsafe attemptNote(error) { () throws(ImageError) in
        try body()
        return .SDIMAGE_STATUS_OK
    }
}

/// The same for a function that may also return a note as its status.
func attemptNote(_ error: ObjectOut, _ body: () throws(ImageError) -> sdimage_status) -> sdimage_status {
    do throws(ImageError) {
        return try body()
    } catch let failure {
        if let error = unsafe error { unsafe error.pointee = Handle.own(failure) }
        return failure.status.code
    }
}

/// Runs a setter on a single-owner object; does nothing for objects of another kind.
func change<T>(_ pointer: Object, _ type: Box<T>.Type, _ body: (inout T) -> Void) {
    if let box = unsafe Handle.find(pointer, as: type) { body(&box.value) }
}

/// Runs a getter; returns `neutral` for NULL and for objects of another kind.
func read<T: AnyObject, R>(_ pointer: Object, _ type: T.Type, _ neutral: R, _ body: (T) -> R) -> R {
    guard let object = unsafe Handle.find(pointer, as: type) else { return neutral }
    return body(object)
}

/// Stores an object for the caller, which owns it.
func give(_ object: AnyObject, _ out: ObjectOut) throws(ImageError) {
    guard let out = unsafe out else { throw ImageError(.invalidArgument, "argument: no place to store the result") }
    if Engine.isForked, Handle.needsEngine(type(of: object)) { throw .forked }
    unsafe out.pointee = Handle.own(object)
}

/// Throws before any work is done if there is nowhere to store its result.
func requireResult(_ out: ObjectOut) throws(ImageError) {
    if unsafe out == nil { throw ImageError(.invalidArgument, "argument: no place to store the result") }
}

extension Status {
    /// The same number as a C enum value.
    var code: sdimage_status { sdimage_status(rawValue: rawValue) ?? .SDIMAGE_STATUS_INTERNAL_ERROR }
}

extension ImageError {
    /// The error for a status that a function of the host returned, and for the error object that it may have stored.
    static func foreign(_ status: sdimage_status, _ stored: Object) -> ImageError {
        if let error = unsafe Handle.find(stored, as: ImageError.self) { return error }
        let known = Status(rawValue: status.rawValue) ?? .internalError
        return ImageError(known.rawValue < 0 ? known : .internalError, "callback: error status without an error object")
    }
}
