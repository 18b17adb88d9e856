/// Packed bit fields, each with its least significant bit first.
/// The bit order of ThumbHash, which alone uses it. A value is either written or read, from the first bit on.
struct BitRow: Sendable {
    private(set) var bytes: [UInt8]
    /// Position of the next bit; it may exceed the end after reads of damaged data.
    private var position = 0

    init(_ bytes: [UInt8] = []) { self.bytes = bytes }

    /// True if reads went past the end.
    var isExceeded: Bool { position > 8 * bytes.count }

    /// Appends the low `count` bits of a number.
    mutating func put(number: Int, _ count: Int) {
        for bit in 0..<count {
            if position % 8 == 0 { bytes.append(0) }
            if number >> bit & 1 == 1 { bytes[position / 8] |= 1 << UInt8(position % 8) }
            position += 1
        }
    }

    /// Writes a value from 0 to 1, rounded to the nearest number of `count` bits.
    mutating func put(_ value: Double, _ count: Int) {
        let top = Double(1 << count - 1)
        put(number: Int(saturating: (min(1, max(0, value)) * top).rounded()), count)
    }

    /// Reads `count` bits; bits past the end are zero.
    mutating func number(_ count: Int) -> Int {
        var number = 0
        for bit in 0..<count {
            if position < 8 * bytes.count, bytes[position / 8] >> UInt8(position % 8) & 1 == 1 { number |= 1 << bit }
            position += 1
        }
        return number
    }

    /// Reads `count` bits as a fraction of the largest value, from 0 to 1: the inverse of `put` with a value.
    mutating func unit(_ count: Int) -> Double { Double(number(count)) / Double(1 << count - 1) }
}
