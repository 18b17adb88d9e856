import SDImagePixels

/// Rows of the result are made by several threads at once.
extension PixelBuffer {
    /// Applies an orientation; returns this buffer for `up`.
    package func turned(_ orientation: Orientation, stop: CancellationToken) throws(ImageError) -> PixelBuffer {
        guard orientation != .up else { return self }
        let size = orientation.swapsAxes ? size.swapped : size
        let result = try PixelBuffer(size: size, format: format)
        try RowBands.run(size.height, rowBytes: PixelBuffer.lightly(result.stride), stop: stop) {
            [self] rows throws(ImageError) in
            if orientation.swapsAxes {
                transpose(rows, of: result, orientation)
            } else {
                for y in rows { copyRow(y, to: result, orientation) }
            }
        }
        return result
    }

    /// Row bytes for `RowBands` when pixels are only moved. Lower than actual, because moving megabytes takes less time than
    /// waking a worker.
    package static func lightly(_ rowBytes: Int) -> Int { rowBytes / 32 }

    /// Writes row `y` of the result, for orientations that keep the axes.
    private func copyRow(_ y: Int, to result: PixelBuffer, _ orientation: Orientation) {
        let isMirrored = orientation == .upMirrored || orientation == .down
        let isUpsideDown = orientation == .downMirrored || orientation == .down
        guard let from = unsafe row(isUpsideDown ? size.height - 1 - y : y), let to = unsafe result.mutableRow(y) else { return }
        if isMirrored {
            unsafe sdpx_mirror_row_to(to.baseAddress, from.baseAddress, size.width, Int32(format.bytesPerPixel))
        } else {
            unsafe to.copyMemory(from: from)
        }
    }

    /// Writes rows of the result from columns of this buffer.
    /// Both directions of reading and writing give the four orientations that swap the axes.
    private func transpose(_ rows: Range<Int>, of result: PixelBuffer, _ orientation: Orientation) {
        let isFromRight = orientation == .right || orientation == .rightMirrored
        let isFromBottom = orientation == .left || orientation == .rightMirrored
        let bytes = format.bytesPerPixel
        let columns = isFromBottom ? size.width - rows.upperBound..<size.width - rows.lowerBound : rows
        let top = isFromBottom ? rows.upperBound - 1 : rows.lowerBound
        unsafe sdpx_transpose(
            result.mutablePixels + top * result.stride, isFromBottom ? -result.stride : result.stride,
            pixels + columns.lowerBound * bytes + (isFromRight ? (size.height - 1) * stride : 0),
            isFromRight ? -stride : stride, columns.count, size.height, Int32(bytes))
    }
}
