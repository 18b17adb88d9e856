import SDImage

/// Goes over the chunks of a WebP container by their lengths, as far as they are there (RFC 9649, section 2.3): tells when
/// another frame is whole, without parsing the container once more.
struct WebPChunkWalk {
    /// Behind the last whole chunk.
    private(set) var end = 12
    /// Whole frames.
    private(set) var frames = 0
    private let frameLimit: Int

    init(frameLimit: Int) { self.frameLimit = frameLimit }

    /// What lies behind is not looked at any more.
    var isFull: Bool { frames >= frameLimit }

    mutating func advance(_ bytes: Bytes) {
        var reader = bytes.reader
        while !isFull, reader.seek(to: end), reader.skip(4), let size = reader.u32(bigEndian: false) {
            let isFrame = reader.matches("ANMF", at: end)
            // Chunks have an even length; the padding of the last one is not missed.
            guard reader.skip(Int(size)) else { return }
            if size % 2 == 1 { reader.skip(1) }
            end = reader.offset
            if isFrame { frames += 1 }
        }
    }

    /// The header of a still's bitstream is there: 10 bytes where it is lossy, 5 where it is not (RFC 9649, sections 2.5 and
    /// 2.6).
    static func reachesPicture(_ bytes: Bytes) -> Bool {
        var reader = bytes.reader
        guard reader.skip(12) else { return false }
        while reader.skip(4), let size = reader.u32(bigEndian: false) {
            if reader.matches("VP8 ", at: reader.offset - 8) { return reader.skip(10) }
            if reader.matches("VP8L", at: reader.offset - 8) { return reader.skip(5) }
            guard reader.skip(Int(size) + Int(size % 2)) else { return false }
        }
        return false
    }
}
