import SDImagePixels

extension CacheKey {
    /// 64-bit hash of a key, different in each process: URLs are untrusted and could be chosen to collide.
    package static func hash(of bytes: UnsafeRawBufferPointer) -> UInt64 {
        unsafe hash(of: bytes, secret: secret)
    }

    /// The same for callers that hold `secret`: reading a global costs half as much as the hash.
    @inline(__always)
    static func hash(of bytes: UnsafeRawBufferPointer, secret: UInt64) -> UInt64 {
        unsafe sdpx_hash64(bytes.baseAddress, bytes.count, secret)
    }

    static let secret = UInt64.random(in: 0...UInt64.max)
}

/// CRC-32C, the checksum of iSCSI (RFC 3720, appendix B.4); uses the CPU instruction where available.
package enum CRC32C {
    /// `earlier`: the checksum of the preceding bytes.
    package static func checksum(_ bytes: UnsafeRawBufferPointer, after earlier: UInt32 = 0) -> UInt32 {
        unsafe sdpx_crc32c(earlier, bytes.baseAddress, bytes.count)
    }
}
