/// Bounds-checked reading of untrusted bytes: a read past the end returns nil and does not move the offset.
/// Integers are unsigned; parsers of formats and of the cache's files build on it.
package struct ByteReader {
    private let bytes: Bytes
    package private(set) var offset = 0

    package init(_ bytes: Bytes) { self.bytes = bytes }

    package var count: Int { bytes.count }
    package var remaining: Int { bytes.count - offset }

    /// Moves to an absolute offset; false, without a move, if it is out of range.
    @discardableResult
    package mutating func seek(to position: Int) -> Bool {
        guard position >= 0, position <= bytes.count else { return false }
        offset = position
        return true
    }

    @discardableResult
    package mutating func skip(_ distance: Int) -> Bool {
        guard distance >= 0, distance <= remaining else { return false }
        offset += distance
        return true
    }

    /// The byte at an absolute offset.
    package func byte(at position: Int) -> UInt8? {
        guard position >= 0, position < bytes.count, let base = unsafe bytes.pointer else { return nil }
        return unsafe base.load(fromByteOffset: position, as: UInt8.self)
    }

    package mutating func u8() -> UInt8? {
        guard let value = byte(at: offset) else { return nil }
        offset += 1
        return value
    }

    package mutating func u16(bigEndian: Bool) -> UInt16? {
        guard remaining >= 2, let a = byte(at: offset), let b = byte(at: offset + 1) else { return nil }
        offset += 2
        return bigEndian ? UInt16(a) << 8 | UInt16(b) : UInt16(b) << 8 | UInt16(a)
    }

    package mutating func u32(bigEndian: Bool) -> UInt32? {
        guard remaining >= 4, let high = u16(bigEndian: bigEndian), let low = u16(bigEndian: bigEndian) else { return nil }
        return bigEndian ? UInt32(high) << 16 | UInt32(low) : UInt32(low) << 16 | UInt32(high)
    }

    /// True if the bytes at an absolute offset are exactly `pattern`.
    package func matches(_ pattern: StaticString, at position: Int) -> Bool {
        let length = pattern.utf8CodeUnitCount
        guard position >= 0, position <= bytes.count - length else { return false }
        for index in 0..<length where unsafe pattern.utf8Start[index] != byte(at: position + index) { return false }
        return true
    }

    package func matches(_ pattern: [UInt8], at position: Int) -> Bool {
        guard position >= 0, position <= bytes.count - pattern.count else { return false }
        for (index, wanted) in pattern.enumerated() where wanted != byte(at: position + index) { return false }
        return true
    }
}
