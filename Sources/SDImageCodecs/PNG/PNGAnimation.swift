import SDImage

/// Counts the frames that an animation announces and really has (PNG, third edition, section 11.3.6).
struct PNGAnimation {
    /// Frames beyond this many are not counted.
    var frameLimit = DecodeLimits.standard.frames
    private var announcedFrames = 0
    private var announcedLoops = 0
    private var canvas = PixelSize(width: 0, height: 0)
    private var foundFrames = 0
    private var milliseconds = 0
    /// Duration of the frame whose control was read and whose data has not come yet.
    private var pending: Int?

    /// One frame alone is a still.
    var isAnimated: Bool { announcedFrames > 1 && foundFrames > 1 }
    var frameCount: Int { isAnimated ? foundFrames : 1 }
    /// 0 = for ever, and for stills.
    var loopCount: Int { isAnimated ? announcedLoops : 0 }
    var durationMilliseconds: Int { isAnimated ? milliseconds : 0 }

    mutating func readHeader(_ reader: inout ByteReader) {
        guard let width = reader.u32(bigEndian: true), let height = reader.u32(bigEndian: true) else { return }
        canvas = PixelSize(width: Int(width), height: Int(height))
    }

    mutating func readControl(_ reader: inout ByteReader) {
        guard let frames = reader.u32(bigEndian: true), let loops = reader.u32(bigEndian: true), announcedFrames == 0 else {
            return
        }
        announcedFrames = Int(frames)
        announcedLoops = Int(loops)
    }

    /// A frame that leaves the canvas is invalid and not counted.
    mutating func readFrame(_ reader: inout ByteReader) {
        pending = nil
        guard reader.skip(4), let width = reader.u32(bigEndian: true), let height = reader.u32(bigEndian: true),
            let left = reader.u32(bigEndian: true), let top = reader.u32(bigEndian: true),
            let numerator = reader.u16(bigEndian: true), let denominator = reader.u16(bigEndian: true),
            width > 0, height > 0, Int(left) + Int(width) <= canvas.width, Int(top) + Int(height) <= canvas.height
        else { return }
        pending = PNGAnimation.duration(numerator: Int(numerator), denominator: Int(denominator))
    }

    /// Data before the first frame control is a default picture outside the animation.
    mutating func sawData(isDefaultPicture: Bool) {
        guard let duration = pending, foundFrames < min(announcedFrames, frameLimit) else { return }
        pending = nil
        foundFrames += 1
        milliseconds += duration
    }

    /// A denominator of 0 means hundredths of a second; less than 11 ms means 100 ms (spec COD-36, COD-40).
    static func duration(numerator: Int, denominator: Int) -> Int {
        let milliseconds = Double(numerator) * 1000 / Double(denominator == 0 ? 100 : denominator)
        return milliseconds < 11 ? 100 : Int(milliseconds.rounded())
    }
}
