import Glibc
import SDImage

/// The metadata segments of a JPEG, found without decoding (ISO/IEC 10918-1 annex B).
struct JPEGMarkers {
    /// The TIFF block of the first EXIF segment (EXIF 2.32, 4.5.4), without its "Exif" label.
    private(set) var exif: Bytes?
    /// The ICC profile, joined from its numbered pieces (ICC.1:2010, B.4).
    private(set) var colorProfile: Bytes?

    /// Orientation from the EXIF block.
    var orientation: Orientation { exif.map { ExifOrientation.read($0) } ?? .up }

    private struct Piece {
        let number: UInt8
        let range: Range<Int>
    }

    /// Blocks larger than `limit` bytes are ignored.
    init(_ bytes: Bytes, limit: Int, stop: CancellationToken) throws(ImageError) {
        var reader = bytes.reader
        var pieces: [Piece] = []
        reader.seek(to: 2)
        while let segment = try JPEGMarkers.next(&reader, stop) {
            let (marker, body) = segment
            if marker == 0xDA || marker == 0xD9 { break }
            if marker == 0xE1, exif == nil, reader.matches("Exif\0\0", at: body.lowerBound), body.count > 6 {
                exif = bytes.slice(body.dropFirst(6))
            } else if marker == 0xE2, reader.matches("ICC_PROFILE\0", at: body.lowerBound), body.count > 14 {
                // A profile has at most 255 pieces; more of them are an attack on the list.
                guard pieces.count < 255, let number = reader.byte(at: body.lowerBound + 12) else { continue }
                pieces.append(Piece(number: number, range: body.dropFirst(14)))
            }
        }
        colorProfile = JPEGMarkers.join(pieces, of: bytes, limit: limit)
    }

    /// Returns the next segment: its marker and the location of its content. Bytes outside segments are skipped.
    static func next(_ reader: inout ByteReader, _ stop: CancellationToken) throws(ImageError) -> (UInt8, Range<Int>)? {
        while let byte = reader.u8() {
            try stop.spend(1)
            guard byte == 0xFF else { continue }
            var marker: UInt8 = 0xFF
            while marker == 0xFF {
                try stop.spend(1)
                guard let following = reader.u8() else { return nil }
                marker = following
            }
            // Markers without content: stuffing, TEM and restarts.
            if marker == 0 || marker == 0x01 || (0xD0...0xD8).contains(marker) { continue }
            if marker == 0xD9 { return (marker, reader.offset..<reader.offset) }
            guard let length = reader.u16(bigEndian: true), length >= 2 else { return nil }
            let start = reader.offset
            try stop.spend(Int(length))
            guard reader.skip(Int(length) - 2) else { return nil }
            return (marker, start..<reader.offset)
        }
        return nil
    }

    private static func join(_ pieces: [Piece], of bytes: Bytes, limit: Int) -> Bytes? {
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
