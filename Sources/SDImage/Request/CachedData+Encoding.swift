/// Serialization of the metadata of an entry, for caches of the host that store it together with the bytes.
extension CachedData {
    /// Version of the format. Other versions are rejected, because an unknown field may be essential.
    private static let version: UInt8 = 1
    /// Longest field; a longer one was not written by this library.
    private static let longest = 64 << 20

    /// The encoded metadata, little-endian: version, dates of creation and expiry, then each field preceded by its length.
    /// Extended data comes last and is optional.
    package var metadata: [UInt8] {
        var bytes = [CachedData.version]
        CachedData.append(created == 0 ? MonotonicClock.wall : created, 8, to: &bytes)
        CachedData.append(expires, 8, to: &bytes)
        for field in [entityTag, lastModified, encodedRecord] {
            CachedData.append(UInt64(field.count), 4, to: &bytes)
            bytes += field
        }
        guard let extendedData else { return bytes }
        CachedData.append(UInt64(extendedData.count), 4, to: &bytes)
        unsafe extendedData.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        return bytes
    }

    /// Decodes an entry from its bytes and encoded metadata; throws `badData` for another version or malformed metadata.
    package init(bytes: Bytes, metadata: Bytes) throws(ImageError) {
        self.init(bytes: bytes)
        var reader = ByteReader(metadata)
        guard reader.u8() == CachedData.version, let created = CachedData.number(&reader),
            let expires = CachedData.number(&reader), let tag = CachedData.field(of: metadata, &reader),
            let modified = CachedData.field(of: metadata, &reader), let encodedRecord = CachedData.field(of: metadata, &reader)
        else { throw ImageError(.badData, "cache: metadata is damaged or of another version") }
        (self.created, self.expires) = (created, expires)
        unsafe entityTag = tag.withUnsafeBytes { unsafe Array($0) }
        unsafe lastModified = modified.withUnsafeBytes { unsafe Array($0) }
        unsafe self.encodedRecord = encodedRecord.withUnsafeBytes { unsafe Array($0) }
        if reader.remaining == 0 { return }
        guard let extended = CachedData.field(of: metadata, &reader), reader.remaining == 0 else {
            throw ImageError(.badData, "cache: metadata ends early")
        }
        extendedData = extended
    }

    private static func append(_ number: UInt64, _ count: Int, to bytes: inout [UInt8]) {
        for byte in 0..<count { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * byte))) }
    }

    private static func number(_ reader: inout ByteReader) -> UInt64? {
        guard let low = reader.u32(bigEndian: false), let high = reader.u32(bigEndian: false) else { return nil }
        return UInt64(high) << 32 | UInt64(low)
    }

    private static func field(of bytes: Bytes, _ reader: inout ByteReader) -> Bytes? {
        guard let count = reader.u32(bigEndian: false), count <= longest, Int(count) <= reader.remaining,
            let field = bytes.slice(reader.offset..<reader.offset + Int(count))
        else { return nil }
        reader.skip(Int(count))
        return field
    }
}
