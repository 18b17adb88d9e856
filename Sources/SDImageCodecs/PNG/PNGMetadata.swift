import CPNG
import Glibc
import SDImage

/// Metadata in the chunks of a PNG (PNG, third edition, sections 11.3.3 and 11.3.4), for `PNGCoder.info`. A decode needs only
/// `PNGDecodeMetadata`.
struct PNGMetadata {
    private(set) var found: EncodedMetadata
    private let bytes: Bytes
    /// Maximum bytes of a block.
    private let limit: Int
    private let stop: CancellationToken
    /// Number of chunks that may still be read: a compressed chunk of a few bytes can cost as much as the limits allow.
    private var chunksLeft = TextList.mostEntries
    /// Number of texts with profiles that may still be read, for the same reason.
    private var profilesLeft = 4

    init(_ bytes: Bytes, limits: DecodeLimits, stop: CancellationToken) throws(ImageError) {
        self.bytes = bytes
        self.stop = stop
        limit = limits.metadataBytes
        found = EncodedMetadata(limit: limit)
        var chunks = PNGChunkReader(bytes, stop: stop)
        while let chunk = try chunks.next() {
            guard chunksLeft > 0 else { return }
            let isWanted = PNGMetadata.names.contains(chunk.name) && chunk.data.count <= limit
            guard isWanted, try chunks.isIntact(chunk) else { continue }
            chunksLeft -= 1
            try read(chunk)
        }
    }

    mutating func setColorProfile(_ profile: Bytes?) { found.setColorProfile(profile) }

    private mutating func read(_ chunk: PNGChunk) throws(ImageError) {
        switch chunk.name {
        case PNGMetadata.physical: readPhysical(chunk.data)
        case PNGMetadata.exif: found.setExif(bytes.slice(chunk.data))
        case PNGMetadata.text: if let (key, rest) = key(of: chunk.data) { try add(key, Value(content: rest), .latin1) }
        case PNGMetadata.packedText:
            // After the keyword: compression method 0 and a zlib stream.
            guard let (key, rest) = key(of: chunk.data), bytes.reader.byte(at: rest.lowerBound) == 0 else { return }
            try add(key, Value(content: rest.dropFirst(), isPacked: true), .latin1)
        case PNGMetadata.internationalText:
            guard let text = PNGInternationalText(chunk.data, of: bytes) else { return }
            try add(text.key, Value(content: text.content, isPacked: text.isPacked), .utf8)
        default: break
        }
    }

    /// Reads the resolution, if its unit is pixels per meter.
    private mutating func readPhysical(_ data: Range<Int>) {
        var reader = bytes.reader
        guard data.count == 9, reader.seek(to: data.lowerBound), let x = reader.u32(bigEndian: true),
            let y = reader.u32(bigEndian: true), reader.u8() == 1, x > 0, y > 0
        else { return }
        found.resolution = (Double(x) * 0.0254, Double(y) * 0.0254)
    }

    // MARK: Texts

    private struct Value {
        let content: Range<Int>
        var isPacked = false
    }

    private func key(of data: Range<Int>) -> (key: [UInt8], rest: Range<Int>)? { PNGInternationalText.key(of: data, bytes) }

    /// Adds a text to the texts, or its content to the blocks if the key says that it is one.
    private mutating func add(_ key: [UInt8], _ value: Value, _ encoding: TextList.Encoding) throws(ImageError) {
        if key == PNGInternationalText.packetKey {
            if found.xmp == nil { found.setXMP(try profileText(value)) }
        } else if key.starts(with: RawProfile.prefix) {
            try addProfile(Array(key.dropFirst(RawProfile.prefix.count)), value)
        } else if let text = try content(value, limit: found.text.bytesLeft) {
            found.text.add(key, text, encoding)
        }
    }

    /// Adds a block in hexadecimal digits (`RawProfile`). `kind` is the end of the key.
    private mutating func addProfile(_ kind: [UInt8], _ value: Value) throws(ImageError) {
        let isPacket = kind.elementsEqual("xmp".utf8)
        guard isPacket || kind.elementsEqual("exif".utf8) || kind.elementsEqual("APP1".utf8), let text = try profileText(value),
            let profile = RawProfile.decode(text, limit: limit)
        else { return }
        if isPacket {
            found.setXMP(profile)
        } else if profile.reader.matches("Exif\0\0", at: 0) || ExifDirectory(profile) != nil {
            found.setExif(profile)
        }
    }

    /// Reads a profile as text: hexadecimal digits and line ends take a little more than twice its size.
    private mutating func profileText(_ value: Value) throws(ImageError) -> Bytes? {
        guard profilesLeft > 0 else { return nil }
        profilesLeft -= 1
        return try content(value, limit: limit * 2 + limit / 8)
    }

    /// Returns the text, decompressed if it is packed; nil when it is damaged or longer than `limit`.
    private func content(_ value: Value, limit: Int) throws(ImageError) -> Bytes? {
        guard limit > 0, let stored = bytes.slice(value.content) else { return nil }
        guard value.isPacked else { return stored.count <= limit ? stored : nil }
        return try PNGMetadata.inflate(stored, limit: limit, stop: stop)
    }

    /// nil when the stream is damaged or longer than `limit`.
    static func inflate(_ packed: Bytes, limit: Int, stop: CancellationToken) throws(ImageError) -> Bytes? {
        // The maximum ratio of deflate is 1032 to 1.
        try stop.spend(min(limit, packed.count * 1032))
        guard let memory = unsafe malloc(limit) else { return nil }
        let count = unsafe packed.withUnsafeBytes { unsafe cpng_inflate(memory, limit, $0.baseAddress, $0.count) }
        // Memory for the limit is only touched as far as the text reaches; the rest is returned.
        let shrunk = unsafe count > 0 ? realloc(memory, count) ?? memory : memory
        let text = unsafe Bytes.adopting(malloced: shrunk, count: count)
        return text.isEmpty ? nil : text
    }

    private static let physical = PNGChunk.name("pHYs")
    private static let exif = PNGChunk.name("eXIf")
    private static let text = PNGChunk.name("tEXt")
    private static let packedText = PNGChunk.name("zTXt")
    private static let internationalText = PNGChunk.name("iTXt")
    private static let names: Set<UInt32> = [physical, exif, text, packedText, internationalText]
}
