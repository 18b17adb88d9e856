import SDImage

/// The scan header: components, coefficients and bits of a scan (ISO/IEC 10918-1, B.2.3). `DCThumbnailDecoder` decides with it
/// which scans to decode.
struct JPEGScanHeader {
    struct Component {
        /// Index of the component in the frame.
        let index: Int
        /// Numbers of the Huffman tables.
        let dc: UInt8
        let ac: UInt8
    }

    let components: [Component]
    /// First and last coefficient in zigzag order.
    let first: UInt8
    let last: UInt8
    /// Successive approximation: the previous low bit, 0 for none, and the lowest coded bit.
    let highBit: UInt8
    let lowBit: UInt8

    /// nil when the header is malformed, names a component twice, or does not match the frame.
    init?(_ body: Bytes, frame: JPEGFrameHeader) {
        var reader = body.reader
        guard let count = reader.u8(), count > 0, reader.remaining == 2 * Int(count) + 3 else { return nil }
        var components: [Component] = []
        for _ in 0..<count {
            guard let id = reader.u8(), let codes = reader.u8(),
                let index = frame.components.firstIndex(where: { $0.id == id }),
                !components.contains(where: { $0.index == index })
            else { return nil }
            components.append(Component(index: index, dc: codes >> 4, ac: codes & 15))
        }
        // Ss, Se, and Ah with Al in one byte.
        guard let first = reader.u8(), let last = reader.u8(), let bits = reader.u8(), last < 64, bits & 15 <= 13 else {
            return nil
        }
        self.components = components
        self.first = first
        self.last = last
        highBit = bits >> 4
        lowBit = bits & 15
    }

    /// True for a scan of all components, coefficients and bits.
    func isWhole(of frame: JPEGFrameHeader) -> Bool {
        components.count == frame.components.count && first == 0 && last == 63 && highBit == 0 && lowBit == 0
    }

    /// True for a scan with DC coefficients only. In a progressive file, a scan with them has no others (G.1.1.1.1).
    var isDCScan: Bool { first == 0 && last == 0 }
}
