import CSDImage
import SDImage

/// A pointer to one of the library's objects, as C passes it; nil for NULL.
public typealias Object = OpaquePointer?
/// Where an object is stored for the caller; nil for NULL.
public typealias ObjectOut = UnsafeMutablePointer<OpaquePointer?>?
/// Text up to its NUL; nil for NULL.
public typealias Text = UnsafePointer<CChar>?
/// A pointer of the host.
public typealias UserData = UnsafeMutableRawPointer?

/// The only place where objects become pointers and pointers objects again.
///
/// All opaque C structs arrive as `OpaquePointer`; the first word of the object, its class, tells which kind it is.
enum Handle {
    /// One reference for the caller.
    static func own(_ object: AnyObject) -> Object { unsafe OpaquePointer(Unmanaged.passRetained(object).toOpaque()) }

    /// No reference: lives as long as whatever holds `object`.
    static func lend(_ object: AnyObject?) -> Object {
        unsafe object.map { unsafe OpaquePointer(Unmanaged.passUnretained($0).toOpaque()) } ?? nil
    }

    /// The object behind a pointer, or why it is none.
    static func borrow<T: AnyObject>(_ pointer: Object, as type: T.Type) throws(ImageError) -> T {
        guard let pointer = unsafe pointer else { throw ImageError(.invalidArgument, "NULL where an object is required") }
        guard let object = unsafe peek(pointer, as: type) else {
            throw ImageError(.badHandle, "an object of another kind where \(type) is required")
        }
        return object
    }

    /// The object behind a pointer; nil for NULL and for objects of another kind.
    static func find<T: AnyObject>(_ pointer: Object, as type: T.Type) -> T? {
        guard let pointer = unsafe pointer else { return nil }
        return unsafe peek(pointer, as: type)
    }

    /// One more reference; nil, and none, for what is not a `T`.
    static func ref<T: AnyObject>(_ pointer: Object, as type: T.Type) -> Object {
        guard let object = unsafe find(pointer, as: type) else { return nil }
        return unsafe own(object)
    }

    /// Takes a reference back; does nothing for NULL and for what is not a `T`.
    static func unref<T: AnyObject>(_ pointer: Object, as type: T.Type) {
        guard let pointer = unsafe pointer, unsafe peek(pointer, as: type) != nil else { return }
        unsafe Unmanaged<T>.fromOpaque(UnsafeRawPointer(pointer)).release()
    }

    private static func peek<T: AnyObject>(_ pointer: OpaquePointer, as type: T.Type) -> T? {
        let raw = unsafe UnsafeRawPointer(pointer)
        guard UInt(bitPattern: raw) % UInt(MemoryLayout<UInt>.alignment) == 0,
            unsafe raw.load(as: UInt.self) == unsafeBitCast(type, to: UInt.self)
        else { return nil }
        return unsafe Unmanaged<T>.fromOpaque(raw).takeUnretainedValue()
    }
}

/// A value that C code builds up with setters, behind a reference. Single-owner: not locked.
final class Box<Value>: @unchecked Sendable {
    // Unchecked: the header's rule for single-owner objects, one thread at a time, is the caller's to keep.
    var value: Value

    init(_ value: Value) { self.value = value }
}
