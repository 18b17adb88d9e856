import Glibc
import SDImage
import SDImagePixels

/// Compresses canvases without loss.
///
/// Each square is packed separately: as indices into its palette if it has few colors, which is typical of GIF, and deflated. So
/// each canvas can be unpacked without any other, even if they share squares. Differences between successive canvases would be
/// smaller with little motion and larger with much, and would have to be undone one after the other. `CanvasStore` makes one for
/// a seek; used by one thread.
@safe final class CanvasPacker {
    /// Side of a square in pixels. Smaller squares are shared more often, but each has a palette.
    static let side = 64
    /// Bytes of the pixels of a whole square.
    private static let mostBytes = side * side * 4

    private let deflater: PNGDeflater
    /// Table of the colors of a square.
    private let colors: ScratchMemory
    /// The pixels of a square, later its indices.
    private let pixels: ScratchMemory
    /// The deflated square; before that, its indices with one byte each.
    private let packed: ScratchMemory
    /// Compares squares whose hashes are equal.
    private let unpacker: CanvasUnpacker

    init() throws(ImageError) {
        deflater = try PNGDeflater(effort: 1)
        colors = try ScratchMemory(sdpx_colors_size())
        pixels = try ScratchMemory(CanvasPacker.mostBytes, zeroed: false)
        packed = try ScratchMemory(CanvasPacker.mostBytes, zeroed: false)
        unpacker = try CanvasUnpacker()
    }

    /// `earlier` is a canvas of the same size; equal squares are shared with it.
    func pack(_ canvas: PixelBuffer, like earlier: PackedCanvas?) -> PackedCanvas {
        let areas = PixelArea.squares(of: canvas.size, side: CanvasPacker.side)
        return PackedCanvas(
            areas.enumerated().map { index, area in
                let bytes = unsafe gather(canvas, area)
                // Equal hashes are only a hint: the pixels decide.
                let hash = unsafe sdpx_hash64(bytes.baseAddress, bytes.count)
                if let old = earlier?.squares, old.indices.contains(index), old[index].hash == hash,
                    unsafe unpacker.pixels(of: old[index], area.size, are: UnsafeRawBufferPointer(bytes))
                {
                    return old[index]
                }
                return unsafe square(bytes, hash: hash)
            })
    }

    /// Copies the pixels of a square into contiguous memory.
    private func gather(_ canvas: PixelBuffer, _ area: PixelArea) -> UnsafeMutableRawBufferPointer {
        let bytes = area.size.width * 4
        for (line, y) in area.rows.enumerated() {
            guard let row = unsafe canvas.row(y) else { continue }
            unsafe UnsafeMutableRawBufferPointer(rebasing: pixels.bytes[line * bytes..<(line + 1) * bytes])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: row[area.left * 4..<area.left * 4 + bytes]))
        }
        return unsafe UnsafeMutableRawBufferPointer(rebasing: pixels.bytes[0..<bytes * area.size.height])
    }

    /// Packs a square. Replaces the pixels in `bytes` by indices.
    private func square(_ bytes: UnsafeMutableRawBufferPointer, hash: UInt64) -> CanvasSquare {
        let palette = unsafe palette(bytes)
        let count = palette.isEmpty ? bytes.count : palette.indexBytes(of: bytes.count / 4)
        let data = unsafe UnsafeRawBufferPointer(rebasing: bytes[0..<count])
        let room = unsafe UnsafeMutableRawBufferPointer(rebasing: packed.bytes[0..<count])
        let deflated = unsafe deflater.pack(data, into: room)
        // Data that do not compress are stored as they are.
        let isDeflated = deflated > 0 && deflated < count
        let packed = unsafe isDeflated ? Array(room[0..<deflated]) : Array(data)
        return CanvasSquare(hash: hash, palette: palette, bytes: packed, isDeflated: isDeflated)
    }

    /// Returns the colors of the pixels and replaces the pixels by contiguous indices. With more than 256 colors, returns an
    /// empty palette and leaves the pixels unchanged.
    private func palette(_ bytes: UnsafeMutableRawBufferPointer) -> [UInt32] {
        let count = bytes.count / 4
        guard let pixels = unsafe bytes.bindMemory(to: UInt8.self).baseAddress,
            let indices = unsafe packed.bound(to: UInt8.self).baseAddress
        else { return [] }
        let colors = unsafe OpaquePointer(colors.bytes.baseAddress)
        unsafe sdpx_colors_start(colors)
        guard unsafe sdpx_colors_add(colors, pixels, count, 4) != 0 else { return [] }
        let palette = unsafe (0..<Int(sdpx_colors_count(colors))).map { unsafe sdpx_colors_values(colors)[$0] }
        unsafe sdpx_colors_find(colors, indices, pixels, count, 4, CanvasPacker.identity)
        if palette.indexBits == 8 {
            unsafe memcpy(pixels, indices, count)
        } else if palette.indexBits > 0 {
            unsafe sdpx_pack_indices(pixels, indices, count, Int32(palette.indexBits))
        }
        return palette
    }

    /// Identity mapping: colors stay in the order in which they are found.
    private static let identity = (0..<256).map { UInt8($0) }
}

extension [UInt32] {
    /// Bits of an index into a palette of this size; 8 also for an empty palette, which means pixels instead of indices.
    var indexBits: Int {
        switch count {
        case 1: 0
        case 2: 1
        case 3...4: 2
        case 5...16: 4
        default: 8
        }
    }

    /// Bytes of that many contiguous indices; none for a square of one color.
    func indexBytes(of pixels: Int) -> Int { (pixels * indexBits + 7) / 8 }
}
