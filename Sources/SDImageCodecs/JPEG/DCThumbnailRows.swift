import SDImage
import SDImagePixels

/// The rows of a DC thumbnail as pixels. Used by one thread, after all samples were read.
@safe struct DCThumbnailRows {
    private let thumbnail: DCThumbnailPlanes
    /// Size of the rows, which cover the image at the scale of the thumbnail.
    private let size: PixelSize
    private let isColor: Bool
    /// Length of a buffer for one row of samples of any component.
    private let width: Int
    private let memory: ScratchMemory

    /// Parts of the memory, each of one or more widths.
    private enum Part: Int {
        // Raw values are offsets in widths.
        /// Y, Cb and Cr, each with one byte per sample.
        case luma, blue, red
        /// Three bytes per pixel.
        case pixels
        /// Four bytes per sample.
        case narrow = 6
    }

    private static let widths = Part.narrow.rawValue + 4

    /// `isColor` selects RGB; otherwise rows are gray.
    init(_ thumbnail: DCThumbnailPlanes, size: PixelSize, isColor: Bool, account: WorkingMemory) throws(ImageError) {
        self.thumbnail = thumbnail
        self.size = size
        self.isColor = isColor
        // The widest component, at one sample per pixel, rounded up to whole cache lines: later parts hold larger numbers.
        width = (thumbnail.planes.reduce(0) { max($0, $1.columns * $1.columnFactor) } + 63) & ~63
        memory = try ScratchMemory(width * DCThumbnailRows.widths, of: UInt8.self, account: account)
    }

    /// Writes all rows.
    func write(to writer: inout ScanlineWriter, stop: CancellationToken) throws(ImageError) {
        for y in 0..<size.height {
            if y % 16 == 0 { try stop.check() }
            guard let row = unsafe row(y) else { throw ImageError(.internalError, "jpeg: no memory for row \(y)") }
            unsafe try writer.write(row)
        }
    }

    /// Returns a row, valid until the next call.
    func row(_ y: Int) -> UnsafeRawBufferPointer? {
        guard let luma = unsafe level(0, row: y, to: .luma) else { return nil }
        guard isColor else { return unsafe UnsafeRawBufferPointer(start: luma, count: size.width) }
        guard let blue = unsafe component(1, row: y, to: .blue), let red = unsafe component(2, row: y, to: .red),
            let pixels = unsafe part(.pixels)
        else { return nil }
        unsafe sdpx_jpeg_rgb_row(pixels, luma, blue, red, size.width)
        return unsafe UnsafeRawBufferPointer(start: pixels, count: size.width * 3)
    }

    /// Returns a row of a component with one sample per pixel. A sample that covers several pixels is distributed among them
    /// according to the difference from its neighbors, and their average is kept. Interpolation would blur the image, which is
    /// still to be downscaled.
    private func component(_ index: Int, row y: Int, to part: Part) -> UnsafeMutablePointer<UInt8>? {
        let plane = thumbnail.planes[index]
        guard plane.columnFactor > 1 || plane.rowFactor > 1 else { return unsafe level(index, row: y, to: part) }
        // `offset` is the distance of the output row from the center of the sample row, from -0.5 to 0.5.
        let row = y / plane.rowFactor
        let offset = (Float(y % plane.rowFactor) + 0.5) / Float(plane.rowFactor) - 0.5
        guard row < plane.rows, let samples = unsafe thumbnail.samples(of: index), let wide = unsafe self.part(part),
            let narrow = unsafe self.part(.narrow)
        else { return nil }
        // The rows above and below the image repeat its first and last row.
        return unsafe narrow.withMemoryRebound(to: Float.self, capacity: width) { narrow in
            unsafe sdpx_jpeg_part_of_row(
                narrow, samples + max(0, row - 1) * plane.stride, samples + row * plane.stride,
                samples + min(plane.rows - 1, row + 1) * plane.stride, plane.columns, offset)
            unsafe sdpx_jpeg_widen_row(wide, narrow, plane.columns, UInt32(plane.columnFactor), Float(plane.step))
            return unsafe wide
        }
    }

    /// Returns a row of samples as bytes.
    private func level(_ index: Int, row y: Int, to part: Part) -> UnsafeMutablePointer<UInt8>? {
        let plane = thumbnail.planes[index]
        guard y < plane.rows, let samples = unsafe thumbnail.samples(of: index), let result = unsafe self.part(part) else {
            return nil
        }
        unsafe sdpx_jpeg_level_row(result, samples + y * plane.stride, plane.columns, plane.step)
        return unsafe result
    }

    private func part(_ part: Part) -> UnsafeMutablePointer<UInt8>? {
        unsafe memory.bound(to: UInt8.self).baseAddress.map { unsafe $0 + part.rawValue * width }
    }
}
