import Glibc
import SDImagePixels

/// Pixels of four bytes with at most 256 different values, stored as one palette index per pixel in a quarter of the memory.
package final class IndexedPixels: @unchecked Sendable {
    // Unchecked: the memory is only written during initialization.
    /// Size of the image in pixels.
    private let size: PixelSize
    /// Format of the palette's values.
    private let format: PixelFormat
    /// At most 256 pixels; an index selects one.
    private let palette: [UInt32]
    /// Palette indices, in rows without padding.
    private let indices: ScratchMemory

    /// Indexes pixels; nil when there are more than 256 colors or memory is insufficient. `before`: indices of pixels that
    /// differ only inside `changed`.
    package static func of(_ pixels: PixelBuffer, before: IndexedPixels? = nil, changed: PixelArea? = nil) -> IndexedPixels? {
        // The kernel compares pixels as 32-bit numbers.
        guard pixels.format.bytesPerPixel == 4, pixels.format.bytesPerChannel == 1 else { return nil }
        let all = PixelArea(pixels.size)
        if let before, let changed, before.size == pixels.size,
            let indexed = try? IndexedPixels(pixels, before, changed)
        {
            return indexed
        }
        // Without the colors that are no longer used, 256 may suffice.
        return try? IndexedPixels(pixels, nil, all)
    }

    /// Throws `unsupported` for too many colors.
    private init(_ pixels: PixelBuffer, _ before: IndexedPixels?, _ changed: PixelArea) throws(ImageError) {
        size = pixels.size
        format = pixels.format
        indices = try ScratchMemory(pixels.size.width * pixels.size.height, zeroed: false)
        // The table of the kernel is temporary; only the palette is kept.
        let table = try ScratchMemory(sdpx_colors_size(), zeroed: false)
        let colors = unsafe OpaquePointer(table.bytes.baseAddress)
        unsafe sdpx_colors_start(colors)
        if let before {
            unsafe indices.bytes.copyMemory(from: UnsafeRawBufferPointer(before.indices.bytes))
            unsafe before.palette.withUnsafeBytes { known in
                unsafe _ = sdpx_colors_add(
                    colors, known.baseAddress?.assumingMemoryBound(to: UInt8.self), before.palette.count, 4)
            }
        }
        for y in changed.rows {
            guard let row = unsafe pixels.row(y)?.assumingMemoryBound(to: UInt8.self).baseAddress,
                let to = unsafe indices.bound(to: UInt8.self).baseAddress
            else { continue }
            let target = unsafe to + y * size.width + changed.left
            guard unsafe sdpx_colors_index(colors, target, row + changed.left * 4, changed.size.width) != 0 else {
                throw ImageError(.unsupported, "image: colors exceed the limit of 256")
            }
        }
        palette = unsafe (0..<Int(sdpx_colors_count(colors))).map { unsafe sdpx_colors_values(colors)[$0] }
    }

    /// The same indices with another palette.
    private init(_ other: IndexedPixels, _ palette: [UInt32], _ format: PixelFormat) {
        size = other.size
        indices = other.indices
        self.palette = palette
        self.format = format
    }

    /// The same image in another format of 4 bytes per pixel, with shared indices; nil for other formats.
    /// Only the palette is converted, so no pixel of the image is touched.
    package func converted(to format: PixelFormat) throws(ImageError) -> IndexedPixels? {
        guard format.bytesPerPixel == 4, format.bytesPerChannel == 1 else { return nil }
        let colors = try PixelBuffer(size: PixelSize(width: palette.count, height: 1), format: self.format)
        unsafe palette.withUnsafeBytes { unsafe colors.mutableRow(0)?.copyMemory(from: $0) }
        let others = try Image(pixels: colors, metadata: ImageMetadata()).converted(to: format).pixels
        guard let row = unsafe others.row(0) else { return nil }
        return IndexedPixels(self, unsafe Array(row.bindMemory(to: UInt32.self)), format)
    }

    /// Allocated bytes, counting a full palette, so that all images of one size have the same cost.
    /// Counted by `FrameBudget`.
    package var heldBytes: Int { indices.count + 256 * 4 }
    /// Bytes of the unpacked pixels.
    package var imageBytes: Int { ((try? PixelBuffer.stride(width: size.width, format: format)) ?? 0) * size.height }

    /// Unpacks the pixels.
    /// Allocates a bitmap of the full size.
    package func pixels() throws(ImageError) -> PixelBuffer {
        let pixels = try PixelBuffer(size: size, format: format, limit: .max)
        for y in 0..<size.height {
            guard let row = unsafe pixels.mutableRow(y)?.assumingMemoryBound(to: UInt32.self).baseAddress,
                let from = unsafe indices.bound(to: UInt8.self).baseAddress
            else { continue }
            unsafe sdpx_palette_row(row, from + y * size.width, size.width, palette)
        }
        return pixels
    }
}
