import CSDImage
import CSystem
import SDImage

/// Runs the body of a fallible C function. Its error becomes the status, and an error object if the caller requested one.
@inlinable
package func attempt(_ error: ObjectOut, _ body: () throws(ImageError) -> Void) -> sdimage_status {
    unsafe attemptNote(error) { () throws(ImageError) in
        try body()
        return .SDIMAGE_STATUS_OK
    }
}

/// The same for a function that may also return a note as its status.
@inlinable
package func attemptNote(_ out: ObjectOut, _ body: () throws(ImageError) -> sdimage_status) -> sdimage_status {
    do throws(ImageError) {
        return try body()
    } catch {
        return unsafe store(error: error, out)
    }
}

/// Stores an error for the caller, if one was requested.
@usableFromInline
func store(error failure: ImageError, _ out: ObjectOut) -> sdimage_status {
    if let out = unsafe out { unsafe out.pointee = Handle.own(failure) }
    return failure.status.code
}

/// Runs a setter on a single-owner object; does nothing for objects of another kind.
@inlinable
package func change<T: ForkRuled>(_ pointer: Object, _ type: Box<T>.Type, _ body: (inout T) -> Void) {
    if let box = unsafe Handle.find(pointer, as: type) { box.change(body) }
}

/// Runs a getter; returns `neutral` for NULL and for objects of another kind.
@inlinable
package func read<T: HandleObject, R>(_ pointer: Object, _ type: T.Type, _ neutral: R, _ body: (T) -> R) -> R {
    guard let object = unsafe Handle.find(pointer, as: type) else { return neutral }
    return body(object)
}

/// Stores an object for the caller, which owns it.
@inlinable
package func give<T: HandleObject>(_ object: T, _ out: ObjectOut) throws(ImageError) {
    guard let destination = unsafe out, !csys_is_forked() || T.forkRule != .refused else { throw unsafe refusal(out) }
    unsafe destination.pointee = Handle.own(object)
}

/// The error for an object that cannot be stored.
@usableFromInline
func refusal(_ out: ObjectOut) -> ImageError {
    unsafe out == nil ? ImageError(.invalidArgument, "argument: no place to store the result") : .forked
}

/// Throws before any work is done if there is nowhere to store its result.
package func requireResult(_ out: ObjectOut) throws(ImageError) {
    if unsafe out == nil { throw ImageError(.invalidArgument, "argument: no place to store the result") }
}

extension Status {
    /// The same number as a C enum value.
    package var code: sdimage_status { sdimage_status(rawValue: rawValue) ?? .SDIMAGE_STATUS_INTERNAL_ERROR }
}

extension ImageError {
    /// The error for a status that a function of the host returned, and for the error object that it may have stored.
    package static func foreign(_ status: sdimage_status, _ stored: Object) -> ImageError {
        if let error = unsafe Handle.find(stored, as: ImageError.self) { return error }
        // A host that returns a number without meaning, or one of success, has failed all the same.
        let known = Status(rawValue: status.rawValue) ?? .internalError
        return ImageError(known.rawValue < 0 ? known : .internalError, "callback: error status without an error object")
    }
}
