import SDImage

/// A source in the host, read by a worker during a call, on the thread that makes it. Each request is a pair of messages.
final class RemoteSource: ByteSource {
    /// Bytes of one request.
    static let mostBytes = 1 << 20

    let size: UInt64
    private let service: DecoderService

    init(size: UInt64, _ service: DecoderService) {
        self.size = size
        self.service = service
    }

    /// Returns the number of bytes read: all that fit the buffer, or fewer at the end of the source.
    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(ImageError) -> Int {
        guard offset < size, buffer.count > 0 else { return 0 }
        var done = 0
        while done < buffer.count {
            let position = offset + UInt64(done)
            let wanted = min(buffer.count - done, RemoteSource.mostBytes)
            let bytes = try service.fetch(wanted, at: position)
            guard bytes.count <= wanted else { throw .invalidMessage }
            let target = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            unsafe bytes.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
            done += bytes.count
            // The end of the source.
            if bytes.count < wanted { break }
        }
        return done
    }
}
