import SDImage

/// Tables defined by the segments so far: quantization tables, Huffman codes, restart interval (ISO/IEC 10918-1, B.2.4).
struct JPEGTables {
    struct HuffmanCode {
        /// Number of codes of each length, starting with 1.
        let lengths: [UInt8]
        let values: [UInt8]
    }

    /// Quantization tables by number, in zigzag order.
    private(set) var quantizers: [UInt8: [UInt16]] = [:]
    private(set) var dcCodes: [UInt8: HuffmanCode] = [:]
    private(set) var acCodes: [UInt8: HuffmanCode] = [:]
    /// MCUs between two restart markers; 0 for none.
    private(set) var restartInterval: UInt32 = 0

    /// Reads a table segment. False for a malformed one; segments of other kinds are ignored.
    mutating func take(_ marker: UInt8, _ body: Bytes) -> Bool {
        var reader = body.reader
        switch marker {
        case 0xC4: return takeHuffmanCodes(&reader)
        case 0xDB: return takeQuantizers(&reader)
        case 0xDD:
            guard body.count == 2, let interval = reader.u16(bigEndian: true) else { return false }
            restartInterval = UInt32(interval)
            return true
        default: return true
        }
    }

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

    private static func read(_ count: Int, _ reader: inout ByteReader) -> [UInt8]? {
        guard count <= reader.remaining else { return nil }
        return (0..<count).compactMap { _ in reader.u8() }
    }
}
