/// Width and height in pixels.
package struct PixelSize: Hashable, Sendable {
    package var width: Int
    package var height: Int

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    package var isEmpty: Bool { width <= 0 || height <= 0 }
    /// The size after a quarter turn.
    package var swapped: PixelSize { PixelSize(width: height, height: width) }

    /// `width * height`; nil on overflow.
    package var pixelCount: Int? {
        let (count, overflow) = width.multipliedReportingOverflow(by: height)
        return overflow ? nil : count
    }

    /// The size scaled to `box` in a mode; never larger than this size unless `scaleUp`.
    /// Sides are rounded up to whole pixels.
    package func scaled(to box: PixelSize, mode: ScaleMode = .aspectFit, scaleUp: Bool) -> PixelSize {
        guard !isEmpty, !box.isEmpty else { return self }
        var result = box
        // One side is that of the box; the other follows from the ratio. The product is exact up to 2^53, so only the quotient is
        // rounded: a whole number of pixels stays one.
        if mode != .fill {
            let ratio = Double(width) / Double(height)
            if (ratio > Double(box.width) / Double(box.height)) == (mode == .aspectFit) {
                result.height = PixelSize.side(Double(box.width) * Double(height) / Double(width))
            } else {
                result.width = PixelSize.side(Double(box.height) * Double(width) / Double(height))
            }
        }
        if !scaleUp {
            result.width = min(result.width, width)
            result.height = min(result.height, height)
        }
        return result
    }

    /// True when this size is that of an original or a smaller one, with its proportions up to the rounding of the sides.
    func isReduction(of original: PixelSize) -> Bool {
        guard original.width >= width, original.height >= height else { return false }
        let skew = Double(width) * Double(original.height) - Double(height) * Double(original.width)
        return abs(skew) <= Double(max(original.width, original.height))
    }

    /// Rounds up to whole pixels, from 1 to 1e9, so that products do not overflow.
    private static func side(_ length: Double) -> Int { max(1, Int(saturating: min(length.rounded(.up), 1e9))) }

    /// The largest box of this aspect ratio in which `frames` images of `bytesPerPixel` stay within `limit` bytes.
    /// At least one pixel, even if it exceeds the limit.
    package func limited(toBytes limit: Int, bytesPerPixel: Int = 4, frames: Int = 1) -> PixelSize {
        guard !isEmpty else { return PixelSize(width: 1, height: 1) }
        let total = Double(limit / max(bytesPerPixel, 1) / max(frames, 1))
        let ratio = Double(height) / Double(width)
        let fitted = (total / ratio).squareRoot()
        // A side of one pixel leaves all of them to the other.
        guard fitted >= 1, fitted * ratio >= 1 else {
            let most = max(1, Int(saturating: min(total, 1e9)))
            return fitted < 1 ? PixelSize(width: 1, height: most) : PixelSize(width: most, height: 1)
        }
        return PixelSize(width: Int(saturating: min(fitted, 1e9)), height: Int(saturating: min(fitted * ratio, 1e9)))
    }
}
