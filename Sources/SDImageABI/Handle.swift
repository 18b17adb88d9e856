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
enum Handle {
    /// Returns a pointer with one reference, which the caller owns.
    static func own(_ object: AnyObject) -> Object {
        let pointer = unsafe OpaquePointer(Unmanaged.passRetained(object).toOpaque())
        #if DEBUG
            unsafe FreedHandles.remove(pointer)
        #endif
        return unsafe pointer
    }

    /// Returns a pointer without a reference: valid as long as the owner of `object` holds it.
    static func lend(_ object: AnyObject?) -> Object {
        guard let object else { return nil }
        let pointer = unsafe OpaquePointer(Unmanaged.passUnretained(object).toOpaque())
        #if DEBUG
            unsafe FreedHandles.remove(pointer)
        #endif
        return unsafe pointer
    }

    /// The object behind a pointer; throws for NULL, for objects of another kind, in a forked child for objects that need the
    /// engine, and in debug builds for freed handles.
    static func borrow<T: AnyObject>(_ pointer: Object, as type: T.Type) throws(ImageError) -> T {
        guard let pointer = unsafe pointer else {
            throw ImageError(.invalidArgument, "argument: object is NULL, expected \(type)")
        }
        if csys_is_forked(), needsEngine(type) { throw .forked }
        guard let object = unsafe peek(pointer, as: type) else {
            throw ImageError(.badHandle, "argument: object has another type, expected \(type)")
        }
        return object
    }

    /// The object behind a pointer; nil for NULL and for objects of another kind.
    static func find<T: AnyObject>(_ pointer: Object, as type: T.Type) -> T? {
        guard let pointer = unsafe pointer, !csys_is_forked() || !needsEngine(type) else { return nil }
        return unsafe peek(pointer, as: type)
    }

    /// Returns the result of `body` for the object behind a pointer, without counting a reference to it: threads that use one
    /// object at a time do not contend for its counter. nil for NULL and for objects of another kind.
    @inline(__always)
    static func using<T: AnyObject, R>(_ pointer: Object, as type: T.Type, _ body: (T) -> R?) -> R? {
        guard let pointer = unsafe pointer, !csys_is_forked() || !needsEngine(type), unsafe isValid(pointer, as: type) else {
            return nil
        }
        return unsafe Unmanaged<T>.fromOpaque(UnsafeRawPointer(pointer))._withUnsafeGuaranteedRef(body)
    }

    /// Adds a reference; nil, without one, for objects that are no `T`.
    static func ref<T: AnyObject>(_ pointer: Object, as type: T.Type) -> Object {
        guard let object = unsafe find(pointer, as: type) else { return nil }
        return unsafe own(object)
    }

    /// Releases a reference. Does nothing for NULL, for objects that are no `T`, and in a forked child for objects whose
    /// release would take locks.
    static func unref<T: AnyObject>(_ pointer: Object, as type: T.Type) {
        guard let pointer = unsafe pointer, !csys_is_forked() || !needsEngine(type) && !holdsEngine(type),
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

    /// True for objects that depend on the engine's threads and locks, which a forked child does not have.
    static func needsEngine(_ type: AnyObject.Type) -> Bool {
        type == ManagerObject.self || type == CacheObject.self || type == LoaderObject.self || type == DispatcherObject.self
            || type == LoadTask.self || type == LoadSink.self || type == Reply.self || type == PrefetcherObject.self
            || type == PrefetchGroup.self || type == TargetObject.self || type == ProgressCounter.self
            || type == AnimationPlayer.self || type == AnimatedView.self || type == Resources.self
    }

    /// True for objects that refer to such objects.
    static func holdsEngine(_ type: AnyObject.Type) -> Bool {
        type == RequestObject.self || type == ManagerConfigObject.self || type == LoadEvent.self
            || type == TargetOptionsObject.self || type == BatchOptionsObject.self
    }

    private static func peek<T: AnyObject>(_ pointer: OpaquePointer, as type: T.Type) -> T? {
        guard unsafe isValid(pointer, as: type) else { return nil }
        return unsafe Unmanaged<T>.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue()
    }

    private static func isValid<T: AnyObject>(_ pointer: OpaquePointer, as type: T.Type) -> Bool {
        let raw = unsafe UnsafeRawPointer(pointer)
        #if DEBUG
            if unsafe FreedHandles.contains(pointer) { return false }
        #endif
        return unsafe UInt(bitPattern: raw) % UInt(MemoryLayout<UInt>.alignment) == 0
            && raw.load(as: UInt.self) == unsafeBitCast(type, to: UInt.self)
    }
}

/// A value that C code builds up with setters, behind a reference. Single-owner: not locked.
final class Box<Value>: @unchecked Sendable {
    // Unchecked: single-owner objects are used by one thread at a time, a rule of the header that the caller observes.
    var value: Value
    /// The budget of the operation for which the options were made; nil for options made by the host.
    let budget: WorkBudget?

    convenience init(_ value: Value) { self.init(value, budget: nil) }

    init(_ value: Value, budget: WorkBudget?) {
        self.value = value
        self.budget = budget
    }
}
