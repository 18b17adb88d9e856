import Glibc
import SDImage
import SDImagePixels

/// Packs canvases into little memory, byte for byte.
///
/// Each square of a canvas by itself: as indices into its colours where it has few, as the frames of a GIF leave it, and deflated.
/// So a canvas is taken out without any other, however many share its squares; differences from one canvas to the next would
/// be smaller where little moves, and larger where much does, and would have to be undone one after the other.
@safe final class CanvasPacker {
    /// Of a square, in pixels: smaller ones are shared more often, and each has its palette.
    static let side = 64
    private static let mostBytes = side * side * 4

    private let deflater: Deflater
    private let colors: ScratchMemory
    private let pixels: ScratchMemory
    private let packed: ScratchMemory
    private let unpacker: CanvasUnpacker

    init() throws(ImageError) {
        deflater = try Deflater(effort: 1)
        colors = try ScratchMemory(sdpx_colors_size())
        pixels = try ScratchMemory(CanvasPacker.mostBytes, zeroed: false)
        packed = try ScratchMemory(CanvasPacker.mostBytes, zeroed: false)
        unpacker = try CanvasUnpacker()
    }

    /// `earlier`: a canvas of the same size, whose squares are shared where they are the same.
    func pack(_ canvas: PixelBuffer, like earlier: PackedCanvas?) -> PackedCanvas {
        let places = PixelArea.squares(of: canvas.size, side: CanvasPacker.side)
        return PackedCanvas(
            places.enumerated().map { index, place in
                let bytes = unsafe gather(canvas, place)
                let hash = unsafe sdpx_hash64(bytes.baseAddress, bytes.count, 0)
                if let old = earlier?.squares, old.indices.contains(index), old[index].hash == hash,
                    unsafe unpacker.pixels(of: old[index], place.size, are: UnsafeRawBufferPointer(bytes))
                {
                    return old[index]
                }
                return unsafe square(bytes, hash: hash)
            })
    }

    /// The pixels of a square side by side.
    private func gather(_ canvas: PixelBuffer, _ place: PixelArea) -> UnsafeMutableRawBufferPointer {
        let bytes = place.size.width * 4
        for (line, y) in place.rows.enumerated() {
            guard let row = unsafe canvas.row(y) else { continue }
            unsafe UnsafeMutableRawBufferPointer(rebasing: pixels.bytes[line * bytes..<(line + 1) * bytes])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: row[place.left * 4..<place.left * 4 + bytes]))
        }
        return unsafe UnsafeMutableRawBufferPointer(rebasing: pixels.bytes[0..<bytes * place.size.height])
    }

    /// Indices take the place of the pixels.
    private func square(_ bytes: UnsafeMutableRawBufferPointer, hash: UInt64) -> CanvasSquare {
        let palette = unsafe palette(bytes)
        let count = palette.isEmpty ? bytes.count : palette.indexBytes(of: bytes.count / 4)
        let data = unsafe UnsafeRawBufferPointer(rebasing: bytes[0..<count])
        let room = unsafe UnsafeMutableRawBufferPointer(rebasing: packed.bytes[0..<count])
        let deflated = unsafe deflater.pack(data, into: room)
        let isDeflated = deflated > 0 && deflated < count
        let kept = unsafe isDeflated ? Array(room[0..<deflated]) : Array(data)
        return CanvasSquare(hash: hash, palette: palette, bytes: kept, isDeflated: isDeflated)
    }

    /// The colours of some pixels, which become indices side by side; none, and nothing done, where there are more than 256.
    private func palette(_ bytes: UnsafeMutableRawBufferPointer) -> [UInt32] {
        let count = bytes.count / 4
        guard let pixels = unsafe bytes.bindMemory(to: UInt8.self).baseAddress,
            let indices = unsafe packed.bound(to: UInt8.self).baseAddress
        else { return [] }
        let colors = unsafe OpaquePointer(colors.bytes.baseAddress)
        unsafe sdpx_colors_start(colors)
        guard unsafe sdpx_colors_add(colors, pixels, count, 4) != 0 else { return [] }
        let palette = unsafe (0..<Int(sdpx_colors_count(colors))).map { unsafe sdpx_colors_values(colors)[$0] }
        unsafe sdpx_colors_find(colors, indices, pixels, count, 4, CanvasPacker.places)
        if palette.indexBits == 8 {
            unsafe memcpy(pixels, indices, count)
        } else if palette.indexBits > 0 {
            unsafe sdpx_pack_indices(pixels, indices, count, Int32(palette.indexBits))
        }
        return palette
    }

    /// Colours stay in the order in which they are found.
    private static let places = (0..<256).map { UInt8($0) }
}

/// Takes packed canvases out again.
@safe final class CanvasUnpacker {
    private let inflater: ScratchMemory
    /// Of a square: what was deflated, indices, and a row of pixels.
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
        let places = PixelArea.squares(of: canvas.size, side: CanvasPacker.side)
        for (square, place) in zip(packed.squares, places) {
            let data = unsafe values(of: square, place.size)
            for (line, y) in place.rows.enumerated() {
                guard let row = unsafe canvas.mutableRow(y) else { continue }
                unsafe draw(
                    square, data, line: line,
                    onto: UnsafeMutableRawBufferPointer(rebasing: row[place.left * 4..<place.columns.upperBound * 4]))
            }
        }
    }

    /// Whether a square has these pixels, side by side.
    func pixels(of square: CanvasSquare, _ size: PixelSize, are pixels: UnsafeRawBufferPointer) -> Bool {
        let data = unsafe values(of: square, size)
        let row = unsafe UnsafeMutableRawBufferPointer(rebasing: row.bytes[0..<size.width * 4])
        guard let drawn = row.baseAddress, let wanted = pixels.baseAddress else { return false }
        return (0..<size.height).allSatisfy { line in
            unsafe draw(square, data, line: line, onto: row)
            return unsafe memcmp(drawn, wanted + line * row.count, row.count) == 0
        }
    }

    /// The indices of a square, a byte each, or its pixels where it has no palette.
    private func values(of square: CanvasSquare, _ size: PixelSize) -> UnsafeRawBufferPointer {
        let count = size.width * size.height
        let data = unsafe stored(square)
        let bits = square.palette.indexBits
        guard let to = unsafe indices.bound(to: UInt8.self).baseAddress else { return unsafe data }
        switch bits {
        case 0: unsafe memset(to, 0, count)
        case 8: return unsafe data
        default: unsafe sdpx_unpack_indices(to, data.baseAddress?.assumingMemoryBound(to: UInt8.self), count, Int32(bits))
        }
        return unsafe UnsafeRawBufferPointer(rebasing: indices.bytes[0..<count])
    }

    /// What was kept of a square, inflated.
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

extension [UInt32] {
    /// Bits of an index into so many colours; 8 also where there are no indices but pixels.
    fileprivate var indexBits: Int {
        switch count {
        case 1: 0
        case 2: 1
        case 3...4: 2
        case 5...16: 4
        default: 8
        }
    }

    fileprivate func indexBytes(of pixels: Int) -> Int { (pixels * indexBits + 7) / 8 }
}
