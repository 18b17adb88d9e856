import SDImage

/// One frame of an APNG: the content of its fcTL, and the location of its data. `APNGContainer` reads it, `APNGFramePainter`
/// draws it.
struct APNGFrame {
    var layout: FrameLayout
    /// Range from the first data chunk to the end of the last; empty while there is none.
    var data: Range<Int>
    /// True when the data are those of the default image, in IDAT.
    let isDefaultImage: Bool
    /// True when data were found.
    var isFilled: Bool { !data.isEmpty }

    /// `reader` is in the data of an fcTL chunk, after its sequence number (PNG, third edition, section 11.3.6.2). nil when the
    /// chunk is invalid.
    init?(_ reader: inout ByteReader, canvas: PixelSize, isDefaultImage: Bool) {
        guard let width = reader.u32(bigEndian: true), let height = reader.u32(bigEndian: true),
            let left = reader.u32(bigEndian: true), let top = reader.u32(bigEndian: true),
            let numerator = reader.u16(bigEndian: true), let denominator = reader.u16(bigEndian: true),
            let disposal = reader.u8(), let blend = reader.u8(), disposal <= 2, blend <= 1,
            width > 0, height > 0, Int(left) + Int(width) <= canvas.width, Int(top) + Int(height) <= canvas.height
        else { return nil }
        layout = FrameLayout(size: PixelSize(width: Int(width), height: Int(height)))
        // The default image is also a still, so it covers the canvas.
        guard !isDefaultImage || layout.size == canvas else { return nil }
        (layout.left, layout.top) = (Int(left), Int(top))
        layout.disposal = disposal == 0 ? .none : disposal == 1 ? .background : .previous
        layout.blend = blend == 0 ? .source : .over
        layout.durationMilliseconds = APNGFrame.duration(Int(numerator), Int(denominator))
        data = 0..<0
        self.isDefaultImage = isDefaultImage
    }

    /// Returns the duration as played. A denominator of 0 means hundredths of a second; less than 11 ms means 100 ms.
    private static func duration(_ numerator: Int, _ denominator: Int) -> Int {
        let milliseconds = Double(numerator) * 1000 / Double(denominator == 0 ? 100 : denominator)
        return milliseconds < 11 ? 100 : Int(milliseconds.rounded())
    }
}
