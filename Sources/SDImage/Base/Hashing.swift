import SDImagePixels

extension CacheKey {
    /// 64-bit hash of a key, another in each process: URLs come from strangers, who could choose ones that collide.
    package static func hash(of bytes: UnsafeRawBufferPointer) -> UInt64 {
        unsafe hash(of: bytes, secret: secret)
    }

    /// The same for whoever keeps `secret` at hand: to ask for a global value costs as much as half of the hash.
    @inline(__always)
    static func hash(of bytes: UnsafeRawBufferPointer, secret: UInt64) -> UInt64 {
        unsafe sdpx_hash64(bytes.baseAddress, bytes.count, secret)
    }

    static let secret = UInt64.random(in: 0...UInt64.max)
}

/// CRC-32C, the checksum of iSCSI (RFC 3720, appendix B.4), by the CPU's own instruction where it has one.
package enum CRC32C {
    /// `earlier` is the checksum of what comes before.
    package static func checksum(_ bytes: UnsafeRawBufferPointer, after earlier: UInt32 = 0) -> UInt32 {
        unsafe sdpx_crc32c(earlier, bytes.baseAddress, bytes.count)
    }
}
