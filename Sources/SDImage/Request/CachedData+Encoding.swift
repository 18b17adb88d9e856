/// Serialization of the metadata of an entry, for caches of the host that store it together with the bytes.
/// The bytes of the image are not part of it.
extension CachedData {
    /// Version of the format. Other versions are rejected, because an unknown field may be essential.
    private static let version: UInt8 = 1
    /// Longest field; a longer one was not written by this library.
    private static let longest = 64 << 20

    /// The encoded metadata, little-endian: version, dates of creation and expiry, then each field preceded by its length.
    /// Extended data comes last and is optional.
    package var metadata: [UInt8] {
        var bytes = [CachedData.version]
        // The cache of the host has no row that would record the time.
        CachedData.append(created == 0 ? MonotonicClock.wall : created, 8, to: &bytes)
        CachedData.append(expires, 8, to: &bytes)
        for field in [entityTag, lastModified, encodedRecord] {
            CachedData.append(UInt64(field.count), 4, to: &bytes)
            bytes += field
        }
        // Without extended data the field is absent.
        guard let extendedData else { return bytes }
        CachedData.append(UInt64(extendedData.count), 4, to: &bytes)
        unsafe extendedData.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        return bytes
    }

    /// Decodes an entry from its bytes and encoded metadata; throws `badData` for another version or malformed metadata.
    /// Nothing after the last field is accepted.
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
        // Extended data is optional, so the metadata may end here.
        if reader.remaining == 0 { return }
        guard let extended = CachedData.field(of: metadata, &reader), reader.remaining == 0 else {
            throw ImageError(.badData, "cache: metadata ends early")
        }
        extendedData = extended
    }

    /// Appends the `count` low bytes of a number, the lowest first.
    private static func append(_ number: UInt64, _ count: Int, to bytes: inout [UInt8]) {
        for byte in 0..<count { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * byte))) }
    }

    /// Eight bytes, little-endian; nil at the end of the bytes.
    private static func number(_ reader: inout ByteReader) -> UInt64? {
        guard let low = reader.u32(bigEndian: false), let high = reader.u32(bigEndian: false) else { return nil }
        return UInt64(high) << 32 | UInt64(low)
    }

    /// A length in four bytes and as many bytes, without a copy; nil if fewer are left or the length exceeds
    /// `longest`.
    private static func field(of bytes: Bytes, _ reader: inout ByteReader) -> Bytes? {
        guard let count = reader.u32(bigEndian: false), count <= longest, Int(count) <= reader.remaining,
            let field = bytes.slice(reader.offset..<reader.offset + Int(count))
        else { return nil }
        reader.skip(Int(count))
        return field
    }
}
