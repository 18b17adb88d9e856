import Synchronization

/// Numbers that identify objects in keys. Unlike an address, a number is never reused for a later object.
package enum UniqueNumber {
    private static let last = Atomic<UInt64>(0)

    package static func next() -> UInt64 { last.wrappingAdd(1, ordering: .relaxed).newValue }
}
