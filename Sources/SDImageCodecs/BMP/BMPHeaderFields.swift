import SDImage

/// Fields of a bitmap header by their offset in the longest header version; fields beyond the end of a shorter header are 0. The
/// length of the header is its version.
struct BMPHeaderFields {
    /// BITMAPCOREHEADER of OS/2 1.x, whose fields have other sizes and offsets.
    static let firstLength = 12
    /// Smallest and largest header of OS/2 2.x, which may be truncated anywhere in between.
    private static let shortestSecond = 16, longestSecond = 64
    /// BITMAPINFOHEADER, its successors with masks and with alpha, V4 and V5.
    private static let info = 40, withMasks = 52, withAlpha = 56, v4 = 108, v5 = 124
    /// Offset of the first mask in the header.
    private static let masksOffset = 40
    private static let maskLength = 4

    /// Offset of the header in the file, and its length.
    let start: Int
    let length: Int
    private let reader: ByteReader

    /// Throws `badData` for a length that no version has, `truncated` if the header exceeds the bytes.
    init(_ bytes: Bytes, at start: Int) throws(ImageError) {
        reader = bytes.reader
        self.start = start
        var reader = reader
        guard reader.seek(to: start), let value = reader.u32(bigEndian: false) else { throw .bitmapEndsEarly }
        length = Int(value)
        guard length == Self.firstLength || (Self.shortestSecond...Self.v5).contains(length) else {
            throw ImageError(.badData, "bmp: header is \(length) bytes long, expected 12 or 16 to 124")
        }
        guard length <= bytes.count - start else { throw .bitmapEndsEarly }
    }

    /// Little-endian fields; 0 beyond the end of the header.
    func u16(_ offset: Int) -> Int { Int(read(offset, 2) { $0.u16(bigEndian: false) } ?? 0) }
    func u32(_ offset: Int) -> Int { Int(read(offset, 4) { $0.u32(bigEndian: false) } ?? 0) }
    func i32(_ offset: Int) -> Int { Int(Int32(truncatingIfNeeded: u32(offset))) }

    /// Returns the mask of red, green, blue or alpha. It is part of the header, or follows a header that is too short for it.
    func mask(_ index: Int) -> UInt32 {
        var reader = reader
        guard reader.seek(to: start + Self.masksOffset + Self.maskLength * index) else { return 0 }
        return reader.u32(bigEndian: false) ?? 0
    }

    /// True for headers with these fields.
    var hasAlphaMask: Bool { length >= Self.withAlpha && !isOS2 }
    var hasColorSpace: Bool { length >= Self.v4 }
    var hasProfile: Bool { length == Self.v5 }
    /// True for headers that only OS/2 writes.
    var isOS2: Bool { length <= Self.longestSecond && ![Self.info, Self.withMasks, Self.withAlpha].contains(length) }
    /// True for headers that OS/2 may have written: OS/2 2.x writes headers of 40 bytes too.
    var canBeOS2: Bool { isOS2 || length == Self.info }

    /// Bytes of masks between header and palette.
    func looseMasksLength(_ compression: Int) -> Int {
        guard length == Self.info else { return 0 }
        switch compression {
        case BMPHeader.bitFields: return 3 * Self.maskLength
        case BMPHeader.alphaBitFields: return 4 * Self.maskLength
        default: return 0
        }
    }

    /// Reads a field of `width` bytes; nil beyond the end of the header.
    private func read<Value>(_ offset: Int, _ width: Int, _ body: (inout ByteReader) -> Value?) -> Value? {
        var reader = reader
        guard offset + width <= length, reader.seek(to: start + offset) else { return nil }
        return body(&reader)
    }
}
