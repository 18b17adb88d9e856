import SDImage

/// The animation chunks of a data stream, as far as received (PNG, third edition, sections 4.9 and 11.3.6).
///
/// The first error ends the animation; the frames before it remain valid. Image data are neither decoded nor checked.
struct APNGContainer {
    /// The size in IHDR; empty before it.
    private(set) var canvas = PixelSize(width: 0, height: 0)
    /// True when pixels may be transparent.
    private var hasAlpha = false
    /// Number of frames in acTL; 0 unless acTL precedes the image data.
    private(set) var announcedFrames = 0
    /// Number of plays in acTL; 0 means forever.
    private var announcedLoops = 0
    /// Complete frames.
    private(set) var frames: [APNGFrame] = []
    /// True when no more frames follow.
    private(set) var isEnded = false
    /// True when the default image has started.
    private var hasSeenIDAT = false
    /// Frame whose fcTL was read and whose data are arriving.
    private var current: APNGFrame?
    /// The sequence number that the next fcTL or fdAT must have. A gap means a damaged or reordered file.
    private var nextSequence: UInt32 = 0
    private let limits: DecodeLimits
    /// Offset after the last chunk that was read; the first chunk follows the signature.
    private var offset = 8

    init(limits: DecodeLimits) { self.limits = limits }

    /// Reads the complete data.
    init(_ bytes: Bytes, limits: DecodeLimits, stop: CancellationToken) throws(ImageError) {
        self.init(limits: limits)
        try advance(bytes, isFinished: true, stop: stop)
    }

    /// True for an animation; a single frame that is the default image is a still.
    var isAnimated: Bool { frames.count > 1 || frames.first.map { !$0.isDefaultImage } ?? false }
    var frameCount: Int { isAnimated ? frames.count : 1 }
    /// 0 = forever, and for stills.
    var loopCount: Int { frames.count > 1 ? announcedLoops : 0 }

    /// Duration of one loop as played; 0 for stills.
    var durationMilliseconds: Int {
        frames.count > 1 ? frames.reduce(0) { $0 + $1.layout.durationMilliseconds } : 0
    }

    /// True when acTL precedes the image data.
    static func isAnnounced(_ bytes: Bytes, stop: CancellationToken) throws(ImageError) -> Bool {
        var chunks = PNGChunkReader(bytes, stop: stop)
        while let chunk = try chunks.next() {
            if chunk.name == animationControl { return true }
            if chunk.name == imageData { return false }
        }
        return false
    }

    /// True when image data have started without a preceding acTL.
    static func isKnownStill(_ bytes: Bytes, stop: CancellationToken) throws(ImageError) -> Bool {
        var chunks = PNGChunkReader(bytes, stop: stop)
        while let chunk = try chunks.next() {
            if chunk.name == animationControl { return false }
            if chunk.name == imageData { return true }
        }
        return false
    }

    /// Continues with all bytes received so far.
    mutating func advance(_ bytes: Bytes, isFinished: Bool, stop: CancellationToken) throws(ImageError) {
        var chunks = PNGChunkReader(bytes, from: offset, stop: stop)
        while !isEnded, let chunk = try chunks.next() {
            offset = chunks.offset
            try read(chunk, of: chunks, bytes)
        }
        guard !isEnded else { return }
        // A truncated chunk makes its frame incomplete; a missing IEND does not.
        if chunks.isAtEnd || isFinished && offset == bytes.count { close() }
        isEnded = isEnded || chunks.isAtEnd
    }

    /// Reads one chunk. Of the check sums, only those of acTL and fcTL are verified here.
    private mutating func read(_ chunk: PNGChunk, of chunks: PNGChunkReader, _ bytes: Bytes) throws(ImageError) {
        var reader = bytes.reader
        reader.seek(to: chunk.data.lowerBound)
        switch chunk.name {
        case APNGContainer.imageHeader: if canvas.isEmpty { readHeader(chunk, &reader) }
        case APNGContainer.transparency: hasAlpha = true
        case APNGContainer.animationControl:
            // A damaged acTL counts as missing: the file is a still.
            if chunk.data.count == 8, try chunks.isIntact(chunk) { readControl(&reader) }
        case APNGContainer.frameControl:
            if chunk.data.count == 26, try chunks.isIntact(chunk) { readFrame(&reader) } else { isEnded = true }
        case APNGContainer.imageData:
            // Without acTL there is no animation.
            hasSeenIDAT = true
            if announcedFrames == 0 { isEnded = true }
            if current?.isDefaultImage ?? false { fill(chunk) }
        // The check sums of image data are verified when the frame is drawn.
        case APNGContainer.frameData: readData(chunk, &reader)
        default: break
        }
    }

    /// Reads IHDR. Bit 2 of the color type is alpha.
    private mutating func readHeader(_ chunk: PNGChunk, _ reader: inout ByteReader) {
        guard chunk.data.count == 13, let width = reader.u32(bigEndian: true), let height = reader.u32(bigEndian: true),
            reader.skip(1), let type = reader.u8()
        else { return isEnded = true }
        canvas = PixelSize(width: Int(width), height: Int(height))
        hasAlpha = type & 4 != 0
    }

    /// Reads acTL: the number of frames and of plays. Only the first one counts.
    private mutating func readControl(_ reader: inout ByteReader) {
        guard let frames = reader.u32(bigEndian: true), let loops = reader.u32(bigEndian: true), announcedFrames == 0,
            frames <= Int32.max
        else { return }
        announcedFrames = Int(frames)
        announcedLoops = Int(loops)
    }

    /// Reads fcTL, which completes the frame before it.
    private mutating func readFrame(_ reader: inout ByteReader) {
        close()
        // A frame without data was not closed: neither it nor later frames are valid.
        guard !isEnded, current == nil, isNext(&reader),
            let frame = APNGFrame(&reader, canvas: canvas, isDefaultImage: !hasSeenIDAT)
        else { return isEnded = true }
        current = frame
        current?.layout.isOpaque = !hasAlpha
    }

    /// Reads the sequence number of fdAT. An fdAT that does not belong to the current frame ends the animation.
    private mutating func readData(_ chunk: PNGChunk, _ reader: inout ByteReader) {
        guard let current, !current.isDefaultImage, isNext(&reader) else { return isEnded = true }
        fill(chunk)
    }

    /// Adds a data chunk to the current frame. The range of its data starts at the length of the first chunk and ends after the
    /// check sum of the last.
    private mutating func fill(_ chunk: PNGChunk) {
        guard let current else { return }
        let start = current.isFilled ? current.data.lowerBound : chunk.data.lowerBound - 8
        self.current?.data = start..<chunk.data.upperBound + 4
    }

    /// Completes the frame that was being read.
    private mutating func close() {
        guard let frame = current, frame.isFilled else { return }
        frames.append(frame)
        current = nil
        if frames.count >= min(announcedFrames, limits.frames) { isEnded = true }
    }

    /// Reads a sequence number; false if it is not the next.
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
