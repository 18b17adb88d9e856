/// Unambiguous encoding of a list of numbers and texts: different lists give different bytes.
struct SharingKey {
    private(set) var bytes: [UInt8] = []

    init(bytes: [UInt8]) { self.bytes = bytes }

    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    /// Appends a number in groups of seven bits, the lowest first; all but the last are marked by the eighth bit (LEB128).
    mutating func append(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Appends the text, preceded by its length.
    mutating func append(_ text: ArraySlice<UInt8>) {
        append(UInt64(text.count))
        bytes += text
    }

    mutating func append(_ text: [UInt8]) { append(text[...]) }
}
