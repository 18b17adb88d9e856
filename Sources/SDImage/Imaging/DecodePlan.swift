/// Output parameters of one decode, computed from the header before any pixel memory is allocated.
/// Made by coders after they have read the header, and by `Image.fitted`.
package struct DecodePlan: Sendable {
    /// Size stored in the file.
    package let storedSize: PixelSize
    /// Output size before the orientation is applied.
    package let scaledSize: PixelSize
    /// Orientation to apply to the scaled pixels; `up` when the tag is kept instead.
    package let turn: Orientation
    /// Orientation tag of the result.
    package let tag: Orientation

    /// True if the image has to be scaled down.
    package var shrinks: Bool { scaledSize != storedSize }
    /// True when one pixel per 8 by 8 block is enough; the pixels at the edges may cover less.
    /// Then a JPEG decoder needs only the DC coefficients.
    package var shrinksToAnEighth: Bool {
        shrinks && scaledSize.width <= (storedSize.width + 7) / 8 && scaledSize.height <= (storedSize.height + 7) / 8
    }

    /// Creates a plan. Bounding boxes refer to the displayed image, and sizes never grow. `original`: the displayed size of the
    /// image that this one may be reduced from. `source`: the format of the image.
    /// Throws `badData` for an empty size, and `tooLarge` for a size above the limit of pixels.
    package init(
        storedSize: PixelSize, orientation: Orientation, options: DecodeOptions, original: PixelSize? = nil, frames: Int = 1,
        source: PixelFormat = .rgba8
    ) throws(ImageError) {
        guard !storedSize.isEmpty else {
            throw ImageError(.badData, "image: empty size \(storedSize.width)x\(storedSize.height)")
        }
        guard let pixels = storedSize.pixelCount, pixels <= options.limits.streamedPixels else {
            throw .tooLarge(
                "image: area of \(storedSize.width)x\(storedSize.height) pixels", limit: options.limits.streamedPixels)
        }
        let displayed = orientation.swapsAxes ? storedSize.swapped : storedSize
        // The limit of bytes overrides the thumbnail size.
        var wanted = displayed
        if options.limitBytes > 0 {
            let perPixel = options.limitedBytesPerPixel(of: source)
            let box = displayed.limited(toBytes: options.limitBytes, bytesPerPixel: perPixel, frames: frames)
            wanted = DecodePlan.fit(displayed, into: box, .aspectFit)
        } else if let box = options.thumbnailSize, !box.isEmpty {
            wanted = DecodePlan.fit(displayed, of: original, into: box, options.thumbnailMode)
        }
        self.storedSize = storedSize
        scaledSize = orientation.swapsAxes ? wanted.swapped : wanted
        turn = options.applyOrientation ? orientation : .up
        tag = options.applyOrientation ? .up : orientation
    }

    /// Fits a size into a box. An image inside the box keeps its size, and so does one that is to cover the box but is smaller
    /// in one dimension. A reduced image is fitted like its original, because its own sides are rounded.
    private static func fit(
        _ size: PixelSize, of original: PixelSize? = nil, into box: PixelSize, _ mode: ScaleMode
    ) -> PixelSize {
        let isNarrow = size.width <= box.width, isLow = size.height <= box.height
        if isNarrow && isLow || mode == .aspectFill && (isNarrow || isLow) { return size }
        guard let original, size.isReduction(of: original) else {
            return size.scaled(to: box, mode: mode, scaleUp: false)
        }
        let wanted = original.scaled(to: box, mode: mode, scaleUp: false)
        return PixelSize(width: min(wanted.width, size.width), height: min(wanted.height, size.height))
    }
}
