import Glibc
import SDImage

/// XMP that exceeds one segment of a JPEG: a packet with the digest of the extended part, and the extended part in numbered
/// pieces (XMP specification part 3, section 1.1.3.1). `JPEGMetadata` collects the pieces of a file and joins them at the end.
struct ExtendedXMP {
    /// Maximum number of pieces. Writers fill their segments, so more pieces are not legitimate.
    private static let mostPieces = 256
    /// Length of the digest: hexadecimal digits of an MD5.
    static let digestBytes = 32

    /// The content of one segment: digest, total length, offset in the extended part, content.
    private struct Piece {
        let digest: Range<Int>
        let total: Int
        let offset: Int
        let content: Range<Int>
    }

    /// The file.
    private let bytes: Bytes
    private var pieces: [Piece] = []

    init(_ bytes: Bytes) { self.bytes = bytes }

    /// Adds a segment; `body` starts after its label.
    mutating func add(_ body: Range<Int>) {
        var reader = bytes.reader
        let digest = body.lowerBound..<body.lowerBound + ExtendedXMP.digestBytes
        guard pieces.count < ExtendedXMP.mostPieces, digest.upperBound + 8 < body.upperBound, reader.seek(to: digest.upperBound),
            let total = reader.u32(bigEndian: true), let offset = reader.u32(bigEndian: true)
        else { return }
        pieces.append(Piece(digest: digest, total: Int(total), offset: Int(offset), content: reader.offset..<body.upperBound))
    }

    /// Returns the packet with the descriptions of the extended part inserted among its own, which RDF allows. Returns the packet
    /// alone when the extended part is missing, incomplete, or too large for `limit`.
    func joined(to packet: Bytes, limit: Int) throws(ImageError) -> Bytes {
        // The value follows a quotation mark or the end of a tag, perhaps after spaces.
        guard let note = packet.range(of: ExtendedXMP.note, from: 0),
            let value = packet.slice(note.upperBound..<min(note.upperBound + 64, packet.count))
        else { return packet }
        // A file may contain pieces of another packet, for example after an edit: only those with the digest of this one count.
        let own = pieces.filter { value.range(of: digest($0), from: 0) != nil }.sorted { $0.offset < $1.offset }
        guard let total = own.first?.total, let rest = try assembled(own, total: total, limit: limit),
            let range = packet.lastRange(of: ExtendedXMP.end), let descriptions = ExtendedXMP.descriptions(rest)
        else { return packet }
        var result = ByteBuilder(limit: limit)
        guard packet.count + descriptions.count <= limit else { return packet }
        for part in [packet.slice(0..<range.lowerBound), descriptions, packet.slice(range.lowerBound..<packet.count)] {
            unsafe try part?.withUnsafeBytes { content throws(ImageError) in unsafe try result.append(content) }
        }
        return result.finish()
    }

    /// The digest of the extended part to which a piece belongs.
    private func digest(_ piece: Piece) -> [UInt8] {
        let reader = bytes.reader
        return piece.digest.compactMap { reader.byte(at: $0) }
    }

    /// Joins sorted pieces; nil if one is missing, overlaps another, or the length differs from `total`.
    private func assembled(_ pieces: [Piece], total: Int, limit: Int) throws(ImageError) -> Bytes? {
        guard total <= limit else { return nil }
        var result = ByteBuilder(limit: limit)
        for piece in pieces {
            guard piece.offset == result.count, piece.total == total, piece.content.count <= total - result.count,
                let content = bytes.slice(piece.content)
            else { return nil }
            unsafe try content.withUnsafeBytes { part throws(ImageError) in unsafe try result.append(part) }
        }
        return result.count == total ? result.finish() : nil
    }

    /// The property whose value is the digest of the extended part.
    private static let note = Array("HasExtendedXMP".utf8)
    /// The element whose content is inserted.
    private static let start = Array("<rdf:RDF".utf8)
    private static let end = Array("</rdf:RDF>".utf8)

    /// The content of the RDF element of the extended part.
    private static func descriptions(_ rest: Bytes) -> Bytes? {
        guard let open = rest.range(of: start, from: 0), let close = rest.range(of: [0x3E], from: open.upperBound),
            let end = rest.lastRange(of: end), close.upperBound <= end.lowerBound
        else { return nil }
        return rest.slice(close.upperBound..<end.lowerBound)
    }
}

extension Bytes {
    /// Returns the first occurrence of a pattern at or after a position.
    fileprivate func range(of pattern: [UInt8], from start: Int) -> Range<Int>? {
        guard start >= 0, let first = pattern.first, let base = unsafe pointer else { return nil }
        let reader = reader
        var position = start
        while position <= count - pattern.count,
            let found = unsafe memchr(base + position, Int32(first), count - pattern.count - position + 1)
        {
            position = unsafe UnsafeRawPointer(found) - base
            if reader.matches(pattern, at: position) { return position..<position + pattern.count }
            position += 1
        }
        return nil
    }

    /// Returns the last occurrence of a pattern.
    fileprivate func lastRange(of pattern: [UInt8]) -> Range<Int>? {
        var last: Range<Int>?
        while let next = range(of: pattern, from: last?.upperBound ?? 0) { last = next }
        return last
    }
}
