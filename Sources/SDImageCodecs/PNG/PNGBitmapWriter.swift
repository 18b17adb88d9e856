import SDImage
import SDImagePixels

/// Writes rows of any pass to their location in an image held in memory: for interlaced images, frames, and stills that are
/// arriving.
@safe struct PNGBitmapWriter {
    let buffer: PixelBuffer
    /// Buffer for a row converted to the buffer's format, if its pixels are not written contiguously.
    private let converted: ScratchMemory?

    /// `source` is the format of the rows.
    init(_ buffer: PixelBuffer, source: PixelFormat, limits: DecodeLimits) throws(ImageError) {
        self.buffer = buffer
        converted =
            source == buffer.format
            ? nil : try ScratchMemory(buffer.stride, of: UInt8.self, account: limits.account)
    }

    /// Writes the next row, whose location is `position`; false when it is not available. With `fills`, each pixel also covers
    /// the pixels of later passes.
    func write(
        _ rows: PNGRowDecoder, at position: PNGRowDecoder.Position, fills: Bool = false, stop: CancellationToken
    ) throws(ImageError) -> Bool {
        let pass = position.pass
        guard let target = unsafe buffer.mutableRow(position.y)?.baseAddress else { return false }
        // Rows of an image that is not interlaced, and of the last pass, are contiguous.
        let isWhole = pass.columnStep == 1
        let isDirect = isWhole && converted == nil
        guard let row = unsafe try rows.next(into: isDirect ? target : nil, stop: stop) else { return false }
        let format = buffer.format
        if isWhole, !isDirect {
            unsafe sdpx_convert_row(target, format.rawValue, row, rows.format.rawValue, pass.size.width)
        } else if !isDirect {
            var from = unsafe row
            if let own = unsafe converted?.bytes.baseAddress {
                unsafe sdpx_convert_row(own, format.rawValue, row, rows.format.rawValue, pass.size.width)
                unsafe from = UnsafeRawPointer(own)
            }
            unsafe scatter(from, at: position, into: target, fills: fills)
        }
        if fills { copyDown(position) }
        return true
    }

    /// Writes the pixels of a pass at their columns.
    private func scatter(
        _ row: UnsafeRawPointer, at position: PNGRowDecoder.Position, into target: UnsafeMutableRawPointer, fills: Bool
    ) {
        let pass = position.pass
        let size = buffer.format.bytesPerPixel
        unsafe sdpx_scatter_pixels(
            (target + pass.left * size).assumingMemoryBound(to: UInt8.self), row.assumingMemoryBound(to: UInt8.self),
            pass.size.width, pass.columnStep, fills ? pass.blockWidth : 1, buffer.size.width - pass.left, Int32(size))
    }

    /// Copies a row to the rows below it that later passes will overwrite.
    private func copyDown(_ position: PNGRowDecoder.Position) {
        let pass = position.pass
        let size = buffer.format.bytesPerPixel
        guard pass.blockHeight > 1, let row = unsafe buffer.row(position.y)?.baseAddress else { return }
        for y in position.y + 1..<min(buffer.size.height, position.y + pass.blockHeight) {
            guard let below = unsafe buffer.mutableRow(y)?.baseAddress else { break }
            // The blocks of this row touch each other, and cover all of it.
            guard pass.columnStep > pass.blockWidth else {
                unsafe below.copyMemory(from: row, byteCount: buffer.size.width * size)
                continue
            }
            // Pixels between the blocks belong to earlier passes.
            for index in 0..<pass.size.width {
                let x = pass.left + index * pass.columnStep
                let count = min(pass.blockWidth, buffer.size.width - x) * size
                unsafe (below + x * size).copyMemory(from: row + x * size, byteCount: count)
            }
        }
    }
}
