import SDImage

/// Locations of the images in a GIF. Walks the blocks without decoding, and continues at the same offset when more bytes are
/// available (GIF89a specification, appendix B).
struct GIFStructure {
    private(set) var screen = PixelSize(width: 0, height: 0)
    /// Location of the global palette in bytes.
    private(set) var palette: Range<Int>?
    private(set) var backgroundIndex: UInt8 = 0
    /// Frames whose data are complete.
    private(set) var frames: [GIFFrame] = []
    /// The frame whose data are arriving.
    private(set) var pending: GIFFrame?
    /// Loop count as stored, 0 = forever; nil when not specified.
    private(set) var loops: Int?
    /// True when no more blocks are read.
    private(set) var isEnded = false

    private let frameLimit: Int
    private var control = GIFControl()
    /// Offset of the next block or sub-block.
    private var offset = 0
    private var isInBlocks = false

    init(frameLimit: Int) { self.frameLimit = frameLimit }

    /// The first frame, even if its data are incomplete.
    var firstFrame: GIFFrame? { frames.first ?? pending }
    var isAnimated: Bool { frames.count > 1 }
    /// 0 for stills. A GIF without a loop extension plays once.
    var loopCount: Int { isAnimated ? loops ?? 1 : 0 }
    /// True when the canvas starts with the background colour: if the first frame has no graphic control extension, as in files
    /// without transparency (GIF89a, section 18). Otherwise it starts transparent, as in browsers.
    var showsBackground: Bool { palette != nil && firstFrame?.hasControl == false }

    /// False when the first frame and its background leave no pixel transparent.
    var hasAlpha: Bool {
        guard let frame = firstFrame, !showsBackground else { return firstFrame == nil }
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
        var reader = bytes.reader
        guard reader.seek(to: offset), offset > 0 || readHeader(&reader) else { return }
        while !isEnded, try isInBlocks ? skipBlocks(&reader, stop) : readBlock(&reader) { try stop.spend(1) }
    }

    // MARK: Blocks

    private mutating func readHeader(_ reader: inout ByteReader) -> Bool {
        guard reader.skip(6), let width = reader.u16(bigEndian: false), let height = reader.u16(bigEndian: false),
            let flags = reader.u8(), let background = reader.u8(), reader.skip(1),
            let colors = GIFStructure.skipPalette(&reader, flags: flags)
        else { return false }
        screen = PixelSize(width: Int(width), height: Int(height))
        palette = colors.isEmpty ? nil : colors
        backgroundIndex = background
        offset = reader.offset
        return true
    }

    /// Reads a block. Returns false when the bytes end within it; the block is then re-read later.
    private mutating func readBlock(_ reader: inout ByteReader) -> Bool {
        guard frames.count < frameLimit, let introducer = reader.u8() else { return false }
        switch introducer {
        case 0x21: guard readExtension(&reader) else { return false }
        case 0x2C: guard readFrame(&reader) else { return false }
        // Zero bytes between blocks come from writers that miscounted. Any other byte is the trailer or invalid, and ends the
        // file.
        case 0x00: break
        default: isEnded = true
        }
        offset = reader.offset
        return true
    }

    private mutating func readFrame(_ reader: inout ByteReader) -> Bool {
        guard let left = reader.u16(bigEndian: false), let top = reader.u16(bigEndian: false),
            let width = reader.u16(bigEndian: false), let height = reader.u16(bigEndian: false), let flags = reader.u8(),
            let colors = GIFStructure.skipPalette(&reader, flags: flags), let codeSize = reader.u8()
        else { return false }
        let size = PixelSize(width: Int(width), height: Int(height))
        var layout = FrameLayout(size: size.isEmpty ? screen : size)
        (layout.left, layout.top) = (Int(left), Int(top))
        layout.disposal = control.disposal
        layout.durationMilliseconds = control.milliseconds
        layout.isOpaque = control.transparentIndex == nil
        pending = GIFFrame(
            layout: layout, isInterlaced: flags & 0x40 != 0, palette: colors.isEmpty ? palette : colors,
            transparentIndex: control.transparentIndex, hasControl: control.isStored, codeSize: codeSize, data: reader.offset)
        control = GIFControl()
        isInBlocks = true
        return true
    }

    /// Returns the location of a palette, empty when there is none; nil when it is incomplete.
    private static func skipPalette(_ reader: inout ByteReader, flags: UInt8) -> Range<Int>? {
        let start = reader.offset
        guard flags & 0x80 != 0 else { return start..<start }
        return reader.skip(3 << (Int(flags & 7) + 1)) ? start..<reader.offset : nil
    }

    // MARK: Sub-blocks

    /// Skips to the end of a frame or extension. False when the bytes end before it.
    private mutating func skipBlocks(_ reader: inout ByteReader, _ stop: CancellationToken) throws(ImageError) -> Bool {
        while let length = reader.u8() {
            try stop.spend(Int(length) + 1)
            guard reader.skip(Int(length)) else { return false }
            offset = reader.offset
            guard length == 0 else { continue }
            isInBlocks = false
            if let frame = pending { frames.append(frame) }
            pending = nil
            return true
        }
        return false
    }

    /// Reads an extension; false when the required sub-blocks are incomplete.
    private mutating func readExtension(_ reader: inout ByteReader) -> Bool {
        guard let label = reader.u8() else { return false }
        var ahead = reader
        switch label {
        case 0xF9:
            guard let length = ahead.u8(), ahead.skip(Int(length)) else { return false }
            control = GIFControl(reader)
        case 0xFF:
            guard let length = ahead.u8(), ahead.skip(Int(length)) else { return false }
            if length > 0 { guard let next = ahead.u8(), ahead.skip(Int(next)) else { return false } }
            readApplication(reader)
        default: break
        }
        isInBlocks = true
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
