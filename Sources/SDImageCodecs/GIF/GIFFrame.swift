import SDImage

/// Where a frame lies, how it is shown, and where its data are.
struct GIFFrame: Sendable {
    let layout: FrameLayout
    let isInterlaced: Bool
    /// Position and length of the palette that counts, in bytes.
    let palette: Range<Int>?
    let transparentIndex: UInt8?
    /// A graphic control extension came before it.
    let hasControl: Bool
    /// Bits of the first codes but one.
    let codeSize: UInt8
    /// Of the length of the first sub-block.
    let data: Int

    var size: PixelSize { layout.size }

    /// The rows that lie on a canvas of so many.
    func visibleRows(of canvas: PixelSize) -> Int { max(0, min(size.height, canvas.height - layout.top)) }
}

/// What the graphic control extension says about the frame that follows it (GIF89a, section 23).
struct GIFControl {
    /// There is one.
    private(set) var isStored = false
    /// At least 11; shorter and missing delays mean 100 ms.
    private(set) var milliseconds = 100
    private(set) var transparentIndex: UInt8?
    private(set) var disposal = FrameLayout.Disposal.none

    init() {}

    init(_ start: ByteReader) {
        var reader = start
        guard let length = reader.u8(), length >= 4, let flags = reader.u8(), let delay = reader.u16(bigEndian: false),
            let index = reader.u8()
        else { return }
        isStored = true
        if delay > 1 { milliseconds = Int(delay) * 10 }
        if flags & 1 != 0 { transparentIndex = index }
        switch flags >> 2 & 7 {
        case 2: disposal = .background
        case 3: disposal = .previous
        default: disposal = .none
        }
    }
}
