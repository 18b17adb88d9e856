import SDImage

/// The frame header of JPEG files as written by cameras, phones and browsers (ISO/IEC 10918-1, B.2.2): Huffman coding, eight
/// bits, gray or three components of which the first is the finest. `DCThumbnailDecoder` reads it; libjpeg has a parser of its
/// own.
struct JPEGFrameHeader {
    struct Component {
        /// The identifier by which scan headers refer to the component.
        let id: UInt8
        /// Blocks in an MCU of all components.
        let across: Int
        let down: Int
        /// Number of the quantization table.
        let quantizer: UInt8
    }

    let size: PixelSize
    let isProgressive: Bool
    let components: [Component]

    /// nil for less common headers.
    init?(marker: UInt8, _ body: Bytes) {
        var reader = body.reader
        // SOF0 to SOF2: baseline, extended sequential and progressive.
        guard (0xC0...0xC2).contains(marker), reader.u8() == 8, let height = reader.u16(bigEndian: true),
            let width = reader.u16(bigEndian: true), let count = reader.u8(), count == 1 || count == 3,
            reader.remaining == 3 * Int(count)
        else { return nil }
        size = PixelSize(width: Int(width), height: Int(height))
        isProgressive = marker == 0xC2
        var components: [Component] = []
        while let id = reader.u8(), let factors = reader.u8(), let quantizer = reader.u8() {
            // The MCU of a single component is one block, whatever its sampling factors (A.2.2).
            let (across, down) = count == 1 ? (1, 1) : (Int(factors >> 4), Int(factors & 15))
            components.append(Component(id: id, across: across, down: down, quantizer: quantizer))
        }
        self.components = components
        guard !size.isEmpty, hasDistinctComponents, hasCommonSampling else { return nil }
    }

    private var hasDistinctComponents: Bool { Set(components.map(\.id)).count == components.count }

    /// True if the first component has 1, 2 or 4 times the samples of each other one, in both directions.
    private var hasCommonSampling: Bool {
        let blocks = components.reduce(0) { $0 + $1.across * $1.down }
        // An MCU has at most ten blocks (B.2.3).
        return blocks <= 10 && components.indices.allSatisfy { columnFactor($0) != nil && rowFactor($0) != nil }
    }

    /// Sampling factors of the first component relative to another one; nil unless 1, 2 or 4.
    func columnFactor(_ index: Int) -> Int? { JPEGFrameHeader.factor(components[0].across, components[index].across) }
    func rowFactor(_ index: Int) -> Int? { JPEGFrameHeader.factor(components[0].down, components[index].down) }

    /// The ratio of two sampling factors; nil unless it is 1, 2 or 4.
    private static func factor(_ finest: Int, _ other: Int) -> Int? {
        [1, 2, 4].first { other > 0 && finest == other * $0 }
    }

    /// Number of MCUs in a scan with all components.
    var mcusAcross: Int { JPEGFrameHeader.quotient(size.width, 8 * components[0].across) }
    var mcusDown: Int { JPEGFrameHeader.quotient(size.height, 8 * components[0].down) }

    /// Number of a component's blocks that cover the image.
    /// The last one may extend beyond the image. Blocks that only complete an MCU are not counted.
    func blocksAcross(_ index: Int) -> Int {
        JPEGFrameHeader.quotient(size.width * components[index].across, 8 * components[0].across)
    }

    func blocksDown(_ index: Int) -> Int {
        JPEGFrameHeader.quotient(size.height * components[index].down, 8 * components[0].down)
    }

    /// The quotient, rounded up.
    private static func quotient(_ value: Int, _ divisor: Int) -> Int { (value + divisor - 1) / max(1, divisor) }
}
