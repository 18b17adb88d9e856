import SDImage
import SDImagePixels

/// The rows of an image for libjpeg: in place, or converted, with alpha blended onto the background. Used by one thread; another
/// thread needs its own source.
@safe struct JPEGRowSource {
    /// Maximum number of rows in use at a time.
    static let rowsAtOnce = 16

    /// Format of the rows.
    let rows: JPEGRowDecoder.Rows
    private let pixels: PixelBuffer
    /// True when rows need no conversion except for alpha.
    private let isPlain: Bool
    private let hasAlpha: Bool
    /// Background color for transparent pixels, in the byte order of the rows.
    private let background: [UInt8]
    /// Slots for `rowsAtOnce` converted rows; empty if no row can need one.
    private let converted: ScratchMemory

    /// Chooses rows that libjpeg reads without conversion, except for alpha, if the image has 8 bits per channel.
    init(_ image: Image, background: Color) throws(ImageError) {
        pixels = image.pixels
        hasAlpha = image.metadata.hasAlpha && pixels.format.hasAlpha
        isPlain = pixels.format.bytesPerChannel == 1
        rows =
            switch pixels.format {
            case .gray8, .gray16: .gray
            case .rgb8, .rgb16: .rgb
            case .bgra8Premultiplied: .bgra
            default: .rgba
            }
        let (red, green, blue, _) = background.bytes
        self.background = rows == .bgra ? [blue, green, red] : [red, green, blue]
        let rowBytes = pixels.size.width * rows.bytesPerPixel
        let needsCopy = hasAlpha || !isPlain
        converted = try ScratchMemory(needsCopy ? rowBytes * JPEGRowSource.rowsAtOnce : 0, zeroed: false)
    }

    /// Replaces the pointers by pointers to the given rows, at most `rowsAtOnce`. They are valid until the next call.
    func replace(_ pointers: inout [UnsafePointer<UInt8>?], with range: Range<Int>) {
        unsafe pointers.removeAll(keepingCapacity: true)
        for (slot, y) in range.enumerated() { unsafe pointers.append(pointer(y, slot: slot)) }
    }

    /// Returns a row in place if possible, otherwise a copy in the slot.
    private func pointer(_ y: Int, slot: Int) -> UnsafePointer<UInt8>? {
        guard let row = unsafe pixels.row(y)?.baseAddress else { return nil }
        let width = pixels.size.width
        if isPlain {
            let plain = unsafe row.assumingMemoryBound(to: UInt8.self)
            if !hasAlpha { return unsafe plain }
            // An opaque row needs no blending, although the image has alpha.
            if unsafe sdpx_is_opaque(plain, width) != 0 { return unsafe plain }
        }
        guard let target = unsafe converted.bytes.baseAddress else { return nil }
        let room = unsafe (target + slot * width * rows.bytesPerPixel).assumingMemoryBound(to: UInt8.self)
        if isPlain {
            unsafe sdpx_flatten_row(
                room, row.assumingMemoryBound(to: UInt8.self), width, background, pixels.format.isPremultiplied ? 1 : 0)
        } else {
            unsafe convert(row, to: room)
            if hasAlpha { unsafe sdpx_flatten_row(room, room, width, background, 0) }
        }
        return unsafe UnsafePointer(room)
    }

    /// Converts deeper samples to 8 bits.
    private func convert(_ row: UnsafeRawPointer, to room: UnsafeMutablePointer<UInt8>) {
        let format: PixelFormat = rows == .gray ? .gray8 : rows == .rgb ? .rgb8 : .rgba8
        unsafe sdpx_convert_row(room, format.rawValue, row, pixels.format.rawValue, pixels.size.width)
    }
}
