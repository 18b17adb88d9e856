import SDImage

/// Metadata in the segments of a JPEG before its first scan, for `JPEGCoder.info`. A decode needs only `JPEGDecodeMetadata`.
struct JPEGMetadata {
    private(set) var found: EncodedMetadata
    /// Orientation and profile, from the same walk over the segments.
    private(set) var decoding: JPEGDecodeMetadata
    private let bytes: Bytes
    /// The part of the XMP that does not fit the first packet.
    private var extended: ExtendedXMP

    /// Label of a segment with a piece of the extended XMP (XMP specification part 3, section 1.1.3.1).
    private static let extensionLabel: StaticString = "http://ns.adobe.com/xmp/extension/\0"

    init(_ bytes: Bytes, limits: DecodeLimits, stop: CancellationToken) throws(ImageError) {
        self.bytes = bytes
        found = EncodedMetadata(limit: limits.metadataBytes)
        extended = ExtendedXMP(bytes)
        decoding = JPEGDecodeMetadata(bytes, limit: limits.metadataBytes)
        var segments = JPEGSegmentReader(bytes, stop: stop)
        while let (marker, body) = try segments.nextBeforeScan() {
            decoding.read(marker, body)
            read(marker, body)
        }
        // Pieces of profile and XMP can come in any order, so they are joined after the walk.
        found.setExif(decoding.exif)
        found.setColorProfile(decoding.colorProfile())
        if let packet = decoding.packet { found.setXMP(try extended.joined(to: packet, limit: limits.metadataBytes)) }
    }

    /// Reads density, extended XMP and comments; `decoding` reads the other segments.
    private mutating func read(_ marker: UInt8, _ body: Range<Int>) {
        let reader = bytes.reader
        switch marker {
        // APP0, APP1 and COM.
        case 0xE0 where reader.matches("JFIF\0", at: body.lowerBound): readDensity(body)
        case 0xE1:
            if let content = content(after: JPEGMetadata.extensionLabel, in: body) { extended.add(content) }
        case 0xFE:
            if let comment = bytes.slice(body) { found.text.add(Array("comment".utf8), comment, .utf8OrLatin1) }
        default: break
        }
    }

    /// The part of a segment after its label; nil if it has another.
    private func content(after label: StaticString, in body: Range<Int>) -> Range<Int>? {
        guard label.utf8CodeUnitCount <= body.count, bytes.reader.matches(label, at: body.lowerBound) else { return nil }
        return body.lowerBound + label.utf8CodeUnitCount..<body.upperBound
    }

    /// Reads the JFIF density. Units 1 and 2 are pixels per inch and per centimeter; 0 is only the pixel aspect ratio (JFIF 1.02,
    /// page 5).
    private mutating func readDensity(_ body: Range<Int>) {
        var reader = bytes.reader
        guard found.resolution == nil, body.count >= 12, reader.seek(to: body.lowerBound + 7), let unit = reader.u8(),
            let x = reader.u16(bigEndian: true), let y = reader.u16(bigEndian: true), x > 0, y > 0
        else { return }
        if unit == 1 { found.resolution = (Double(x), Double(y)) }
        if unit == 2 { found.resolution = (Double(x) * 2.54, Double(y) * 2.54) }
    }
}
