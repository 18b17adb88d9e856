import SDImage
import SDImagePixels

/// The 256 colors for palette indices; indices beyond the palette are black. Made for each frame that is drawn.
struct GIFPalette {
    /// Pixels in memory order, the first byte in the lowest 8 bits; 0 for the transparent one.
    private var entries: [UInt32]
    private let format: PixelFormat
    /// The transparent index, which leaves the canvas unchanged.
    private let clear: UInt8?

    /// `format` is rgb8 or a 4-byte format; alpha is 0 or 255, so straight and premultiplied are equal. `replaces` means that
    /// transparent pixels are written too.
    init(
        _ bytes: Bytes, _ range: Range<Int>?, transparentIndex: UInt8?, format: PixelFormat, replaces: Bool = false
    ) {
        self.format = format
        let reader = bytes.reader
        var entries = [UInt32](repeating: 0xFF00_0000, count: 256)
        for index in 0..<min((range?.count ?? 0) / 3, 256) {
            let at = (range?.lowerBound ?? 0) + index * 3
            let (red, blue) = (UInt32(reader.byte(at: at) ?? 0), UInt32(reader.byte(at: at + 2) ?? 0))
            let (first, third) = format == .bgra8Premultiplied ? (blue, red) : (red, blue)
            entries[index] = 0xFF00_0000 | third << 16 | UInt32(reader.byte(at: at + 1) ?? 0) << 8 | first
        }
        clear = format.hasAlpha && !replaces ? transparentIndex : nil
        if let transparentIndex, format.hasAlpha { entries[Int(transparentIndex)] = 0 }
        self.entries = entries
    }

    /// Draws a line, which may be incomplete, as a row of a frame.
    func draw(_ line: UnsafeRawBufferPointer, onto canvas: FrameCanvas, y: Int) {
        // All visible pixels are drawn here, so those of the base are read where they are, without a copy.
        if line.count >= canvas.visibleColumns, clear != nil {
            guard let (row, below) = unsafe canvas.rowOver(y) else { return }
            unsafe draw(line, onto: row, below: below)
        } else if let row = unsafe canvas.row(y) {
            unsafe draw(line, onto: row)
        }
    }

    /// Writes the pixels of `line` that fit into `row`. Transparent pixels keep the existing ones unless they replace them.
    /// `below` contains the existing pixels if they are not in the row itself.
    func draw(
        _ line: UnsafeRawBufferPointer, onto row: UnsafeMutableRawBufferPointer, below: UnsafeRawPointer? = nil
    ) {
        let count = min(line.count, row.count / format.bytesPerPixel)
        guard count > 0, let target = row.baseAddress, let source = line.baseAddress else { return }
        let indices = unsafe source.assumingMemoryBound(to: UInt8.self)
        unsafe entries.withUnsafeBufferPointer { entries in
            // Three ways: RGB, over existing pixels, or replacing them.
            if format.bytesPerPixel != 4 {
                unsafe sdpx_palette_row_rgb(
                    target.assumingMemoryBound(to: UInt8.self), indices, count, entries.baseAddress)
            } else if let clear {
                let below = unsafe below ?? UnsafeRawPointer(target)
                unsafe sdpx_palette_row_over(
                    target.assumingMemoryBound(to: UInt32.self), below.assumingMemoryBound(to: UInt32.self), indices, count,
                    entries.baseAddress, clear)
            } else {
                unsafe sdpx_palette_row(target.assumingMemoryBound(to: UInt32.self), indices, count, entries.baseAddress)
            }
        }
    }
}
