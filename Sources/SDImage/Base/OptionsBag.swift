/// String-keyed values passed unchanged from the host to hooks, custom loaders, caches, coders and plug-ins. The core never
/// reads them.
package struct OptionsBag: Sendable {
    /// The types of the C interface.
    package enum Value: Sendable {
        case string(CString)
        case int64(Int64)
        case double(Double)
        case bool(Bool)
        case data(Bytes)
        case pointer(OpaqueValue)
    }

    /// Names are bytes, as given by the host.
    private var values: [[UInt8]: Value] = [:]

    package init() {}

    package var count: Int { values.count }

    /// The values that keep their meaning in another process: all but pointers.
    package var portable: [(key: [UInt8], value: Value)] {
        values.filter { if case .pointer = $0.value { false } else { true } }.map { ($0.key, $0.value) }
    }

    /// nil for a missing name; setting nil removes it.
    package subscript(key: [UInt8]) -> Value? {
        get { values[key] }
        set { values[key] = newValue }
    }
}

/// Immutable options, compared by identity.
/// The values may be pointers of the host, for which no other equality is meaningful.
package final class FrozenOptions: Sendable, Hashable {
    package let bag: OptionsBag

    package init(_ bag: OptionsBag) { self.bag = bag }

    package static func == (a: FrozenOptions, b: FrozenOptions) -> Bool { a === b }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Pointer of the host, which the library never dereferences; its destructor runs when the last reference is released.
/// An address, because pointers are not `Sendable`.
package final class OpaqueValue: Sendable {
    package let address: UInt
    private let release: @Sendable () -> Void

    package init(address: UInt, release: @escaping @Sendable () -> Void) {
        self.address = address
        self.release = release
    }

    deinit { release() }
}
