import SDImage

/// Writes APNG files frame by frame, invalid ones too.
struct APNGBuilder {
    /// Fields of fcTL without the sequence number.
    struct Frame {
        var width = 4
        var height = 2
        var left = 0
        var top = 0
        var delay = (40, 1000)
        /// 0: none, 1: background, 2: previous.
        var disposal = 0
        /// 0: source, 1: over.
        var blend = 0
    }

    var png: PNGBuilder
    var sequence = 0
    private var hasPicture = false

    init(
        width: Int = 4, height: Int = 2, depth: UInt8 = 8, type: UInt8 = 6, frames: Int, loops: Int = 0, interlaced: Bool = false
    ) {
        png = .header(width, height, depth: depth, type: type, interlaced: interlaced)
        png.chunk("acTL", PNGBuilder.four(frames) + PNGBuilder.four(loops))
    }

    /// Adds a frame; the first frame is the default image.
    mutating func add(_ frame: Frame = Frame(), _ rows: [[UInt8]], damaged: Bool = false) {
        control(frame)
        data(rows, damaged: damaged)
    }

    /// Adds a frame of one RGBA color.
    mutating func add(_ frame: Frame = Frame(), color: [UInt8], damaged: Bool = false) {
        let row = (0..<frame.width).flatMap { _ in color }
        add(frame, Array(repeating: row, count: frame.height), damaged: damaged)
    }

    mutating func control(_ frame: Frame) {
        let numbers = [sequence, frame.width, frame.height, frame.left, frame.top].flatMap(PNGBuilder.four)
        let delay = [frame.delay.0 >> 8, frame.delay.0 & 255, frame.delay.1 >> 8, frame.delay.1 & 255].map { UInt8($0) }
        png.chunk("fcTL", numbers + delay + [UInt8(frame.disposal), UInt8(frame.blend)])
        sequence += 1
    }

    mutating func data(_ rows: [[UInt8]], damaged: Bool = false) {
        var stream = PNGBuilder.rows(rows)
        // An invalid block type.
        if damaged { stream[2] = 7 }
        if hasPicture {
            png.chunk("fdAT", PNGBuilder.four(sequence) + stream)
            sequence += 1
        } else {
            png.chunk("IDAT", stream)
            hasPicture = true
        }
    }

    /// Adds a default image that is not a frame.
    mutating func addPicture(_ rows: [[UInt8]]) { data(rows) }

    func finished() -> [UInt8] {
        var png = png
        png.chunk("IEND", [])
        return png.bytes
    }
}
