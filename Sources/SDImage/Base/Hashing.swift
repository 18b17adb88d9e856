import SDImagePixels

extension CacheKey {
    /// Keyed 64-bit hash (SipHash-1-3), different in each process: URLs are untrusted and could be chosen to collide.
    /// Only for tables in memory. Files of the cache use digests that every process computes alike.
    package static func hash(of bytes: UnsafeRawBufferPointer) -> UInt64 {
        unsafe hash(of: bytes, secret: secret)
    }

    /// The same for callers that hold `secret`: reading a global costs half as much as the hash.
    @inline(__always)
    static func hash(of bytes: UnsafeRawBufferPointer, secret: Secret) -> UInt64 {
        unsafe sdpx_sip_hash(bytes.baseAddress, bytes.count, secret.first, secret.second)
    }

    /// The key of the hash.
    /// Random for each process; never shown or stored.
    struct Secret {
        let first = UInt64.random(in: 0...UInt64.max)
        let second = UInt64.random(in: 0...UInt64.max)
    }

    static let secret = Secret()
}

/// CRC-32C, the checksum of iSCSI (RFC 3720, appendix B.4); uses the CPU instruction where available.
/// Entries of the disk cache and of its index carry it, to detect damage on the disk.
package enum CRC32C {
    /// `earlier`: the checksum of the preceding bytes.
    /// Calls for consecutive parts give the same result as one call for all bytes.
    package static func checksum(_ bytes: UnsafeRawBufferPointer, after earlier: UInt32 = 0) -> UInt32 {
        unsafe sdpx_crc32c(earlier, bytes.baseAddress, bytes.count)
    }
}

extension Bytes {
    /// SHA-256 (FIPS 180-4) in hexadecimal digits.
    /// Identifies encoded bytes in the records of inputs that crashed a decoder.
    package var sha256: String {
        let digest = unsafe withUnsafeBytes { bytes in
            unsafe [UInt8](unsafeUninitializedCapacity: Int(SDPX_SHA256_BYTES)) { digest, count in
                unsafe sdpx_sha256(bytes.baseAddress, bytes.count, digest.baseAddress)
                count = digest.count
            }
        }
        return digest.map { Hexadecimal.string(UInt64($0), digits: 2) }.joined()
    }
}
