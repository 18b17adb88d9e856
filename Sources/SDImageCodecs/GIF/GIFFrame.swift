import SDImage

/// Position, properties and data location of a frame. `GIFContainer` finds it, `GIFRowDecoder` decodes it.
struct GIFFrame: Sendable {
    let layout: FrameLayout
    let isInterlaced: Bool
    /// Location of the palette in effect, local or global.
    let palette: Range<Int>?
    /// The palette index that draws nothing; nil when there is none.
    let transparentIndex: UInt8?
    /// LZW minimum code size.
    let codeSize: UInt8
    /// Offset of the first sub-block, at its length byte.
    let data: Int

    var size: PixelSize { layout.size }

    /// Number of rows that lie on a canvas of this size.
    func visibleRows(of canvas: PixelSize) -> Int { max(0, min(size.height, canvas.height - layout.top)) }

    /// Returns the row for a stored line, of `lineCount` (GIF89a, appendix E).
    func row(ofLine line: Int, of lineCount: Int) -> Int {
        guard isInterlaced else { return line }
        var first = 0
        // The four passes: first row and distance of rows.
        for (start, step) in [(0, 8), (4, 8), (2, 4), (1, 2)] {
            let lines = max(0, (lineCount - start + step - 1) / step)
            if line < first + lines { return start + (line - first) * step }
            first += lines
        }
        return lineCount
    }
}

/// The graphic control extension of the following frame (GIF89a, section 23).
struct GIFGraphicControl {
    /// Duration, at least 20 ms; shorter and missing delays mean 100 ms.
    private(set) var milliseconds = 100
    private(set) var transparentIndex: UInt8?
    private(set) var disposal = FrameLayout.Disposal.none

    init() {}

    /// `start` is at the length of the sub-block. A block that is too short has no effect.
    init(_ start: ByteReader) {
        var reader = start
        guard let length = reader.u8(), length >= 4, let flags = reader.u8(), let delay = reader.u16(bigEndian: false),
            let index = reader.u8()
        else { return }
        if delay > 1 { milliseconds = Int(delay) * 10 }
        if flags & 1 != 0 { transparentIndex = index }
        // 0 and 1 leave the frame, 4 to 7 are not defined.
        switch flags >> 2 & 7 {
        case 2: disposal = .background
        case 3: disposal = .previous
        default: disposal = .none
        }
    }
}
