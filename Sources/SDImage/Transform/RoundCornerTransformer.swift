import SDImagePixels

/// Rounds the corners and draws an optional border.
/// The result always has alpha, because the corners are transparent.
package struct RoundCornerTransformer: ImageTransformer {
    /// In points, or a fraction of the shorter side.
    let radius: Double
    let isFraction: Bool
    /// Bits as in `init`.
    let corners: UInt64
    let borderWidth: Double
    /// nil draws no border, but its width still cuts the image.
    let borderColor: Color?

    /// Creates a transformer; lengths are in points. With `isFraction` the radius is a fraction of the shorter side. `corners`:
    /// bits for top left, top right, bottom left, bottom right.
    package init(
        radius: Double, isFraction: Bool = false, corners: UInt64 = .max, borderWidth: Double = 0, borderColor: Color? = nil
    ) throws(ImageError) {
        guard radius.isFinite, radius >= 0, borderWidth.isFinite, borderWidth >= 0 else {
            throw ImageError(
                .invalidArgument, "transform: corner radius is \(radius) and border width \(borderWidth), expected 0 or more")
        }
        guard borderColor?.isFinite ?? true else { throw ImageError(.invalidArgument, "transform: border color is not finite") }
        self.radius = radius
        self.isFraction = isFraction
        self.corners = corners
        self.borderWidth = borderWidth
        self.borderColor = borderColor
    }

    package var key: String {
        let color = borderColor?.key ?? "(null)"
        let name = isFraction ? "SDImageRoundCornerFractionTransformer" : "SDImageRoundCornerTransformer"
        return "\(name)(\(FixedDecimal.text(radius)),\(corners),\(FixedDecimal.text(borderWidth)),\(color))"
    }

    package func transform(_ image: Image, cacheKey: CacheKey, stop: CancellationToken) throws(ImageError) -> Image {
        let image = try image.upright(stop: stop)
        let format = image.pixels.format.withAlpha
        let scale = image.metadata.scale
        let (width, height) = (Double(image.size.width), Double(image.size.height))
        // A border that covers everything leaves nothing of the image to show.
        guard borderWidth * scale < min(width, height) / 2 else {
            return image.redrawn(try PixelBuffer(size: image.size, format: format, zeroed: true), hasAlpha: true)
        }
        // A fraction refers to pixels of this image, a length to points.
        let radius = isFraction ? radius * min(width, height) : radius * scale
        let cut = shape(width, height, inset: borderWidth * scale, radius: radius)
        let border = border(width, height, radius: radius, scale: scale, format: format)
        let source = image.pixels
        let buffer = try PixelBuffer(size: image.size, format: format)
        let account = DecodeLimits.standard.account
        try RowBands.run(image.size.height, rowBytes: buffer.stride, stop: stop) { rows throws(ImageError) in
            // Each band has a canvas with working memory of its own.
            let canvas = try RoundedCanvas(buffer, cut: cut, border: border, account: account)
            for y in rows { canvas.draw(y, of: source) }
        }
        return image.redrawn(buffer, hasAlpha: true)
    }

    /// The rounded rectangle of the image, inset on all sides, in pixels.
    private func shape(_ width: Double, _ height: Double, inset: Double, radius: Double) -> sdpx_rounded {
        let (width, height) = (width - 2 * inset, height - 2 * inset)
        // Two arcs on one side may not overlap.
        let radius = max(0, min(radius, min(width, height) / 2))
        let radii = (0..<4).map { corners & 1 << UInt64($0) == 0 ? 0 : radius }
        return sdpx_rounded(
            left: inset, top: inset, right: inset + width, bottom: inset + height,
            radii: (radii[0], radii[1], radii[2], radii[3]))
    }

    /// The area between the outer and inner edge of the border. The center line lies at half-pixel positions, for a sharp border.
    private func border(
        _ width: Double, _ height: Double, radius: Double, scale: Double, format: PixelFormat
    ) -> RoundedCanvas.Border? {
        guard let borderColor, borderWidth > 0 else { return nil }
        let inset = (borderWidth * scale).rounded(.down) + 0.5
        // The line of the border lies inside the corner, so its radius is smaller.
        let line = shape(width, height, inset: inset, radius: max(0, radius / scale - scale / 2) * scale)
        let half = borderWidth * scale / 2
        return RoundedCanvas.Border(
            outer: line.widened(by: half), inner: line.widened(by: -half), color: borderColor.samples(for: format))
    }
}

extension sdpx_rounded {
    /// The shape enlarged by a distance on all sides; square corners stay square.
    fileprivate func widened(by distance: Double) -> sdpx_rounded {
        func radius(_ radius: Double) -> Double { radius > 0 ? max(0, radius + distance) : 0 }
        return sdpx_rounded(
            left: left - distance, top: top - distance, right: right + distance, bottom: bottom + distance,
            radii: (radius(radii.0), radius(radii.1), radius(radii.2), radius(radii.3)))
    }
}
