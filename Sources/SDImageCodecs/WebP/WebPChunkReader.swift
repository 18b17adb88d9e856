import SDImage

/// Walks the chunks of a WebP container by their lengths, as far as received (RFC 9649, section 2.3), and lists its frames.
/// libwebp would walk its own list from the start for each frame. `WebPAnimationDecoder` continues one with each piece of data;
/// the static functions need no state.
struct WebPChunkReader {
    /// Offset of the end of the last complete chunk.
    private(set) var end = 12
    /// Contents of complete frames (section 2.7.1).
    private(set) var contents: [Range<Int>] = []
    /// The available part of the next frame.
    private(set) var beginning: Range<Int>?
    private let frameLimit: Int
    /// Bytes of the name and size of a chunk.
    private static let headerLength = 8
    /// Maximum number of chunks: libwebp allocates an entry for each.
    private static let chunkLimit = 65_536

    init(frameLimit: Int) { self.frameLimit = frameLimit }

    /// True when later data are ignored.
    var isFull: Bool { frames >= frameLimit }
    /// Number of complete frames.
    var frames: Int { contents.count }

    /// Reads the chunks that are complete since the last call; `bytes` contains all bytes so far.
    mutating func advance(_ bytes: Bytes, stop: CancellationToken) throws(ImageError) {
        var reader = bytes.reader
        beginning = nil
        while !isFull, reader.seek(to: end), reader.skip(4), let size = reader.u32(bigEndian: false) {
            try stop.spend(WebPChunkReader.headerLength)
            let isFrame = reader.matches("ANMF", at: end)
            let start = reader.offset
            // Chunks have an even length; the padding of the last one may be missing.
            guard reader.skip(Int(size)) else {
                if isFrame { beginning = start..<bytes.count }
                return
            }
            if isFrame { contents.append(start..<reader.offset) }
            if size % 2 == 1 { reader.skip(1) }
            end = reader.offset
        }
    }

    /// Refuses a file with more chunks than the limit, as far as received.
    static func checkCount(_ bytes: Bytes, stop: CancellationToken) throws(ImageError) {
        var reader = bytes.reader
        // RIFF, the size of all that follows, WEBP.
        guard reader.skip(4), let length = reader.u32(bigEndian: false), reader.skip(4) else { return }
        let end = headerLength + Int(length)
        var count = 0
        while reader.offset < end, reader.skip(4), let size = reader.u32(bigEndian: false) {
            try stop.spend(headerLength)
            count += 1
            guard count <= chunkLimit else { throw .tooLarge("webp: number of chunks", limit: chunkLimit) }
            guard reader.skip(Int(size) + Int(size % 2)) else { return }
        }
    }

    /// Returns the offset of the bitstream chunk of an extended still; 0 for other files.
    static func imageOffset(_ bytes: Bytes, stop: CancellationToken) throws(ImageError) -> Int {
        var reader = bytes.reader
        guard reader.matches("VP8X", at: 12), reader.skip(12) else { return 0 }
        while reader.skip(4), let size = reader.u32(bigEndian: false) {
            let start = reader.offset - headerLength
            if reader.matches("VP8 ", at: start) || reader.matches("VP8L", at: start) { return start }
            try stop.spend(headerLength)
            guard reader.skip(Int(size) + Int(size % 2)) else { return 0 }
        }
        return 0
    }

    /// True when the bitstream header of a still is available: 10 bytes if it is lossy, 5 if it is lossless (RFC 9649, sections
    /// 2.5 and 2.6).
    static func reachesImage(_ bytes: Bytes) -> Bool {
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
