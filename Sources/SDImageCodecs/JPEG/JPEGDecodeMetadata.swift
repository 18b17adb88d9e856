import Glibc
import SDImage

/// Metadata that a decode needs: orientation and color profile, in the segments before the first scan. `JPEGDecoder` reads it for
/// each decode; `JPEGMetadata` and `JPEGGainMap` add what they need in the same walk.
struct JPEGDecodeMetadata {
    /// The TIFF block of the first EXIF segment (EXIF 2.32, 4.5.4), without its "Exif" label.
    private(set) var exif: Bytes?
    /// The first XMP packet, without its label and without its extension.
    private(set) var packet: Bytes?
    private var profile = ProfilePieces()
    private let bytes: Bytes
    /// Maximum bytes of a profile.
    private let limit: Int

    /// Contains nothing until segments are read. Blocks larger than `limit` bytes are ignored.
    init(_ bytes: Bytes, limit: Int) {
        self.bytes = bytes
        self.limit = limit
    }

    /// Reads all segments.
    init(_ bytes: Bytes, limit: Int, stop: CancellationToken) throws(ImageError) {
        self.init(bytes, limit: limit)
        var segments = JPEGSegmentReader(bytes, stop: stop)
        while let (marker, content) = try segments.nextBeforeScan() { read(marker, content) }
    }

    /// Orientation from the EXIF block, else from the XMP packet.
    var orientation: Orientation {
        exif.flatMap(ExifOrientation.find) ?? packet.flatMap(XMPOrientation.read) ?? .up
    }

    /// Returns the ICC profile, joined from its numbered pieces (ICC.1:2010, B.4).
    func colorProfile() -> Bytes? { profile.joined(of: bytes, limit: limit) }

    /// Label of a segment with an XMP packet (XMP specification part 3, section 1.1.3).
    static let packetLabel: StaticString = "http://ns.adobe.com/xap/1.0/\0"

    /// Reads a segment; all but those of EXIF blocks, XMP packets and profiles are ignored.
    /// `content` is the range of the segment after its length. Only the first EXIF block and the first packet count.
    mutating func read(_ marker: UInt8, _ content: Range<Int>) {
        let reader = bytes.reader
        if marker == 0xE1, exif == nil, reader.matches("Exif\0\0", at: content.lowerBound), content.count > 6 {
            exif = bytes.slice(content.dropFirst(6))
        } else if marker == 0xE1, packet == nil, reader.matches(JPEGDecodeMetadata.packetLabel, at: content.lowerBound) {
            packet = bytes.slice(content.dropFirst(JPEGDecodeMetadata.packetLabel.utf8CodeUnitCount))
        } else if marker == 0xE2, reader.matches("ICC_PROFILE\0", at: content.lowerBound), content.count > 14,
            let number = reader.byte(at: content.lowerBound + 12)
        {
            // The label is followed by the number of this piece, from 1, and the number of pieces.
            profile.append(number, content.dropFirst(14))
        }
    }
}

/// The pieces of a color profile, which may come in any order.
private struct ProfilePieces {
    private var pieces: [(number: UInt8, range: Range<Int>)] = []

    /// A profile has at most 255 pieces; more of them are an attack on the list.
    mutating func append(_ number: UInt8, _ range: Range<Int>) {
        if pieces.count < 255 { pieces.append((number, range)) }
    }

    /// Returns a copy of the profile; nil when there is none, a piece is missing or repeated, it exceeds `limit`, or memory is
    /// refused.
    func joined(of bytes: Bytes, limit: Int) -> Bytes? {
        let sorted = pieces.sorted { $0.number < $1.number }
        for (index, piece) in sorted.enumerated() where Int(piece.number) != index + 1 { return nil }
        let total = sorted.reduce(0) { $0 + $1.range.count }
        guard total > 0, total <= limit, let source = unsafe bytes.pointer else { return nil }
        // 255 pieces of 64 KiB are within the limit, yet too large for an infallible allocation.
        guard let joined = unsafe malloc(total) else { return nil }
        var offset = 0
        for piece in sorted {
            unsafe memcpy(joined + offset, source + piece.range.lowerBound, piece.range.count)
            offset += piece.range.count
        }
        return unsafe Bytes.adopting(malloced: joined, count: total)
    }
}
