import Synchronization

/// Numbers that identify objects in keys. Unlike an address, a number is never reused for a later object.
/// Loaders and hooks have numbers in the keys of loads: an object that reuses an address must not match an old key.
package enum UniqueNumber {
    /// The last number that was given.
    private static let last = Atomic<UInt64>(0)

    /// The first number is 1.
    package static func next() -> UInt64 { last.wrappingAdd(1, ordering: .relaxed).newValue }
}
