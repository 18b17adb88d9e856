import CSDImage
import CSystem
import SDImage

/// A pointer to one of the library's objects, as C passes it; nil for NULL.
public typealias Object = OpaquePointer?
/// Storage for an object returned to the caller; nil for NULL.
public typealias ObjectOut = UnsafeMutablePointer<OpaquePointer?>?
/// Text up to its NUL; nil for NULL.
public typealias Text = UnsafePointer<CChar>?
/// A pointer of the host.
public typealias UserData = UnsafeMutableRawPointer?

/// The only place that converts between objects and pointers.
///
/// All opaque C structs arrive as `OpaquePointer`; the first word of the object, its class, identifies its kind.
@usableFromInline package enum Handle {
    /// Returns a pointer with one reference, which the caller owns.
    @inlinable
    package static func own(_ object: some HandleObject) -> Object {
        let pointer = unsafe OpaquePointer(Unmanaged.passRetained(object).toOpaque())
        #if DEBUG
            unsafe FreedHandles.remove(pointer)
        #endif
        return unsafe pointer
    }

    /// Returns a pointer without a reference: valid as long as the owner of `object` holds it.
    @inlinable
    package static func lend(_ object: (some HandleObject)?) -> Object {
        guard let object else { return nil }
        let pointer = unsafe OpaquePointer(Unmanaged.passUnretained(object).toOpaque())
        #if DEBUG
            unsafe FreedHandles.remove(pointer)
        #endif
        return unsafe pointer
    }

    /// The object behind a pointer; throws for NULL, for objects of another kind, in a forked child for objects that need the
    /// engine, and in debug builds for freed handles.
    @inlinable
    package static func borrow<T: HandleObject>(_ pointer: Object, as type: T.Type) throws(ImageError) -> T {
        guard let pointer = unsafe pointer else { throw missing(type) }
        // Comes before all uses of `type`: in a child, the class may be one whose first use in the parent never ends.
        if csys_is_forked(), T.forkRule == .refused { throw forked }
        guard let object = unsafe peek(pointer, as: type) else { throw unexpected(type) }
        return object
    }

    // The errors are made here, where the message is no part of every caller.

    @usableFromInline static var forked: ImageError { .forked }

    @usableFromInline
    static func missing(_ type: AnyObject.Type) -> ImageError {
        ImageError(.invalidArgument, "argument: object is NULL, expected \(type)")
    }

    @usableFromInline
    static func unexpected(_ type: AnyObject.Type) -> ImageError {
        ImageError(.badHandle, "argument: object has another type, expected \(type)")
    }

    /// The object behind a pointer; nil for NULL and for objects of another kind.
    @inlinable
    package static func find<T: HandleObject>(_ pointer: Object, as type: T.Type) -> T? {
        guard let pointer = unsafe pointer, !csys_is_forked() || T.forkRule != .refused else { return nil }
        return unsafe peek(pointer, as: type)
    }

    /// Returns the result of `body` for the object behind a pointer, without counting a reference to it: threads that use one
    /// object at a time do not contend for its counter. nil for NULL and for objects of another kind.
    ///
    /// `_withUnsafeGuaranteedRef` instead of a counted reference: `sdimage_cache_get_memory_image` takes 31 instead of 44 ns,
    /// `sdimage_manager_load` for hits of two threads in one manager 331 instead of 350 ns (AMD EPYC, two cores).
    @inlinable @inline(__always)
    package static func using<T: HandleObject, R>(_ pointer: Object, as type: T.Type, _ body: (T) -> R?) -> R? {
        guard let pointer = unsafe pointer, !csys_is_forked() || T.forkRule != .refused, unsafe isValid(pointer, as: type) else {
            return nil
        }
        return unsafe Unmanaged<T>.fromOpaque(UnsafeRawPointer(pointer))._withUnsafeGuaranteedRef(body)
    }

    /// Adds a reference; nil, without one, for objects that are no `T`.
    @inlinable
    package static func ref<T: HandleObject>(_ pointer: Object, as type: T.Type) -> Object {
        guard let object = unsafe find(pointer, as: type) else { return nil }
        return unsafe own(object)
    }

    /// Releases a reference. Does nothing for NULL, for objects that are no `T`, and in a forked child for objects whose
    /// release would take locks.
    @inlinable
    package static func unref<T: HandleObject>(_ pointer: Object, as type: T.Type) {
        guard let pointer = unsafe pointer, !csys_is_forked() || T.forkRule == .usable,
            unsafe peek(pointer, as: type) != nil
        else { return }
        #if DEBUG
            // The last reference of all: from here on the pointer is invalid. Recorded before the memory can be used again.
            var object: T? = unsafe Unmanaged<T>.fromOpaque(UnsafeRawPointer(pointer)).takeRetainedValue()
            if isKnownUniquelyReferenced(&object) { unsafe FreedHandles.insert(pointer) }
            object = nil
        #else
            unsafe Unmanaged<T>.fromOpaque(UnsafeRawPointer(pointer)).release()
        #endif
    }

    @inlinable
    package static func peek<T: HandleObject>(_ pointer: OpaquePointer, as type: T.Type) -> T? {
        guard unsafe isValid(pointer, as: type) else { return nil }
        return unsafe Unmanaged<T>.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue()
    }

    /// Compares the class, so that an object of another kind is an error. With and without it, `sdimage_image_width` takes 14.0
    /// and 13.4 ns, `sdimage_manager_load` for a hit in memory 388 and 379 ns (AMD EPYC).
    @inlinable @inline(__always)
    package static func isValid<T: HandleObject>(_ pointer: OpaquePointer, as type: T.Type) -> Bool {
        let raw = unsafe UnsafeRawPointer(pointer)
        #if DEBUG
            if unsafe FreedHandles.contains(pointer) { return false }
        #endif
        return unsafe UInt(bitPattern: raw) % UInt(MemoryLayout<UInt>.alignment) == 0
            && raw.load(as: UInt.self) == unsafeBitCast(type, to: UInt.self)
    }
}
