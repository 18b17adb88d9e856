/// Cache key: bytes compared bytewise, with its hash computed once.
///
/// Not a `String`: Swift equates NFC with NFD, and all invalid UTF-8, which would confuse two images.
/// It identifies an image in caches and in the tables of running loads.
package struct CacheKey: Hashable, Sendable {
    /// The key as stored; it may contain NUL bytes.
    package let bytes: [UInt8]
    /// `hash(of:)` of the bytes; valid in this process only, so it is never stored.
    package let hash: UInt64

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        hash = unsafe bytes.withUnsafeBytes { unsafe CacheKey.hash(of: $0) }
    }

    /// Uses a hash that the caller already has.
    package init(_ bytes: [UInt8], hash: UInt64) {
        self.bytes = bytes
        self.hash = hash
    }

    package init(_ string: String) { self.init(Array(string.utf8)) }

    // The hashes differ for nearly all different keys, so the bytes are rarely compared.
    package static func == (a: CacheKey, b: CacheKey) -> Bool { a.hash == b.hash && a.bytes == b.bytes }

    package func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    package var isEmpty: Bool { bytes.isEmpty }

    /// Throws unless the bytes are a key: at least one byte, in UTF-8 (docs/decisions.md, "Keys are bytes").
    package static func validate(_ bytes: [UInt8]) throws(ImageError) {
        guard !bytes.isEmpty else { throw ImageError(.invalidArgument, "key: empty") }
        // Most keys are URLs: plain ASCII.
        guard bytes.allSatisfy({ $0 < 0x80 }) || String(validating: bytes, as: UTF8.self) != nil else {
            throw ImageError(.invalidArgument, "key: not valid UTF-8")
        }
    }

    /// Text for messages only; invalid bytes appear as U+FFFD.
    package var description: String { String(decoding: printed, as: UTF8.self) }
}
