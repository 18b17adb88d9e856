/// One field of a request or response (RFC 9110, section 5).
/// Values are kept as received, apart from white space at the ends.
package struct HeaderField: Hashable, Sendable {
    /// As received or as given by the host; compare with `isNamed`.
    package var name: String
    package var value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// Compares names without regard to case (RFC 9110, section 5.1).
    package func isNamed(_ other: String) -> Bool {
        name == other
            || name.utf8.count == other.utf8.count
                && zip(name.utf8, other.utf8).allSatisfy { Byte.lowercased($0) == Byte.lowercased($1) }
    }
}

/// Fields of a message in their order.
extension [HeaderField] {
    /// Each of `fields` replaces all fields of its name.
    package mutating func replace(by fields: [HeaderField]) {
        removeAll { old in fields.contains { $0.isNamed(old.name) } }
        self += fields
    }
}
