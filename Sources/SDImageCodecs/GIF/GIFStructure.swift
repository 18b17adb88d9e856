import SDImage

/// Where the first picture of a GIF lies, and how many there are: a walk over the blocks that decodes nothing
/// (GIF89a specification, appendix B).
struct GIFStructure {
    private(set) var screen = PixelSize(width: 0, height: 0)
    /// Position and length of the global palette, in bytes.
    private(set) var palette: Range<Int>?
    private(set) var firstFrame: GIFFrame?
    /// Frames with all their data.
    private(set) var completeFrames = 0
    private(set) var milliseconds = 0
    /// As stored, 0 = for ever; nil when the file says nothing.
    private(set) var loops: Int?

    private var control = GIFControl()

    var isAnimated: Bool { completeFrames > 1 }
    var frameCount: Int { isAnimated ? completeFrames : 1 }
    /// A GIF without a loop extension plays once (spec COD-37); 0 for stills.
    var loopCount: Int { isAnimated ? loops ?? 1 : 0 }
    var durationMilliseconds: Int { isAnimated ? milliseconds : 0 }

    /// The area that the picture is shown in: the logical screen, or the first frame where the screen has no area.
    var canvas: PixelSize {
        guard screen.isEmpty, let frame = firstFrame else { return screen }
        return PixelSize(
            width: max(screen.width, frame.left + frame.size.width), height: max(screen.height, frame.top + frame.size.height))
    }

    /// Stops behind the first frame's data when nothing else is wanted, and anywhere at `frameLimit` frames.
    init(_ bytes: Bytes, frameLimit: Int) {
        var reader = bytes.reader
        guard reader.skip(6), readScreen(&reader) else { return }
        while completeFrames < frameLimit, let introducer = reader.u8() {
            switch introducer {
            case 0x21: guard readExtension(&reader) else { return }
            case 0x2C: guard readFrame(&reader) else { return }
            // Zeros between blocks come from writers that miscounted; anything else is the trailer or the end of sense.
            case 0x00: continue
            default: return
            }
        }
    }

    private mutating func readScreen(_ reader: inout ByteReader) -> Bool {
        guard let width = reader.u16(bigEndian: false), let height = reader.u16(bigEndian: false), let flags = reader.u8(),
            reader.skip(2)
        else { return false }
        screen = PixelSize(width: Int(width), height: Int(height))
        palette = GIFStructure.skipPalette(&reader, flags: flags)
        return palette != nil || flags & 0x80 == 0
    }

    /// nil when there is none, or not all of it.
    private static func skipPalette(_ reader: inout ByteReader, flags: UInt8) -> Range<Int>? {
        guard flags & 0x80 != 0 else { return nil }
        let start = reader.offset
        return reader.skip(3 << (Int(flags & 7) + 1)) ? start..<reader.offset : nil
    }

    // MARK: Frames

    /// False when the bytes end within.
    private mutating func readFrame(_ reader: inout ByteReader) -> Bool {
        let position = reader.offset - 1
        guard let left = reader.u16(bigEndian: false), let top = reader.u16(bigEndian: false),
            let width = reader.u16(bigEndian: false), let height = reader.u16(bigEndian: false), let flags = reader.u8()
        else { return false }
        let local = GIFStructure.skipPalette(&reader, flags: flags)
        guard local != nil || flags & 0x80 == 0 else { return false }
        if firstFrame == nil {
            let size = PixelSize(width: Int(width), height: Int(height))
            firstFrame = GIFFrame(
                position: position, left: Int(left), top: Int(top), size: size.isEmpty ? screen : size,
                isInterlaced: flags & 0x40 != 0, palette: local ?? palette, transparentIndex: control.transparentIndex)
        }
        defer { control = GIFControl() }
        guard reader.skip(1), GIFStructure.skipBlocks(&reader) else { return false }
        completeFrames += 1
        milliseconds += control.milliseconds
        return true
    }

    private static func skipBlocks(_ reader: inout ByteReader) -> Bool {
        while let length = reader.u8() {
            if length == 0 { return true }
            guard reader.skip(Int(length)) else { return false }
        }
        return false
    }

    // MARK: Extensions

    private mutating func readExtension(_ reader: inout ByteReader) -> Bool {
        guard let label = reader.u8() else { return false }
        if label == 0xF9 { control = GIFControl(reader) }
        if label == 0xFF { readApplication(reader) }
        return GIFStructure.skipBlocks(&reader)
    }

    /// "NETSCAPE2.0" and its twin: a block of 3 bytes whose first is 1 holds the number of repetitions.
    private mutating func readApplication(_ start: ByteReader) {
        var reader = start
        let name = reader.offset + 1
        guard reader.u8() == 11, reader.matches("NETSCAPE2.0", at: name) || reader.matches("ANIMEXTS1.0", at: name),
            reader.skip(11), reader.u8() == 3, reader.u8().map({ $0 & 7 }) == 1, let count = reader.u16(bigEndian: false)
        else { return }
        loops = Int(count)
    }
}

/// Where a frame lies and how it is shown.
struct GIFFrame {
    /// Of its image separator.
    let position: Int
    let left: Int
    let top: Int
    let size: PixelSize
    let isInterlaced: Bool
    /// Position and length of the palette that counts, in bytes.
    let palette: Range<Int>?
    let transparentIndex: UInt8?
}

/// What the graphic control extension says about the frame that follows it.
struct GIFControl {
    /// At least 11; shorter and missing delays mean 100 ms (spec COD-36).
    private(set) var milliseconds = 100
    private(set) var transparentIndex: UInt8?

    init() {}

    init(_ start: ByteReader) {
        var reader = start
        guard let length = reader.u8(), length >= 4, let flags = reader.u8(), let delay = reader.u16(bigEndian: false),
            let index = reader.u8()
        else { return }
        if delay > 1 { milliseconds = Int(delay) * 10 }
        if flags & 1 != 0 { transparentIndex = index }
    }
}
