import Glibc
import SDImage
import SDImagePixels

/// Luma and chroma of a lossy image, which are downscaled before conversion: few pixels remain to be converted. `WebPDecoder`
/// makes them for thumbnails, and `WebPRowDecoder` has libwebp fill them.
@safe struct WebPYUVPlanes {
    private let size: PixelSize
    /// The three planes, one after another.
    private let memory: ScratchMemory

    /// Returns the bytes of the planes of an image; chroma has half the rows and columns.
    static func byteCount(_ size: PixelSize) -> Int {
        (0..<3).reduce(0) { sum, plane in
            let (total, overflow) = sum.addingReportingOverflow(WebPYUVPlanes.size(plane, of: size).pixelCount ?? Int.max)
            return overflow ? Int.max : total
        }
    }

    /// `size` is that of the image.
    init(_ size: PixelSize, account: WorkingMemory) throws(ImageError) {
        self.size = size
        memory = try ScratchMemory(WebPYUVPlanes.byteCount(size), zeroed: false, account: account)
    }

    func size(_ plane: Int) -> PixelSize { WebPYUVPlanes.size(plane, of: size) }

    private static func size(_ plane: Int, of size: PixelSize) -> PixelSize {
        plane == 0 ? size : PixelSize(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
    }

    /// Returns a plane: 0 is luma, 1 and 2 are blue and red difference; rows are not padded. Valid as long as the planes.
    func plane(_ index: Int) -> UnsafeMutableBufferPointer<UInt8> {
        let start = (0..<index).reduce(0) { $0 + (size($1).pixelCount ?? 0) }
        let count = size(index).pixelCount ?? 0
        return unsafe UnsafeMutableBufferPointer(rebasing: memory.bound(to: UInt8.self)[start..<start + count])
    }

    /// Returns the image downscaled, as RGB8. Each plane is scaled to the target size.
    func shrunk(to target: PixelSize, limits: DecodeLimits, stop: CancellationToken) throws(ImageError) -> PixelBuffer {
        var options = DecodeOptions()
        (options.thumbnailSize, options.thumbnailMode, options.limits) = (target, .fill, limits)
        let luma = try shrink(0, options, stop: stop)
        let blue = try shrink(1, options, stop: stop)
        let red = try shrink(2, options, stop: stop)
        let pixels = try PixelBuffer(size: target, format: .rgb8, limit: limits.workingBytes)
        for y in 0..<target.height {
            guard let to = unsafe pixels.mutableRow(y)?.baseAddress, let luma = unsafe luma.row(y)?.baseAddress,
                let blue = unsafe blue.row(y)?.baseAddress, let red = unsafe red.row(y)?.baseAddress
            else { break }
            unsafe sdpx_video_to_rgb(
                to.assumingMemoryBound(to: UInt8.self), luma.assumingMemoryBound(to: UInt8.self),
                blue.assumingMemoryBound(to: UInt8.self), red.assumingMemoryBound(to: UInt8.self), target.width)
        }
        return pixels
    }

    /// Returns one plane at the target size: boxes of `factor` samples in each direction are averaged, the writer does the rest.
    private func shrink(_ index: Int, _ options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> PixelBuffer {
        let own = size(index)
        let factor = WebPYUVPlanes.factor(from: own, to: options.thumbnailSize ?? own)
        let rowSize = PixelSize(width: (own.width + factor - 1) / factor, height: (own.height + factor - 1) / factor)
        // If a size is not a multiple of the factor, the last row and column cover less.
        // A sample of chroma covers two pixels in each direction.
        let share = Double(index == 0 ? factor : 2 * factor)
        let extent = ScanlineWriter.Extent(width: Double(size.width) / share, height: Double(size.height) / share)
        let plan = try DecodePlan(storedSize: rowSize, orientation: .up, options: options)
        var writer = try ScanlineWriter(
            rowSize: rowSize, sourceFormat: .gray8, plan: plan, output: .gray8, transform: nil, options: options,
            extent: extent)
        let means = try ScratchMemory(rowSize.width, zeroed: false, account: options.limits.account)
        let samples = unsafe UnsafeBufferPointer(plane(index))
        for y in 0..<rowSize.height {
            if y % 16 == 0 { try stop.check() }
            // The last band may have fewer rows.
            let rows = min(factor, own.height - y * factor)
            let band = unsafe samples[y * factor * own.width..<(y * factor + rows) * own.width]
            let row = unsafe UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: band.prefix(own.width)))
            guard factor > 1, let from = unsafe UnsafeBufferPointer(rebasing: band).baseAddress,
                let to = unsafe means.bound(to: UInt8.self).baseAddress
            else {
                unsafe try writer.write(row)
                continue
            }
            unsafe sdpx_box_row(to, from, own.width, rows, own.width, factor)
            unsafe try writer.write(UnsafeRawBufferPointer(means.bytes))
        }
        return try writer.finish()
    }

    /// Returns the number of samples to average first, in each direction: small enough to leave the rest to the sharper filter,
    /// which reduces by up to three.
    private static func factor(from own: PixelSize, to target: PixelSize) -> Int {
        min(own.width / max(1, target.width * 3), own.height / max(1, target.height * 3), 127) + 1
    }
}
