import SDImage

/// What the chunks of a data stream say of an animation, as far as they are there (PNG, third edition, sections 4.9 and
/// 11.3.6).
///
/// The first error in them ends the animation: the frames before it stand. Picture data is neither read nor checked.
struct APNGStructure {
    private(set) var canvas = PixelSize(width: 0, height: 0)
    /// Pixels may be transparent.
    private var hasAlpha = false
    /// 0 unless the animation was announced before the picture data.
    private(set) var announcedFrames = 0
    private var announcedLoops = 0
    /// Whole frames.
    private(set) var frames: [APNGFrame] = []
    /// No more frames are to come.
    private(set) var isEnded = false
    /// The default picture has begun.
    private var sawPicture = false
    /// Frame whose control was read and whose data is coming.
    private var current: APNGFrame?
    private var nextSequence: UInt32 = 0
    private let limits: DecodeLimits
    private var offset = 8

    init(limits: DecodeLimits) { self.limits = limits }

    /// Of all bytes.
    init(_ bytes: Bytes, limits: DecodeLimits, stop: StopSignal) throws(ImageError) {
        self.init(limits: limits)
        try advance(bytes, isFinished: true, stop: stop)
    }

    /// A lone frame that is the default picture makes a still.
    var isAnimated: Bool { frames.count > 1 || frames.first.map { !$0.isDefaultPicture } ?? false }
    var frameCount: Int { isAnimated ? frames.count : 1 }
    /// 0 = for ever, and for stills.
    var loopCount: Int { frames.count > 1 ? announcedLoops : 0 }

    /// One round as played; 0 for stills.
    var durationMilliseconds: Int {
        frames.count > 1 ? frames.reduce(0) { $0 + $1.layout.durationMilliseconds } : 0
    }

    /// An animation is announced before the picture data.
    static func isAnnounced(_ bytes: Bytes, stop: StopSignal) throws(ImageError) -> Bool {
        var chunks = PNGChunks(bytes, stop: stop)
        while let chunk = try chunks.next() {
            if chunk.name == animationControl { return true }
            if chunk.name == imageData { return false }
        }
        return false
    }

    /// True once pixels have begun and no animation was announced before them.
    static func isKnownStill(_ bytes: Bytes, stop: StopSignal) throws(ImageError) -> Bool {
        var chunks = PNGChunks(bytes, stop: stop)
        while let chunk = try chunks.next() {
            if chunk.name == animationControl { return false }
            if chunk.name == imageData { return true }
        }
        return false
    }

    /// Goes on with all bytes so far.
    mutating func advance(_ bytes: Bytes, isFinished: Bool, stop: StopSignal) throws(ImageError) {
        var chunks = PNGChunks(bytes, from: offset, stop: stop)
        while !isEnded, let chunk = try chunks.next() {
            offset = chunks.offset
            try read(chunk, of: chunks, bytes)
        }
        guard !isEnded else { return }
        // A chunk that is cut makes its frame incomplete; that nothing follows does not.
        if chunks.isAtEnd || isFinished && offset == bytes.count { close() }
        isEnded = isEnded || chunks.isAtEnd
    }

    private mutating func read(_ chunk: PNGChunk, of chunks: PNGChunks, _ bytes: Bytes) throws(ImageError) {
        var reader = bytes.reader
        reader.seek(to: chunk.data.lowerBound)
        switch chunk.name {
        case APNGStructure.imageHeader: if canvas.isEmpty { readHeader(chunk, &reader) }
        case APNGStructure.transparency: hasAlpha = true
        case APNGStructure.animationControl:
            if chunk.data.count == 8, try chunks.isIntact(chunk) { readControl(&reader) }
        case APNGStructure.frameControl:
            if chunk.data.count == 26, try chunks.isIntact(chunk) { readFrame(&reader) } else { isEnded = true }
        case APNGStructure.imageData:
            // Without an announcement there is no animation.
            sawPicture = true
            if announcedFrames == 0 { isEnded = true }
            if current?.isDefaultPicture ?? false { fill(chunk) }
        case APNGStructure.frameData: readData(chunk, &reader)
        default: break
        }
    }

    private mutating func readHeader(_ chunk: PNGChunk, _ reader: inout ByteReader) {
        guard chunk.data.count == 13, let width = reader.u32(bigEndian: true), let height = reader.u32(bigEndian: true),
            reader.skip(1), let type = reader.u8()
        else { return isEnded = true }
        canvas = PixelSize(width: Int(width), height: Int(height))
        hasAlpha = type & 4 != 0
    }

    private mutating func readControl(_ reader: inout ByteReader) {
        guard let frames = reader.u32(bigEndian: true), let loops = reader.u32(bigEndian: true), announcedFrames == 0,
            frames <= Int32.max
        else { return }
        announcedFrames = Int(frames)
        announcedLoops = Int(loops)
    }

    private mutating func readFrame(_ reader: inout ByteReader) {
        close()
        // One without data was not closed: neither it nor what follows counts.
        guard !isEnded, current == nil, isNext(&reader),
            let frame = APNGFrame(&reader, canvas: canvas, isDefaultPicture: !sawPicture)
        else { return isEnded = true }
        current = frame
        current?.layout.isOpaque = !hasAlpha
    }

    private mutating func readData(_ chunk: PNGChunk, _ reader: inout ByteReader) {
        guard let current, !current.isDefaultPicture, isNext(&reader) else { return isEnded = true }
        fill(chunk)
    }

    private mutating func fill(_ chunk: PNGChunk) {
        guard let current else { return }
        let start = current.isFilled ? current.data.lowerBound : chunk.data.lowerBound - 8
        self.current?.data = start..<chunk.data.upperBound + 4
    }

    /// The frame that was being read is whole.
    private mutating func close() {
        guard let frame = current, frame.isFilled else { return }
        frames.append(frame)
        current = nil
        if frames.count >= min(announcedFrames, limits.frames) { isEnded = true }
    }

    private mutating func isNext(_ reader: inout ByteReader) -> Bool {
        guard reader.u32(bigEndian: true) == nextSequence else { return false }
        nextSequence &+= 1
        return true
    }

    private static let imageHeader = PNGChunk.name("IHDR")
    private static let transparency = PNGChunk.name("tRNS")
    private static let imageData = PNGChunk.name("IDAT")
    private static let frameData = PNGChunk.name("fdAT")
    private static let animationControl = PNGChunk.name("acTL")
    private static let frameControl = PNGChunk.name("fcTL")
}
