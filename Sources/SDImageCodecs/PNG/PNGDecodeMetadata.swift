import SDImage

/// Color and orientation from ancillary chunks. Damaged and oversized chunks are ignored. `PNGDecoder` and `APNGAnimationDecoder`
/// read it for each decode; `info` reads `PNGMetadata`, too.
struct PNGDecodeMetadata {
    /// The ICC profile, decompressed.
    private(set) var profile: Bytes?
    private(set) var isSRGB = false
    /// gAMA, multiplied by 100,000.
    private(set) var gamma: Int?
    /// cHRM, multiplied by 100,000: white x and y, then red, green and blue.
    private(set) var chromaticities: [Int]?
    /// cICP; only RGB is valid (section 11.3.2.6).
    private(set) var codePoints: CodePoints?
    /// Orientation from the EXIF block, else from the XMP packet.
    private(set) var orientation = Orientation.up

    private var exif: Bytes?
    /// The first XMP packet.
    private var packet: PNGInternationalText?
    private let bytes: Bytes
    /// Maximum bytes of a block.
    private let limit: Int
    private let stop: CancellationToken
    /// Only the first profile is used (section 11.3.2.3), readable or not: decompressing many would take minutes.
    private var hasProfileChunk = false

    init(_ bytes: Bytes, limits: DecodeLimits, stop: CancellationToken) throws(ImageError) {
        self.bytes = bytes
        self.stop = stop
        limit = limits.metadataBytes
        var chunks = PNGChunkReader(bytes, stop: stop)
        while let chunk = try chunks.next() { try read(chunk, of: chunks) }
        // The packet is decompressed only if there is no orientation in the EXIF block.
        orientation = try MetadataOrientation.read(exif: exif) { () throws(ImageError) in try unpackPacket() }
    }

    /// Reads a chunk. Image data are neither read nor checked here.
    private mutating func read(_ chunk: PNGChunk, of chunks: PNGChunkReader) throws(ImageError) {
        switch chunk.name {
        case PNGDecodeMetadata.colorProfile, PNGDecodeMetadata.standardRGB, PNGDecodeMetadata.imageGamma,
            PNGDecodeMetadata.primaries,
            PNGDecodeMetadata.codePointChunk, PNGDecodeMetadata.exif:
            if chunk.data.count <= limit, try chunks.isIntact(chunk) { try readUnlessDamaged(chunk) }
        case PNGDecodeMetadata.internationalText where packet == nil && isPacket(chunk):
            if chunk.data.count <= limit, try chunks.isIntact(chunk) {
                packet = PNGInternationalText(chunk.data, of: bytes)
            }
        default: break
        }
    }

    /// Reads a chunk with a correct check sum; one of the wrong length is ignored.
    private mutating func readUnlessDamaged(_ chunk: PNGChunk) throws(ImageError) {
        var reader = bytes.reader
        reader.seek(to: chunk.data.lowerBound)
        switch chunk.name {
        case PNGDecodeMetadata.standardRGB: isSRGB = true
        case PNGDecodeMetadata.imageGamma: if chunk.data.count == 4 { gamma = reader.u32(bigEndian: true).map(Int.init) }
        case PNGDecodeMetadata.primaries:
            // Eight numbers of four bytes.
            let values = (0..<8).compactMap { _ in reader.u32(bigEndian: true).map(Int.init) }
            if chunk.data.count == 32 { chromaticities = values }
        case PNGDecodeMetadata.codePointChunk: if chunk.data.count == 4 { codePoints = PNGDecodeMetadata.codePoints(&reader) }
        case PNGDecodeMetadata.exif: exif = bytes.slice(chunk.data)
        case PNGDecodeMetadata.colorProfile:
            guard !hasProfileChunk else { return }
            hasProfileChunk = true
            profile = try unpackProfile(chunk.data)
        default: break
        }
    }

    /// Compares the keyword alone, because files may have many texts.
    private func isPacket(_ chunk: PNGChunk) -> Bool {
        bytes.reader.matches(PNGInternationalText.packetKey, at: chunk.data.lowerBound)
    }

    /// Returns the XMP packet as text; nil when there is none, or it is damaged or too large.
    private func unpackPacket() throws(ImageError) -> Bytes? {
        guard let packet, packet.key == PNGInternationalText.packetKey, let stored = bytes.slice(packet.content) else {
            return nil
        }
        return packet.isPacked ? try PNGMetadata.inflate(stored, limit: limit, stop: stop) : stored
    }

    /// Reads cICP: primaries, transfer, matrix (0 for RGB), and a flag for full range.
    private static func codePoints(_ reader: inout ByteReader) -> CodePoints? {
        guard let primaries = reader.u8(), let transfer = reader.u8(), reader.u8() == 0, let range = reader.u8() else {
            return nil
        }
        return CodePoints(primaries: primaries, transfer: transfer, matrix: 0, isFullRange: range != 0)
    }

    /// Decompresses iCCP: a name of 1 to 79 bytes, a zero, the compression method 0, a zlib stream (section 11.3.2.3).
    private func unpackProfile(_ data: Range<Int>) throws(ImageError) -> Bytes? {
        let reader = bytes.reader
        guard let zero = data.prefix(80).first(where: { reader.byte(at: $0) == 0 }), reader.byte(at: zero + 1) == 0,
            let packed = bytes.slice(min(zero + 2, data.upperBound)..<data.upperBound)
        else { return nil }
        return try PNGMetadata.inflate(packed, limit: limit, stop: stop)
    }

    private static let colorProfile = PNGChunk.name("iCCP")
    private static let standardRGB = PNGChunk.name("sRGB")
    private static let imageGamma = PNGChunk.name("gAMA")
    private static let primaries = PNGChunk.name("cHRM")
    private static let codePointChunk = PNGChunk.name("cICP")
    private static let exif = PNGChunk.name("eXIf")
    private static let internationalText = PNGChunk.name("iTXt")
}

extension PNGDecodeMetadata {
    /// Returns the conversion to sRGB by the color chunk in effect (PNG, third edition, section 4.3, table 1); nil when the image
    /// is sRGB or treated as such.
    func transform(format: PixelFormat, isGray: Bool, output: PixelFormat) -> (any RowTransform)? {
        if let encoding = codePoints.flatMap(RGBEncoding.init(codePoints:)) {
            return ColorConverter.transform(encoding: encoding, format: format, isGray: isGray, output: output)
        }
        if let profile {
            return ColorConverter.transform(profile: profile, format: format, isGray: isGray, output: output)
        }
        guard !isSRGB, let encoding = RGBEncoding(gamma: gamma, chromaticities: chromaticities) else { return nil }
        return ColorConverter.transform(encoding: encoding, format: format, isGray: isGray, output: output)
    }
}
