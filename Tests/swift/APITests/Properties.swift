import CSDImage
import Foundation
import Testing

/// Expects that a property has a value initially, and each of the others after it was set.
func expectProperty<Value: Equatable>(
    _ object: Owned, _ set: (OpaquePointer?, Value) -> Void, _ get: (OpaquePointer?) -> Value, _ initial: Value,
    _ values: Value..., at location: SourceLocation = #_sourceLocation
) {
    #expect(get(object.pointer) == initial, sourceLocation: location)
    for value in values {
        set(object.pointer, value)
        #expect(get(object.pointer) == value, sourceLocation: location)
    }
    // NULL is no object: the neutral value, and no crash.
    set(nil, initial)
    _ = get(nil)
}

/// The same for a property of which 0 restores the initial value.
func expectRestorable<Value: Equatable & ExpressibleByIntegerLiteral>(
    _ object: Owned, _ set: (OpaquePointer?, Value) -> Void, _ get: (OpaquePointer?) -> Value, _ initial: Value,
    _ value: Value, at location: SourceLocation = #_sourceLocation
) {
    expectProperty(object, set, get, initial, value, at: location)
    set(object.pointer, 0)
    #expect(get(object.pointer) == initial, sourceLocation: location)
}

/// Expects that a text is lent, and stays valid until it is replaced.
func expectText(
    _ object: Owned, _ set: (OpaquePointer?, UnsafePointer<CChar>?) -> Void,
    _ get: (OpaquePointer?) -> UnsafePointer<CChar>?, _ initial: String?, at location: SourceLocation = #_sourceLocation
) {
    #expect(text(get(object.pointer)) == initial, sourceLocation: location)
    set(object.pointer, "one")
    let first = get(object.pointer)
    #expect(text(first) == "one", sourceLocation: location)
    #expect(get(object.pointer) == first, "the same text as before", sourceLocation: location)
    set(object.pointer, "two")
    #expect(text(get(object.pointer)) == "two", sourceLocation: location)
    set(object.pointer, nil)
    #expect(text(get(object.pointer)) == initial, sourceLocation: location)
}

func text(_ pointer: UnsafePointer<CChar>?) -> String? { pointer.map { String(cString: $0) } }

/// The object that a getter stores; nil for NULL. `isSet` is the result of a getter that tells if the property is set.
func stored(
    _ release: @escaping (OpaquePointer?) -> Void, _ get: (UnsafeMutablePointer<OpaquePointer?>?) -> Void
) -> Owned? {
    var object: OpaquePointer?
    get(&object)
    get(nil)
    return object.map { Owned($0) { release($0) } }
}

extension sdimage_size: @retroactive Equatable {
    public static func == (one: sdimage_size, other: sdimage_size) -> Bool {
        one.width == other.width && one.height == other.height
    }
}

extension sdimage_color: @retroactive Equatable {
    public static func == (one: sdimage_color, other: sdimage_color) -> Bool {
        (one.red, one.green, one.blue, one.alpha) == (other.red, other.green, other.blue, other.alpha)
    }
}
