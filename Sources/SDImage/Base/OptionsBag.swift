/// String-keyed values that travel untouched from the host to hooks, custom loaders, caches, coders and plug-ins
///. The core itself never reads them.
package struct OptionsBag: Sendable {
    package enum Value: Sendable {
        case string(CString)
        case int64(Int64)
        case double(Double)
        case bool(Bool)
        case data(Bytes)
        case pointer(OpaqueValue)
    }

    private var values: [[UInt8]: Value] = [:]

    package init() {}

    package var count: Int { values.count }

    package subscript(key: [UInt8]) -> Value? {
        get { values[key] }
        set { values[key] = newValue }
    }
}

/// A bag that no longer changes, on its way through the layers. Equal to itself only.
package final class FrozenOptions: Sendable, Hashable {
    package let bag: OptionsBag

    package init(_ bag: OptionsBag) { self.bag = bag }

    package static func == (a: FrozenOptions, b: FrozenOptions) -> Bool { a === b }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A pointer of the host that the library carries and never looks at; its owner's destructor runs with the last copy.
package final class OpaqueValue: Sendable {
    package let address: UInt
    private let release: @Sendable () -> Void

    package init(address: UInt, release: @escaping @Sendable () -> Void) {
        self.address = address
        self.release = release
    }

    deinit { release() }
}
