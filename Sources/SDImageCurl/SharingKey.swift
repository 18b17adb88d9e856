/// Unambiguous encoding of a list of numbers and texts: different lists give different bytes.
struct SharingKey {
    private(set) var bytes: [UInt8] = []

    init(bytes: [UInt8]) { self.bytes = bytes }

    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    mutating func append(_ number: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    /// Appends the text, preceded by its length.
    mutating func append(_ text: ArraySlice<UInt8>) {
        append(UInt64(text.count))
        bytes += text
    }

    mutating func append(_ text: [UInt8]) { append(text[...]) }
}
