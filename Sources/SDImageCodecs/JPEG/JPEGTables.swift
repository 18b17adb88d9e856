import SDImage

/// Tables defined by the segments so far: quantization tables, Huffman codes, restart interval (ISO/IEC 10918-1, B.2.4). A later
/// definition replaces an earlier one, so `DCThumbnailDecoder` takes them in the order of the file.
struct JPEGTables {
    /// A code as stored: the symbols of each length get consecutive codes (ISO/IEC 10918-1, annex C).
    struct HuffmanCode {
        /// Number of codes of each length, starting with 1.
        let lengths: [UInt8]
        /// Symbols in the order of their codes.
        let values: [UInt8]
    }

    /// Quantization tables by number, in zigzag order.
    private(set) var quantizers: [UInt8: [UInt16]] = [:]
    /// Huffman codes by number.
    private(set) var dcCodes: [UInt8: HuffmanCode] = [:]
    private(set) var acCodes: [UInt8: HuffmanCode] = [:]
    /// MCUs between two restart markers; 0 for none.
    private(set) var restartInterval: UInt32 = 0

    /// Reads a table segment. False for a malformed one; segments of other kinds are ignored.
    mutating func take(_ marker: UInt8, _ body: Bytes) -> Bool {
        var reader = body.reader
        switch marker {
        // DHT, DQT and DRI.
        case 0xC4: return takeHuffmanCodes(&reader)
        case 0xDB: return takeQuantizers(&reader)
        case 0xDD:
            guard body.count == 2, let interval = reader.u16(bigEndian: true) else { return false }
            restartInterval = UInt32(interval)
            return true
        default: return true
        }
    }

    /// Reads the tables of a DQT segment: each has its precision and number in one byte, and 64 steps of one or two bytes
    /// (B.2.4.1).
    private mutating func takeQuantizers(_ reader: inout ByteReader) -> Bool {
        while let head = reader.u8() {
            var steps: [UInt16] = []
            for _ in 0..<64 {
                guard let step = head >> 4 == 0 ? reader.u8().map(UInt16.init) : reader.u16(bigEndian: true) else { return false }
                steps.append(step)
            }
            quantizers[head & 15] = steps
        }
        return true
    }

    /// Reads the codes of a DHT segment: each has its class and number in one byte, 16 counts, and the symbols (B.2.4.2).
    private mutating func takeHuffmanCodes(_ reader: inout ByteReader) -> Bool {
        while let head = reader.u8() {
            guard let lengths = JPEGTables.read(16, &reader),
                let values = JPEGTables.read(lengths.reduce(0) { $0 + Int($1) }, &reader)
            else { return false }
            let code = HuffmanCode(lengths: lengths, values: values)
            if head >> 4 == 0 { dcCodes[head & 15] = code } else { acCodes[head & 15] = code }
        }
        return true
    }

    /// Reads `count` bytes; nil if fewer are left.
    private static func read(_ count: Int, _ reader: inout ByteReader) -> [UInt8]? {
        guard count <= reader.remaining else { return nil }
        return (0..<count).compactMap { _ in reader.u8() }
    }
}
