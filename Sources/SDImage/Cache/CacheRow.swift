/// One entry of the index.
package struct CacheRow: Sendable {
    package var key: CacheKey
    package var write: CacheWrite
    /// Path of the file, relative to the cache's folder; empty when the bytes are inline.
    package var file = ""
    /// Bytes of disk that the file occupies.
    package var allocated = 0
    /// Inline bytes.
    package var inline: Bytes?
    package var length = 0
    /// CRC-32C (RFC 3720, appendix B.4) of the bytes.
    package var checksum: UInt32 = 0
    /// Nanoseconds since 1970.
    package var created: UInt64 = 0
    package var accessed: UInt64 = 0
    /// 0 = by the cache's age rule.
    package var expires: UInt64 = 0
    package var entityTag: [UInt8] = []
    package var lastModified: [UInt8] = []
    /// The rest of what the answer said of itself, as `ResponseRecord.encoded`.
    package var answer: [UInt8] = []
    package var extendedData: Bytes?
    /// False when the seal that was read with the row is not that of its fields.
    package var isIntact = true

    package init(key: CacheKey, write: CacheWrite) {
        self.key = key
        self.write = write
    }

    /// CRC-32C of all that the row says but the date of access, which changes without the rest: a rotten validator would
    /// keep a picture that was replaced, rotten extended data would be handed out.
    package var seal: UInt32 {
        let numbers: InlineArray<8, UInt64> = [
            write.instance.littleEndian, write.number.littleEndian, UInt64(bitPattern: Int64(length)).littleEndian,
            UInt64(checksum).littleEndian, created.littleEndian, expires.littleEndian,
            UInt64(bitPattern: Int64(allocated)).littleEndian, extendedData == nil ? 0 : UInt64(1).littleEndian,
        ]
        var seal = unsafe numbers.span.bytes.withUnsafeBytes { unsafe CRC32C.checksum($0) }
        for text in [key.bytes, Array(file.utf8), entityTag, lastModified, answer] {
            // With its length: two neighbours could trade bytes unnoticed.
            seal = unsafe withUnsafeBytes(of: UInt64(text.count).littleEndian) { unsafe CRC32C.checksum($0, after: seal) }
            seal = unsafe text.withUnsafeBytes { unsafe CRC32C.checksum($0, after: seal) }
        }
        guard let extendedData else { return seal }
        return unsafe extendedData.withUnsafeBytes { unsafe CRC32C.checksum($0, after: seal) }
    }
}
