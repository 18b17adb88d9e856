import SDImage

/// Locations of the images in a GIF. Walks the blocks without decoding, and continues at the same offset when more bytes are
/// available (GIF89a specification, appendix B).
struct GIFContainer {
    private(set) var screen = PixelSize(width: 0, height: 0)
    /// Location of the global palette in bytes.
    private var palette: Range<Int>?
    /// Frames whose data are complete.
    private(set) var frames: [GIFFrame] = []
    /// The frame whose data are arriving.
    private(set) var pending: GIFFrame?
    /// Loop count as stored, 0 = forever; nil when not specified.
    private(set) var loops: Int?
    /// True when no more blocks are read.
    private(set) var isEnded = false

    private let frameLimit: Int
    /// The graphic control for the next frame; each frame consumes it.
    private var control = GIFGraphicControl()
    /// Offset of the next block or sub-block.
    private var offset = 0
    /// True between the start of an image or extension and its terminator.
    private var isInSubBlocks = false

    init(frameLimit: Int) { self.frameLimit = frameLimit }

    /// The first frame, even if its data are incomplete.
    var firstFrame: GIFFrame? { frames.first ?? pending }
    var isAnimated: Bool { frames.count > 1 }
    /// 0 for stills. A GIF without a loop extension plays once.
    var loopCount: Int { isAnimated ? loops ?? 1 : 0 }

    /// False when the first frame leaves no pixel transparent. The canvas starts transparent, as in browsers, whatever background
    /// color the file has (docs/decisions.md, "Ambiguous files look as in browsers").
    var hasAlpha: Bool {
        guard let frame = firstFrame else { return true }
        return frame.transparentIndex != nil || !frame.layout.covers(canvas)
    }

    /// The size of the image: the logical screen, or the first frame if the screen has no area.
    var canvas: PixelSize {
        guard screen.isEmpty, let layout = firstFrame?.layout else { return screen }
        return PixelSize(
            width: max(screen.width, layout.left + layout.size.width),
            height: max(screen.height, layout.top + layout.size.height))
    }

    /// Continues reading in `bytes`, which start with all bytes read before.
    mutating func read(_ bytes: Bytes, stop: CancellationToken) throws(ImageError) {
        var blocks = GIFBlockReader(bytes, at: offset)
        guard blocks.offset == offset, offset > 0 || readScreen(&blocks) else { return }
        while !isEnded, try isInSubBlocks ? skipSubBlocks(&blocks, stop) : readBlock(&blocks) { try stop.spend(1) }
    }

    // MARK: Blocks

    /// Reads the header; false when it is incomplete.
    private mutating func readScreen(_ blocks: inout GIFBlockReader) -> Bool {
        guard let found = blocks.readScreen() else { return false }
        screen = found.size
        palette = found.palette.isEmpty ? nil : found.palette
        offset = blocks.offset
        return true
    }

    /// Reads a block. Returns false when the bytes end within it; the block is then re-read later.
    private mutating func readBlock(_ blocks: inout GIFBlockReader) -> Bool {
        guard frames.count < frameLimit, let block = blocks.readBlock() else { return false }
        switch block {
        case .extension(let label): guard readExtension(label, blocks.reader) else { return false }
        case .image(let descriptor): beginFrame(descriptor, data: blocks.offset)
        case .padding: break
        case .end: isEnded = true
        }
        offset = blocks.offset
        return true
    }

    /// Starts a frame, whose data begin at offset `data`. One without a size has that of the screen.
    private mutating func beginFrame(_ descriptor: GIFBlockReader.ImageDescriptor, data: Int) {
        var layout = FrameLayout(size: descriptor.size.isEmpty ? screen : descriptor.size)
        (layout.left, layout.top) = (descriptor.left, descriptor.top)
        layout.disposal = control.disposal
        layout.durationMilliseconds = control.milliseconds
        layout.isOpaque = control.transparentIndex == nil
        pending = GIFFrame(
            layout: layout, isInterlaced: descriptor.isInterlaced,
            palette: descriptor.palette.isEmpty ? palette : descriptor.palette,
            transparentIndex: control.transparentIndex, codeSize: descriptor.codeSize, data: data)
        control = GIFGraphicControl()
        isInSubBlocks = true
    }

    /// Skips to the end of a frame or extension. False when the bytes end before it.
    private mutating func skipSubBlocks(
        _ blocks: inout GIFBlockReader, _ stop: CancellationToken
    ) throws(ImageError) -> Bool {
        // Each sub-block is passed once, however small the pieces are in which the bytes arrive.
        while let length = try blocks.skipSubBlock(stop) {
            offset = blocks.offset
            guard length == 0 else { continue }
            isInSubBlocks = false
            if let frame = pending { frames.append(frame) }
            pending = nil
            return true
        }
        return false
    }

    /// Reads an extension, whose sub-blocks start at `reader`; false when the required ones are incomplete.
    private mutating func readExtension(_ label: UInt8, _ reader: ByteReader) -> Bool {
        var ahead = reader
        switch label {
        // Graphic control, application.
        case 0xF9:
            guard let length = ahead.u8(), ahead.skip(Int(length)) else { return false }
            control = GIFGraphicControl(reader)
        case 0xFF:
            guard let length = ahead.u8(), ahead.skip(Int(length)) else { return false }
            // The loop count is in the second sub-block.
            if length > 0 { guard let next = ahead.u8(), ahead.skip(Int(next)) else { return false } }
            readApplication(reader)
        default: break
        }
        isInSubBlocks = true
        return true
    }

    /// Reads "NETSCAPE2.0" and its synonym: a sub-block of 3 bytes, starting with 1, contains the loop count.
    private mutating func readApplication(_ start: ByteReader) {
        var reader = start
        let name = reader.offset + 1
        guard reader.u8() == 11, reader.matches("NETSCAPE2.0", at: name) || reader.matches("ANIMEXTS1.0", at: name),
            reader.skip(11), reader.u8() == 3, reader.u8().map({ $0 & 7 }) == 1, let count = reader.u16(bigEndian: false)
        else { return }
        loops = Int(count)
    }
}
