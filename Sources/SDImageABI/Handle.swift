import CSDImage
import CSystem
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
    static func own(_ object: AnyObject) -> Object {
        let pointer = unsafe OpaquePointer(Unmanaged.passRetained(object).toOpaque())
        #if DEBUG
            unsafe FreedHandles.remove(pointer)
        #endif
        return unsafe pointer
    }

    /// No reference: lives as long as whatever holds `object`.
    static func lend(_ object: AnyObject?) -> Object {
        guard let object else { return nil }
        let pointer = unsafe OpaquePointer(Unmanaged.passUnretained(object).toOpaque())
        #if DEBUG
            unsafe FreedHandles.remove(pointer)
        #endif
        return unsafe pointer
    }

    /// The object behind a pointer, or why it is none.
    static func borrow<T: AnyObject>(_ pointer: Object, as type: T.Type) throws(ImageError) -> T {
        guard let pointer = unsafe pointer else { throw ImageError(.invalidArgument, "NULL where an object is required") }
        if csys_is_forked(), needsEngine(type) { throw .forked }
        guard let object = unsafe peek(pointer, as: type) else {
            throw ImageError(.badHandle, "an object of another kind where \(type) is required")
        }
        return object
    }

    /// The object behind a pointer; nil for NULL and for objects of another kind.
    static func find<T: AnyObject>(_ pointer: Object, as type: T.Type) -> T? {
        guard let pointer = unsafe pointer, !csys_is_forked() || !needsEngine(type) else { return nil }
        return unsafe peek(pointer, as: type)
    }

    /// What `body` makes of the object behind a pointer, without counting a reference for it: threads that use one object
    /// at a time do not wait for its counter. nil for NULL and for objects of another kind.
    @inline(__always)
    static func using<T: AnyObject, R>(_ pointer: Object, as type: T.Type, _ body: (T) -> R?) -> R? {
        guard let pointer = unsafe pointer, !csys_is_forked() || !needsEngine(type), unsafe isValid(pointer, as: type) else {
            return nil
        }
        return unsafe Unmanaged<T>.fromOpaque(UnsafeRawPointer(pointer))._withUnsafeGuaranteedRef(body)
    }

    /// One more reference; nil, and none, for what is not a `T`.
    static func ref<T: AnyObject>(_ pointer: Object, as type: T.Type) -> Object {
        guard let object = unsafe find(pointer, as: type) else { return nil }
        return unsafe own(object)
    }

    /// Takes a reference back; does nothing for NULL, for what is not a `T`, and in a forked child for what would take
    /// locks on its way out.
    static func unref<T: AnyObject>(_ pointer: Object, as type: T.Type) {
        guard let pointer = unsafe pointer, !csys_is_forked() || !needsEngine(type) && !holdsEngine(type),
            unsafe peek(pointer, as: type) != nil
        else { return }
        #if DEBUG
            // The last reference of all: from here on the pointer is nobody's. Noted before the memory can be used again.
            var object: T? = unsafe Unmanaged<T>.fromOpaque(UnsafeRawPointer(pointer)).takeRetainedValue()
            if isKnownUniquelyReferenced(&object) { unsafe FreedHandles.insert(pointer) }
            object = nil
        #else
            unsafe Unmanaged<T>.fromOpaque(UnsafeRawPointer(pointer)).release()
        #endif
    }

    /// Objects that live by the engine's threads and locks, which a forked child does not have.
    static func needsEngine(_ type: AnyObject.Type) -> Bool {
        type == ManagerObject.self || type == CacheObject.self || type == LoaderObject.self || type == DispatcherObject.self
            || type == LoadTask.self || type == LoadSink.self || type == Reply.self || type == PrefetcherObject.self
            || type == PrefetchGroup.self || type == TargetObject.self || type == ProgressCounter.self
            || type == AnimationPlayer.self || type == AnimatedView.self || type == Resources.self
    }

    /// Objects that refer to such objects.
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
    // Unchecked: the header's rule for single-owner objects, one thread at a time, is the caller's to keep.
    var value: Value
    /// Of the operation that options were made for; nil for what the host made.
    let budget: WorkBudget?

    convenience init(_ value: Value) { self.init(value, budget: nil) }

    init(_ value: Value, budget: WorkBudget?) {
        self.value = value
        self.budget = budget
    }
}
