import Glibc
import SDImage
import SDImagePixels

/// Unpacks packed canvases, and compares squares for `CanvasPacker`. The data come from this process, so they are trusted. Used
/// by one thread.
@safe final class CanvasUnpacker {
    /// State of the inflater.
    private let inflater: ScratchMemory
    /// Buffers for one square: inflated data, indices, and a row of pixels.
    private let inflated: ScratchMemory
    private let indices: ScratchMemory
    private let row: ScratchMemory

    init() throws(ImageError) {
        let most = CanvasPacker.side * CanvasPacker.side
        inflater = try ScratchMemory(sdpx_inflater_size())
        inflated = try ScratchMemory(most * 4, zeroed: false)
        indices = try ScratchMemory(most, zeroed: false)
        row = try ScratchMemory(CanvasPacker.side * 4, zeroed: false)
    }

    /// Writes all pixels of a canvas of the same size.
    func unpack(_ packed: PackedCanvas, into canvas: PixelBuffer) {
        let areas = PixelArea.squares(of: canvas.size, side: CanvasPacker.side)
        for (square, area) in zip(packed.squares, areas) {
            let data = unsafe values(of: square, area.size)
            for (line, y) in area.rows.enumerated() {
                guard let row = unsafe canvas.mutableRow(y) else { continue }
                unsafe draw(
                    square, data, line: line,
                    onto: UnsafeMutableRawBufferPointer(rebasing: row[area.left * 4..<area.columns.upperBound * 4]))
            }
        }
    }

    /// True when a square has exactly these contiguous pixels.
    func pixels(of square: CanvasSquare, _ size: PixelSize, are pixels: UnsafeRawBufferPointer) -> Bool {
        let data = unsafe values(of: square, size)
        let row = unsafe UnsafeMutableRawBufferPointer(rebasing: row.bytes[0..<size.width * 4])
        guard let drawn = row.baseAddress, let wanted = pixels.baseAddress else { return false }
        return (0..<size.height).allSatisfy { line in
            unsafe draw(square, data, line: line, onto: row)
            return unsafe memcmp(drawn, wanted + line * row.count, row.count) == 0
        }
    }

    /// Returns the indices of a square, one byte each, or its pixels when it has no palette.
    private func values(of square: CanvasSquare, _ size: PixelSize) -> UnsafeRawBufferPointer {
        let count = size.width * size.height
        let data = unsafe stored(square)
        let bits = square.palette.indexBits
        guard let to = unsafe indices.bound(to: UInt8.self).baseAddress else { return unsafe data }
        switch bits {
        // One color: nothing is stored.
        case 0: unsafe memset(to, 0, count)
        case 8: return unsafe data
        default: unsafe sdpx_unpack_indices(to, data.baseAddress?.assumingMemoryBound(to: UInt8.self), count, Int32(bits))
        }
        return unsafe UnsafeRawBufferPointer(rebasing: indices.bytes[0..<count])
    }

    /// Returns the stored data of a square, inflated.
    private func stored(_ square: CanvasSquare) -> UnsafeRawBufferPointer {
        let values = unsafe UnsafeRawBufferPointer(inflated.bytes)
        guard let to = unsafe inflated.bound(to: UInt8.self).baseAddress else { return unsafe values }
        unsafe square.bytes.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return }
            guard square.isDeflated else { return unsafe _ = memcpy(to, start, bytes.count) }
            let state = unsafe OpaquePointer(inflater.bytes.baseAddress)
            var next: UnsafePointer<UInt8>? = unsafe start
            var position = 0
            unsafe sdpx_inflate_start(state)
            unsafe _ = sdpx_inflate(state, &next, start + bytes.count, to, &position, inflated.count)
        }
        return unsafe values
    }

    /// Writes one line of a square.
    private func draw(
        _ square: CanvasSquare, _ values: UnsafeRawBufferPointer, line: Int, onto row: UnsafeMutableRawBufferPointer
    ) {
        guard let to = row.baseAddress, let from = values.baseAddress else { return }
        if square.palette.isEmpty {
            unsafe memcpy(to, from + line * row.count, row.count)
        } else {
            let width = row.count / 4
            unsafe sdpx_palette_row(
                to.assumingMemoryBound(to: UInt32.self), (from + line * width).assumingMemoryBound(to: UInt8.self), width,
                square.palette)
        }
    }
}
