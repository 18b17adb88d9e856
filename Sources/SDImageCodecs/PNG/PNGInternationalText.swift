import SDImage

/// An iTXt chunk (PNG, third edition, section 11.3.3.4): text in UTF-8, or an XMP packet.
struct PNGInternationalText {
    /// Keyword of an XMP packet (XMP specification part 3, section 1.1.5).
    static let packetKey = Array("XML:com.adobe.xmp".utf8)

    let key: [UInt8]
    /// Location of the text in the file.
    let content: Range<Int>
    /// True when the text is a zlib stream.
    let isPacked: Bool

    /// `data` is the content of the chunk. After the keyword: compression flag, method 0, language and translated keyword, the
    /// last two zero-terminated.
    init?(_ data: Range<Int>, of bytes: Bytes) {
        let reader = bytes.reader
        guard let (key, rest) = PNGInternationalText.key(of: data, bytes), rest.count >= 4,
            let flag = reader.byte(at: rest.lowerBound), flag <= 1,
            flag == 0 || reader.byte(at: rest.lowerBound + 1) == 0,
            let language = rest.dropFirst(2).first(where: { reader.byte(at: $0) == 0 }),
            let translated = (language + 1..<data.upperBound).first(where: { reader.byte(at: $0) == 0 })
        else { return nil }
        self.key = key
        content = translated + 1..<data.upperBound
        isPacked = flag == 1
    }

    /// Returns a keyword of 1 to 79 bytes and the location of the data after its terminator.
    static func key(of data: Range<Int>, _ bytes: Bytes) -> (key: [UInt8], rest: Range<Int>)? {
        let reader = bytes.reader
        guard let zero = data.prefix(80).first(where: { reader.byte(at: $0) == 0 }), zero > data.lowerBound else { return nil }
        return ((data.lowerBound..<zero).compactMap { reader.byte(at: $0) }, zero + 1..<data.upperBound)
    }
}
