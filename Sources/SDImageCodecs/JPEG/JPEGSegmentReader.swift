import SDImage

/// Walks the marker segments of a JPEG without decoding (ISO/IEC 10918-1 annex B). Bytes outside segments are skipped. The
/// parsers of this folder use it; each byte counts against the amount of input that `stop` allows.
struct JPEGSegmentReader {
    private var reader: ByteReader
    private let stop: CancellationToken

    /// Starts after the SOI marker.
    init(_ bytes: Bytes, stop: CancellationToken) {
        reader = bytes.reader
        reader.seek(to: 2)
        self.stop = stop
    }

    /// Returns the next segment: its marker and the location of its content; nil at the end of the bytes.
    mutating func next() throws(ImageError) -> (marker: UInt8, content: Range<Int>)? {
        try JPEGSegmentReader.next(&reader, stop)
    }

    /// Returns the next segment before the first scan; after the start of a scan, every byte would have to be examined.
    mutating func nextBeforeScan() throws(ImageError) -> (marker: UInt8, content: Range<Int>)? {
        guard let segment = try next(), segment.marker != 0xDA, segment.marker != 0xD9 else { return nil }
        return segment
    }

    /// Returns the next segment from the position of `reader` on. nil at the end of the bytes, and for a segment that exceeds
    /// them.
    static func next(
        _ reader: inout ByteReader, _ stop: CancellationToken
    ) throws(ImageError) -> (marker: UInt8, content: Range<Int>)? {
        while let byte = reader.u8() {
            try stop.spend(1)
            // Entropy-coded data, or bytes that do not belong there.
            guard byte == 0xFF else { continue }
            // Any number of fill bytes may precede a marker (B.1.1.2).
            var marker: UInt8 = 0xFF
            while marker == 0xFF {
                try stop.spend(1)
                guard let following = reader.u8() else { return nil }
                marker = following
            }
            // Markers without content: stuffing, TEM and restarts.
            if marker == 0 || marker == 0x01 || (0xD0...0xD8).contains(marker) { continue }
            // EOI has no content, but ends an image.
            if marker == 0xD9 { return (marker, reader.offset..<reader.offset) }
            // The length includes its own two bytes.
            guard let length = reader.u16(bigEndian: true), length >= 2 else { return nil }
            let start = reader.offset
            try stop.spend(Int(length))
            guard reader.skip(Int(length) - 2) else { return nil }
            return (marker, start..<reader.offset)
        }
        return nil
    }
}
