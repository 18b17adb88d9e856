import SDImagePixels

/// Host memory that receives images of one size. Each slot is written by one thread at a time.
/// Used by `BatchArray`. The host owns the memory until the batch has ended.
@safe package final class ImageArray: @unchecked Sendable {
    // Unchecked: slots do not overlap, and the host guarantees that the memory stays valid.
    /// First byte of slot 0; aligned for the samples.
    private let memory: UnsafeMutableRawPointer
    /// Number of slots.
    private let count: Int
    package let layout: Layout
    /// Color behind transparent pixels.
    private let background: Color

    /// Creates an array. `size` is in bytes. `background`: backdrop of transparent pixels when the format has no alpha.
    package init(
        _ memory: UnsafeMutableRawPointer?, size: Int, count: Int, layout: Layout, background: Color
    ) throws(ImageError) {
        guard let needed = layout.byteCount(count), size >= needed else {
            throw ImageError(.invalidArgument, "array: \(size) bytes are too few for \(count) images")
        }
        // An array of 0 images may be NULL.
        guard let memory = unsafe memory ?? (count == 0 ? UnsafeMutableRawPointer(bitPattern: 64) : nil) else {
            throw ImageError(.invalidArgument, "array: NULL for \(count) images")
        }
        guard UInt(bitPattern: memory) % UInt(layout.format.bytesPerChannel) == 0 else {
            throw ImageError(.invalidArgument, "array: not aligned to samples of \(layout.format.bytesPerChannel) bytes")
        }
        unsafe self.memory = memory
        self.count = count
        self.layout = layout
        self.background = background
    }

    /// Writes an image of the right size to its slot, in the format of the array.
    package func write(_ image: Image, at index: Int) throws(ImageError) {
        guard image.size == layout.size, (0..<count).contains(index) else {
            throw ImageError(.internalError, "array: image does not fit slot \(index) of \(count)")
        }
        let pixels = image.pixels
        // Only an image with transparent pixels needs the background.
        let isLaid = image.metadata.hasAlpha && pixels.format.hasAlpha && !layout.format.hasAlpha
        let room = isLaid ? try ScratchMemory(layout.size.width * 4, zeroed: false) : nil
        // Rows are converted one at a time, so no second bitmap is needed.
        for y in 0..<layout.size.height {
            guard var from = unsafe pixels.row(y)?.baseAddress else { break }
            let to = unsafe memory + (index * layout.imageStride + y * layout.rowStride)
            var format = pixels.format
            if let opaque = unsafe room?.bytes.baseAddress {
                format = unsafe lay(from, format, on: opaque)
                unsafe from = UnsafeRawPointer(opaque)
            }
            unsafe sdpx_convert_row(to, layout.format.rawValue, from, format.rawValue, layout.size.width)
        }
    }

    /// Composites a row over the background, in 8 bits. Returns the format of the result.
    private func lay(
        _ from: UnsafeRawPointer, _ format: PixelFormat, on room: UnsafeMutableRawPointer
    ) -> PixelFormat {
        let isByte = format.bytesPerChannel == 1
        let laid = isByte ? format : .rgba8
        // The kernel needs samples of 8 bits.
        if !isByte { unsafe sdpx_convert_row(room, laid.rawValue, from, format.rawValue, layout.size.width) }
        let (red, green, blue, _) = background.bytes
        // The kernel adds colors in the order of the samples.
        let below = laid == .bgra8Premultiplied ? [blue, green, red] : [red, green, blue]
        let to = unsafe room.assumingMemoryBound(to: UInt8.self)
        let source = unsafe isByte ? from.assumingMemoryBound(to: UInt8.self) : UnsafePointer(to)
        unsafe sdpx_flatten_row(to, source, layout.size.width, below, laid.isPremultiplied ? 1 : 0)
        return laid
    }
}

extension ImageArray {
    /// Checked byte offsets of images and rows.
    package struct Layout: Sendable {
        package let size: PixelSize
        package let format: PixelFormat
        /// Bytes from one row to the next.
        let rowStride: Int
        /// Bytes from one image to the next.
        let imageStride: Int
        /// Bytes of one image, without the padding after its last row.
        private let imageBytes: Int

        /// Creates a layout. A stride of 0 means no padding.
        /// Throws `invalidArgument` for strides that are smaller than their contents, or no multiple of a sample.
        package init(_ size: PixelSize, _ format: PixelFormat, rowStride: Int, imageStride: Int) throws(ImageError) {
            let (row, isWide) = size.width.multipliedReportingOverflow(by: format.bytesPerPixel)
            let stride = rowStride > 0 ? rowStride : row
            guard !size.isEmpty, !isWide, let extent = Layout.span(size.height, stride, last: row) else {
                throw ImageError(.invalidArgument, "array: invalid image size \(size.width)x\(size.height)")
            }
            self.size = size
            self.format = format
            self.rowStride = stride
            self.imageStride = imageStride > 0 ? imageStride : extent
            imageBytes = extent
            guard stride >= row, self.imageStride >= extent, stride % format.bytesPerChannel == 0,
                self.imageStride % format.bytesPerChannel == 0
            else { throw ImageError(.invalidArgument, "array: invalid strides of \(rowStride) and \(imageStride) bytes") }
        }

        /// Size of an array of `count` images in bytes; nil for a negative count or on overflow.
        package func byteCount(_ count: Int) -> Int? {
            count == 0 ? 0 : Layout.span(count, imageStride, last: imageBytes)
        }

        /// Bytes from the first of `count` items to the end of the last one; nil on overflow.
        private static func span(_ count: Int, _ stride: Int, last: Int) -> Int? {
            guard count > 0 else { return nil }
            let (before, overflow) = (count - 1).multipliedReportingOverflow(by: stride)
            let (all, isTooMuch) = before.addingReportingOverflow(last)
            return overflow || isTooMuch ? nil : all
        }
    }
}
