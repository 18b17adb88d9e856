import SDImagePixels

/// Writes finished rows into the image and applies the orientation.
///
/// Rows that become columns are collected in a band, so that each access to a destination row writes whole cache lines.
/// The last step of `ScanlineWriter`. Used by one thread.
@safe struct RowTurner {
    /// Rows that are transposed at a time.
    private static let bandRows = 32

    /// The result, with the orientation applied.
    let buffer: PixelBuffer
    /// The orientation to apply.
    private let turn: Orientation
    /// Size of the image before the orientation is applied.
    private let size: PixelSize
    /// Rows before they become columns; nil if the axes are kept.
    private let band: ScratchMemory?
    /// Bytes from one row of the band to the next.
    private let bandStride: Int
    /// Number of the first row in the band.
    private var bandStart = 0
    /// Rows in the band.
    private var bandCount = 0

    /// Missing rows stay zero if partial images are accepted.
    init(size: PixelSize, format: PixelFormat, turn: Orientation, options: DecodeOptions) throws(ImageError) {
        buffer = try PixelBuffer(
            size: turn.swapsAxes ? size.swapped : size, format: format, limit: options.limits.outputBytes,
            zeroed: options.acceptPartial)
        self.turn = turn
        self.size = size
        // One extra cache line: rows at a distance of a power of two would compete for the same few cache sets.
        bandStride = try PixelBuffer.stride(width: size.width, format: format) + 64
        band =
            turn.swapsAxes
            ? try ScratchMemory(bandStride * RowTurner.bandRows, of: UInt8.self, account: options.limits.account) : nil
    }

    /// True when a row written at `destination` is final without `commit`.
    /// Then codecs may write rows without a copy.
    var isDirect: Bool { turn == .up || turn == .downMirrored }

    /// Destination of row `y`, in order starting at 0; nil outside the image.
    func destination(_ y: Int) -> UnsafeMutableRawBufferPointer? {
        switch turn {
        case .up, .upMirrored: return unsafe buffer.mutableRow(y)
        case .down, .downMirrored: return unsafe buffer.mutableRow(size.height - 1 - y)
        default:
            guard y < size.height, let band, bandCount < RowTurner.bandRows, let base = unsafe band.bytes.baseAddress else {
                return nil
            }
            return unsafe UnsafeMutableRawBufferPointer(
                start: base + bandCount * bandStride, count: size.width * buffer.format.bytesPerPixel)
        }
    }

    /// Must be called after row `y` was written to its destination.
    /// Rows must be committed in order.
    mutating func commit(_ y: Int) {
        switch turn {
        case .up, .downMirrored: break
        case .upMirrored, .down:
            guard let row = unsafe destination(y)?.baseAddress else { return }
            unsafe sdpx_mirror_row(row, size.width, Int32(buffer.format.bytesPerPixel))
        default:
            bandCount += 1
            if bandCount == RowTurner.bandRows || bandStart + bandCount == size.height { flush() }
        }
    }

    /// Transposes the rows collected so far.
    /// Called for a full band, and at the end of the image.
    mutating func flush() {
        guard let source = unsafe band?.bytes.baseAddress, bandCount > 0 else { return }
        let bytes = buffer.format.bytesPerPixel
        let isFromRight = turn == .right || turn == .rightMirrored
        let isFromBottom = turn == .left || turn == .rightMirrored
        let left = isFromRight ? size.height - bandStart - bandCount : bandStart
        let top = isFromBottom ? size.width - 1 : 0
        unsafe sdpx_transpose(
            buffer.mutablePixels + top * buffer.stride + left * bytes, isFromBottom ? -buffer.stride : buffer.stride,
            source + (isFromRight ? (bandCount - 1) * bandStride : 0), isFromRight ? -bandStride : bandStride,
            size.width, bandCount, Int32(bytes))
        bandStart += bandCount
        bandCount = 0
    }
}
