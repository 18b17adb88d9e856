import CSDImage
import SDImage

/// Runs the body of a fallible C function: its error becomes the status, and an object where the caller asked for one.
func attempt(_ error: ObjectOut, _ body: () throws(ImageError) -> Void) -> sdimage_status {
    unsafe attemptNote(error) { () throws(ImageError) in
        try body()
        return .SDIMAGE_STATUS_OK
    }
}

/// The same for a function that may also answer with a note.
func attemptNote(_ error: ObjectOut, _ body: () throws(ImageError) -> sdimage_status) -> sdimage_status {
    do throws(ImageError) {
        return try body()
    } catch let failure {
        if let error = unsafe error { unsafe error.pointee = Handle.own(failure) }
        return failure.status.code
    }
}

/// A setter on a single-owner object; what is no such object is left alone.
func change<T>(_ pointer: Object, _ type: Box<T>.Type, _ body: (inout T) -> Void) {
    if let box = unsafe Handle.find(pointer, as: type) { body(&box.value) }
}

/// A getter; `neutral` for NULL and for objects of another kind.
func read<T: AnyObject, R>(_ pointer: Object, _ type: T.Type, _ neutral: R, _ body: (T) -> R) -> R {
    guard let object = unsafe Handle.find(pointer, as: type) else { return neutral }
    return body(object)
}

/// Stores an object for the caller, who owns it.
func give(_ object: AnyObject, _ out: ObjectOut) throws(ImageError) {
    guard let out = unsafe out else { throw ImageError(.invalidArgument, "NULL where the result is to be stored") }
    if Engine.isForked, Handle.needsEngine(type(of: object)) { throw .forked }
    unsafe out.pointee = Handle.own(object)
}

/// Throws before any work is done when there is nowhere to store its result.
func requirePlace(_ out: ObjectOut) throws(ImageError) {
    if unsafe out == nil { throw ImageError(.invalidArgument, "NULL where the result is to be stored") }
}

extension Status {
    /// The same number as C knows it.
    var code: sdimage_status { sdimage_status(rawValue: rawValue) ?? .SDIMAGE_STATUS_INTERNAL_ERROR }
}

extension ImageError {
    /// From a status that a function of the host returned, and the error that it may have stored.
    static func foreign(_ status: sdimage_status, _ stored: Object) -> ImageError {
        if let error = unsafe Handle.find(stored, as: ImageError.self) { return error }
        let known = Status(rawValue: status.rawValue) ?? .internalError
        return ImageError(known.rawValue < 0 ? known : .internalError, "reported by a function of the host")
    }
}
