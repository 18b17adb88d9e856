import SDImage

/// The gain map of a JPEG: a second JPEG after the first (CIPA DC-007, Multi-Picture Format), with the parameters in its
/// metadata: fields of ISO 21496-1, the XMP of Ultra HDR, or Apple's marks. `JPEGCoder` reads it for the properties of a file,
/// and `JPEGRendition` for its HDR rendition.
struct JPEGGainMap {
    let parameters: GainMap.Parameters
    /// The JPEG of the map.
    let encoded: Bytes
    /// The profile of the map's JPEG, which is that of the other rendition.
    let profile: Bytes?
    /// Orientation of the base image, which is also that of the map.
    let orientation: Orientation

    /// Images listed in one file that are examined.
    private static let mostImages = 16
    /// Label of the APP2 segment with the list of images.
    static let multiPicture: StaticString = "MPF\0"

    /// nil without a gain map.
    init?(_ bytes: Bytes, limits: DecodeLimits, stop: CancellationToken) throws(ImageError) {
        let primary = try JPEGGainMap.segments(of: bytes, limits, stop)
        for image in try JPEGGainMap.images(of: bytes, primary, stop) {
            let map = try JPEGGainMap.segments(of: image, limits, stop)
            // The list may contain previews and further views, which have no parameters.
            guard let parameters = JPEGGainMap.parameters(map, of: primary) else {
                if map.isGainMap { Log.write(.warning, "jpeg: gain map is not used: its parameters are invalid") }
                continue
            }
            self.parameters = parameters
            encoded = image
            profile = map.decoding.colorProfile()
            orientation = primary.decoding.orientation
            return
        }
        return nil
    }

    /// The metadata of a JPEG that matter here.
    private struct Segments {
        var decoding: JPEGDecodeMetadata
        /// The list of images after its label: a range in the file, because offsets in the list count from its start.
        var list: Range<Int>?
        /// Fields of ISO 21496-1 after their label; in the base image they only announce a map.
        var fields: Bytes?

        var isGainMap: Bool {
            fields != nil || decoding.packet.map(GainMapPacket.init).map { $0.isUltraHDR || $0.isApple } ?? false
        }
    }

    /// Reads the segments of one image before its first scan.
    private static func segments(
        of bytes: Bytes, _ limits: DecodeLimits, _ stop: CancellationToken
    ) throws(ImageError) -> Segments {
        var found = Segments(decoding: JPEGDecodeMetadata(bytes, limit: limits.metadataBytes))
        var reader = JPEGSegmentReader(bytes, stop: stop)
        while let (marker, content) = try reader.nextBeforeScan() {
            found.decoding.read(marker, content)
            guard marker == 0xE2 else { continue }
            if found.list == nil, let list = content.after(multiPicture, in: bytes) { found.list = list }
            if let fields = content.after(GainMapFields.label, in: bytes) { found.fields = bytes.slice(fields) }
        }
        return found
    }

    /// The parameters from the ISO fields, else from the XMP, else from Apple's headroom in the EXIF block of the base image. nil
    /// when there are none or they are invalid.
    private static func parameters(_ map: Segments, of primary: Segments) -> GainMap.Parameters? {
        if let parameters = map.fields.flatMap(GainMapFields.read) { return parameters }
        guard let packet = map.decoding.packet.map(GainMapPacket.init) else { return nil }
        if let parameters = packet.parameters { return parameters }
        guard packet.isApple, let headroom = primary.decoding.exif.flatMap(AppleMakerNote.headroom) else { return nil }
        let parameters = GainMap.Parameters(linearWith: headroom)
        return parameters.isValid ? parameters : nil
    }

    /// The images after the first.
    private static func images(
        of bytes: Bytes, _ primary: Segments, _ stop: CancellationToken
    ) throws(ImageError) -> [Bytes] {
        let listed = primary.list.map { MultiPictureIndex(bytes, at: $0, most: mostImages).images } ?? []
        let isAnnounced = primary.fields != nil || (primary.decoding.packet.map { GainMapPacket($0).isUltraHDR } ?? false)
        // Walking all scans costs time, so only a file that announces a map is searched.
        guard listed.isEmpty, isAnnounced else { return listed }
        // Software that does not know the list damages it: the map is the next JPEG after the end of the first.
        var reader = JPEGSegmentReader(bytes, stop: stop)
        while let (marker, content) = try reader.next() {
            // EOI ends the first image.
            guard marker == 0xD9 else { continue }
            return bytes.slice(content.upperBound..<bytes.count).flatMap {
                $0.reader.matches([0xFF, 0xD8, 0xFF], at: 0) ? [$0] : nil
            } ?? []
        }
        return []
    }
}

/// The list of images of a Multi-Picture Format file (CIPA DC-007, 5.2): a TIFF directory whose offsets count from its own start.
private struct MultiPictureIndex {
    private(set) var images: [Bytes] = []

    /// Tag of the MP entries.
    private static let entriesTag: UInt16 = 0xB002
    /// Attributes, size, offset (4 bytes each), and two numbers of dependent images (2 bytes each).
    private static let entryBytes = 16

    /// `content` is the list after its label. Entries outside the file, or that are not JPEG, are left out.
    init(_ bytes: Bytes, at content: Range<Int>, most: Int) {
        guard let block = bytes.slice(content), let directory = ExifDirectory(block),
            let entries = directory.undefined(MultiPictureIndex.entriesTag)
        else { return }
        var reader = block.reader
        for index in 0..<min(entries.count / MultiPictureIndex.entryBytes, most) {
            guard reader.seek(to: entries.lowerBound + index * MultiPictureIndex.entryBytes + 4),
                let length = reader.u32(bigEndian: directory.bigEndian), let offset = reader.u32(bigEndian: directory.bigEndian)
            else { return }
            let start = content.lowerBound + Int(offset)
            // The first image has offset 0.
            guard offset > 0, start < bytes.count, bytes.reader.matches([0xFF, 0xD8, 0xFF], at: start) else { continue }
            // A length that exceeds the file is cut: libjpeg finds the end itself.
            if let image = bytes.slice(start..<min(start + Int(length), bytes.count)) { images.append(image) }
        }
    }
}

extension Range<Int> {
    /// The part of the content of a segment after a label; nil if the segment has another.
    fileprivate func after(_ label: StaticString, in bytes: Bytes) -> Range<Int>? {
        guard count > label.utf8CodeUnitCount, bytes.reader.matches(label, at: lowerBound) else { return nil }
        return lowerBound + label.utf8CodeUnitCount..<upperBound
    }
}
