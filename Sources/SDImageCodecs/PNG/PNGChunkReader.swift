import SDImage
import SDImagePixels

/// One chunk of a PNG data stream: its type and the location of its data (PNG, third edition, section 5.3).
struct PNGChunk {
    /// The four letters of the type as a big-endian number.
    let name: UInt32
    /// Location of the data in the file, without length, type and check sum.
    let data: Range<Int>

    /// Converts a chunk type of four letters to the number stored in the file.
    static func name(_ text: StaticString) -> UInt32 {
        guard text.utf8CodeUnitCount == 4 else { return 0 }
        return (0..<4).reduce(0) { unsafe $0 << 8 | UInt32(text.utf8Start[$1]) }
    }
}

/// Walks the chunks of a data stream by their lengths, without reading their contents. Ends at IEND or at the end of the bytes.
/// `PNGDecodeMetadata`, `PNGMetadata` and `APNGContainer` use it; `PNGDataReader` reads chunks that are incomplete.
struct PNGChunkReader {
    private static let end = PNGChunk.name("IEND")
    /// Length, type and check sum.
    private static let overhead = 12
    private let bytes: Bytes
    /// Counts the bytes that are read, so that a file of many tiny chunks reaches a limit.
    private let stop: CancellationToken
    private var reader: ByteReader

    /// Offset of the end of the last returned chunk.
    private(set) var offset: Int

    /// `offset` is the start of a chunk; the first one follows the signature.
    init(_ bytes: Bytes, from offset: Int = 8, stop: CancellationToken) {
        self.bytes = bytes
        self.stop = stop
        self.offset = offset
        reader = bytes.reader
        reader.seek(to: offset)
    }

    /// True when the next chunk is IDAT and its type has arrived.
    var isAtData: Bool { bytes.reader.matches("IDAT", at: offset + 4) }

    /// True when the next chunk is IEND.
    var isAtEnd: Bool { bytes.reader.matches("IEND", at: offset + 4) }

    /// Returns the next chunk; nil unless it is complete, including its check sum.
    mutating func next() throws(ImageError) -> PNGChunk? {
        try stop.spend(PNGChunkReader.overhead)
        guard let length = reader.u32(bigEndian: true), let name = reader.u32(bigEndian: true), name != PNGChunkReader.end else {
            return nil
        }
        let start = reader.offset
        // `offset` stays at the start of an incomplete chunk.
        guard reader.skip(Int(length)), reader.skip(4) else { return nil }
        offset = reader.offset
        return PNGChunk(name: name, data: start..<start + Int(length))
    }

    /// True when the check sum, which covers type and data, is correct.
    /// Reads all of the chunk, so call it only for chunks that matter.
    func isIntact(_ chunk: PNGChunk) throws(ImageError) -> Bool {
        try stop.spend(chunk.data.count)
        var tail = reader
        guard tail.seek(to: chunk.data.upperBound), let stored = tail.u32(bigEndian: true) else { return false }
        return unsafe bytes.withUnsafeBytes { all in
            let covered = unsafe UnsafeRawBufferPointer(rebasing: all[chunk.data.lowerBound - 4..<chunk.data.upperBound])
            return unsafe sdpx_crc32(0, covered.baseAddress, covered.count) == stored
        }
    }
}
