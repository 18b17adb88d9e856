import SDImage

/// The encoded bytes of an image, or those that have arrived, with their digest. Thread-safe.
final class EncodedImage: Sendable {
    let bytes: Bytes
    /// The digest, once it was computed.
    private let known = Lock<String?>(nil)

    init(_ bytes: Bytes) { self.bytes = bytes }

    /// SHA-256 in hexadecimal digits; computed once, when an image of the same length has crashed a worker.
    var digest: String {
        if let digest = known.withLock({ $0 }) { return digest }
        let digest = bytes.sha256
        known.withLock { $0 = digest }
        return digest
    }

    /// The same, with bytes that live longer than the call which lent them.
    func copiedIfLent() throws(ImageError) -> EncodedImage {
        let copy = try bytes.copiedIfLent()
        guard copy !== bytes else { return self }
        let image = EncodedImage(copy)
        let digest = known.withLock { $0 }
        image.known.withLock { $0 = digest }
        return image
    }
}
