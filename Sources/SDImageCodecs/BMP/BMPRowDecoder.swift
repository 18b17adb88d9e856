import SDImage
import SDImagePixels

/// Rows of a bitmap as straight pixels, in any order. Holds at most one row of indices. `BMPDecoder` owns it; used by one thread.
struct BMPRowDecoder {
    private let bytes: Bytes
    private let header: BMPHeader
    /// nil for pixels of 16 bits and more.
    private let palette: BMPPalette?
    /// The decoded run-length data; nil for uncompressed data.
    private let runs: BMPRunLengthDecoder?
    /// Room for a row of unpacked indices; nil when they have whole bytes.
    private let indices: ScratchMemory?
    /// Bytes of a stored row, without and with its padding to 4.
    private let rowBytes: Int
    private let stride: Int
    /// The masks of the header; may be replaced after the pixels were examined.
    var fields: BMPColorMasks
    /// Format of the pixels written by `read`: rgb8, rgba8, or gray8 for a gray palette.
    var layout = PixelFormat.rgb8

    /// Decodes run-length data at once; throws `tooLarge` if a row or all rows exceed a limit.
    init(
        _ bytes: Bytes, _ header: BMPHeader, palette: BMPPalette?, limits: DecodeLimits, stop: CancellationToken
    ) throws(ImageError) {
        self.bytes = bytes
        self.header = header
        self.palette = palette
        fields = header.fields
        runs = header.packing == .runs ? try BMPRunLengthDecoder(bytes, header, limits: limits, stop: stop) : nil
        (rowBytes, stride) = try header.rowLengths()
        indices =
            header.bits < 8 && runs == nil
            ? try ScratchMemory(header.size.width, of: UInt8.self, account: limits.account) : nil
    }

    /// Offset of the end of uncompressed rows.
    var end: Int { header.data + stride * header.size.height }

    /// True when every row is available.
    var isComplete: Bool {
        if let runs { return runs.isComplete }
        return unsafe stored(header.isTopDown ? header.size.height - 1 : 0) != nil
    }

    /// True when at least one row is available.
    var hasRows: Bool {
        if let runs { return !runs.rows.isEmpty }
        return unsafe stored(header.isTopDown ? 0 : header.size.height - 1) != nil
    }

    /// Writes row `y` in display order. Returns false and writes nothing when the data end before it.
    func read(_ y: Int, into row: UnsafeMutableRawBufferPointer) -> Bool {
        let width = header.size.width
        guard let from = unsafe stored(y), let source = from.baseAddress, let target = row.baseAddress,
            row.count >= width * layout.bytesPerPixel
        else { return false }
        if let palette {
            guard let indices = unsafe unpacked(from) else { return false }
            unsafe palette.expand(indices, to: row, channels: layout.channels)
            return true
        }
        let to = unsafe target.assumingMemoryBound(to: UInt8.self)
        let pixels = unsafe source.assumingMemoryBound(to: UInt8.self)
        let channels = Int32(layout.channels)
        // Whole bytes need no shifting by masks.
        let isPlain = header.bits == 24 ? fields == .eight : header.bits == 32 && fields == .eightWithAlpha
        if isPlain || (channels == 3 && header.bits == 32 && fields == .eight) {
            unsafe sdpx_from_bgr(to, channels, pixels, Int32(header.bits / 8), width)
        } else {
            unsafe sdpx_unpack_fields(to, channels, pixels, Int32(header.bits / 8), fields.masks, width)
        }
        return true
    }

    /// True when any pixel has any bit of `mask` set. An alpha channel that is zero everywhere is treated as absent.
    func contains(_ mask: UInt32, stop: CancellationToken) throws(ImageError) -> Bool {
        for y in 0..<header.size.height {
            if y % BMPDecoder.rowsPerCheck == 0 { try stop.check() }
            guard let row = unsafe stored(y), let base = row.baseAddress else { continue }
            let pixels = unsafe base.assumingMemoryBound(to: UInt8.self)
            if unsafe sdpx_has_field(pixels, Int32(header.bits / 8), mask, header.size.width) != 0 { return true }
        }
        return false
    }

    /// Returns the bytes of row `y`; nil when the row is incomplete.
    private func stored(_ y: Int) -> UnsafeRawBufferPointer? {
        if let runs { return unsafe runs.row(y) }
        // Bitmaps are stored bottom-up, unless their height is negative.
        let line = header.isTopDown ? y : header.size.height - 1 - y
        guard line >= 0, line < header.size.height, let base = unsafe bytes.pointer else { return nil }
        let start = header.data + line * stride
        // The padding of the last row may be missing.
        guard start <= bytes.count - rowBytes else { return nil }
        return unsafe UnsafeRawBufferPointer(start: base + start, count: rowBytes)
    }

    /// Returns the indices of a row, one per byte; those of runs have whole bytes already.
    private func unpacked(_ row: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        let width = header.size.width
        guard let indices else { return unsafe UnsafeRawBufferPointer(rebasing: row.prefix(width)) }
        guard let from = row.baseAddress, let to = unsafe indices.bytes.baseAddress else { return nil }
        unsafe sdpx_unpack_indices(
            to.assumingMemoryBound(to: UInt8.self), from.assumingMemoryBound(to: UInt8.self), width, Int32(header.bits))
        return unsafe UnsafeRawBufferPointer(indices.bytes)
    }
}

extension BMPHeader {
    /// Returns the bytes of a row without and with its padding; checks that the size of all rows does not overflow.
    fileprivate func rowLengths() throws(ImageError) -> (bytes: Int, stride: Int) {
        let bitsInRow = size.width * bits
        let stride = (bitsInRow + 31) / 32 * 4
        let (all, overflow) = stride.multipliedReportingOverflow(by: size.height)
        guard !overflow, all <= Int.max - data else { throw .tooLarge("bmp: image data size in bytes", limit: Int.max) }
        return ((bitsInRow + 7) / 8, stride)
    }
}
