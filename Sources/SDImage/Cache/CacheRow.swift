/// One entry of the index.
/// Written by `CommitTransaction` and read by `CacheReader`. Its columns are those of `SQLiteSchema`.
package struct CacheRow: Sendable {
    package var key: CacheKey
    /// The write that stored the entry.
    package var write: CacheWrite
    /// Path of the file relative to the folder of the cache; empty when the bytes are inline.
    package var file = ""
    /// Allocated size of the file on disk, in bytes.
    package var allocated = 0
    /// Inline bytes.
    /// nil for an entry in a file, and for a row that was read without its bytes.
    package var inline: Bytes?
    /// Bytes of the entry.
    package var length = 0
    /// CRC-32C (RFC 3720, appendix B.4) of the bytes.
    package var checksum: UInt32 = 0
    /// Time of the store, nanoseconds since 1970.
    package var created: UInt64 = 0
    /// Time of the last recorded use, nanoseconds since 1970.
    package var accessed: UInt64 = 0
    /// Nanoseconds since 1970; 0 = determined by the age rule of the cache.
    package var expires: UInt64 = 0
    package var entityTag: [UInt8] = []
    package var lastModified: [UInt8] = []
    /// Remaining response metadata, as `CachedData.encodedRecord`.
    package var encodedRecord: [UInt8] = []
    /// Bytes that the host attached; nil for none.
    package var extendedData: Bytes?
    /// False when the stored seal does not match the fields.
    package var isIntact = true

    package init(key: CacheKey, write: CacheWrite) {
        self.key = key
        self.write = write
    }

    /// CRC-32C of all fields except the inline bytes, which `checksum` covers, and the access date, which changes
    /// independently. A corrupt validator would keep an outdated image valid; corrupt extended data would reach callers.
    package var seal: UInt32 {
        // Little-endian on every machine, because a folder may move between them.
        let numbers: InlineArray<8, UInt64> = [
            write.instance.littleEndian, write.number.littleEndian, UInt64(bitPattern: Int64(length)).littleEndian,
            UInt64(checksum).littleEndian, created.littleEndian, expires.littleEndian,
            UInt64(bitPattern: Int64(allocated)).littleEndian, extendedData == nil ? 0 : UInt64(1).littleEndian,
        ]
        var seal = unsafe numbers.span.bytes.withUnsafeBytes { unsafe CRC32C.checksum($0) }
        for text in [key.bytes, Array(file.utf8), entityTag, lastModified, encodedRecord] {
            // Includes the length: otherwise bytes could move between neighboring fields unnoticed.
            seal = unsafe withUnsafeBytes(of: UInt64(text.count).littleEndian) { unsafe CRC32C.checksum($0, after: seal) }
            seal = unsafe text.withUnsafeBytes { unsafe CRC32C.checksum($0, after: seal) }
        }
        guard let extendedData else { return seal }
        return unsafe extendedData.withUnsafeBytes { unsafe CRC32C.checksum($0, after: seal) }
    }
}
