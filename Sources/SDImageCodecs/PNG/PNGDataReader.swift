import SDImage
import SDImagePixels

/// Finds the image data in IDAT chunks, as far as received, and verifies their check sums. `PNGHeader` reads complete files with
/// it, `PNGPartialImage` continues it as bytes arrive. The returned parts are slices of the file.
struct PNGDataReader {
    private static let name = PNGChunk.name("IDAT")
    /// Maximum chunk length (PNG, third edition, section 5.3).
    private static let longest = 1 << 31 - 1
    /// Approximate memory of one part, in addition to its bytes.
    private static let partOverhead = 128

    /// Kind of the end of the data; nil until it is received.
    private(set) var ending: PNGEncodedImage.Ending?
    /// Offset of the next byte to read.
    private(set) var offset: Int
    /// Number of unread bytes in the current chunk; nil between chunks.
    private var rest: Int?
    /// CRC-32 of the type and the data so far of the current chunk.
    private var checkSum: UInt32 = 0

    /// Offset of the first chunk.
    private let start: Int

    /// `offset` is the start of a chunk.
    init(offset: Int) {
        self.offset = offset
        start = offset
    }

    /// Returns the offset at which the first `count` bytes of the data end.
    /// The chunks were read before, so their lengths are trusted.
    func end(ofFirst count: Int, in bytes: Bytes) -> Int {
        var reader = bytes.reader
        reader.seek(to: start)
        var left = count
        while let length = reader.u32(bigEndian: true), reader.skip(4) {
            if left <= length { return reader.offset + left }
            left -= Int(length)
            guard reader.skip(Int(length)), reader.skip(4) else { break }
        }
        return reader.offset
    }

    /// Returns the data not returned before; `bytes` contains all bytes so far.
    /// Throws `tooLarge` if the list of parts exceeds the working memory.
    mutating func read(_ bytes: Bytes, limits: DecodeLimits) throws(ImageError) -> [Bytes] {
        var parts: [Bytes] = []
        while ending == nil {
            // A chunk may arrive in pieces, each of which is returned at once.
            if let count = rest {
                guard let part = bytes.slice(offset..<offset + min(count, bytes.count - offset)) else { break }
                if !part.isEmpty { parts.append(part) }
                add(part)
                guard part.count == count, endChunk(bytes) else { break }
            } else if !beginChunk(bytes) {
                break
            }
            guard parts.count <= limits.workingBytes / PNGDataReader.partOverhead else {
                throw .tooLarge("png: working memory in bytes", limit: limits.workingBytes)
            }
        }
        return parts
    }

    /// Counts a part of the current chunk.
    private mutating func add(_ part: Bytes) {
        unsafe part.withUnsafeBytes { checkSum = unsafe sdpx_crc32(checkSum, $0.baseAddress, $0.count) }
        offset += part.count
        rest = rest.map { $0 - part.count }
    }

    /// Starts a chunk; false when more bytes are needed.
    private mutating func beginChunk(_ bytes: Bytes) -> Bool {
        var reader = bytes.reader
        guard reader.seek(to: offset), let length = reader.u32(bigEndian: true), let name = reader.u32(bigEndian: true) else {
            return false
        }
        // IDAT chunks are consecutive: another chunk ends the data (PNG, third edition, section 5.6).
        guard name == PNGDataReader.name else {
            ending = .complete
            return true
        }
        guard length <= PNGDataReader.longest else {
            ending = .damaged
            return true
        }
        rest = Int(length)
        checkSum = bytes.slice(offset + 4..<offset + 8)?.checkSum ?? 0
        offset += 8
        return true
    }

    /// Compares the check sum after the data; false when it has not arrived.
    private mutating func endChunk(_ bytes: Bytes) -> Bool {
        var reader = bytes.reader
        guard reader.seek(to: offset), let stored = reader.u32(bigEndian: true) else { return false }
        offset += 4
        rest = nil
        if stored != checkSum { ending = .damaged }
        return true
    }
}

extension Bytes {
    /// The CRC-32 of all bytes.
    fileprivate var checkSum: UInt32 { unsafe withUnsafeBytes { unsafe sdpx_crc32(0, $0.baseAddress, $0.count) } }
}
