import SDImage

/// Converts a finished canvas to the returned image: scales, converts colors and pixel format, rotates. The decoders of
/// animations make it from the size of the canvas and the number of frames.
package struct CanvasOutput {
    package let plan: DecodePlan
    /// Format of the returned images.
    package let format: PixelFormat
    /// Converts the colors of the file to sRGB; nil when none is needed.
    private let transform: (any RowTransform)?
    private let options: DecodeOptions

    /// Frames of an animation have alpha unless another format is requested, so that all frames have the same format and canvases
    /// can be returned without conversion.
    package init(
        canvas: PixelSize, orientation: Orientation = .up, frames: Int, transform: (any RowTransform)? = nil,
        options: DecodeOptions
    ) throws(ImageError) {
        plan = try DecodePlan(storedSize: canvas, orientation: orientation, options: options, frames: frames)
        format = options.outputFormat(of: .rgba8)
        self.transform = transform
        self.options = options
    }

    /// Size of the returned images, with the planned rotation applied.
    package var size: PixelSize { plan.turn.swapsAxes ? plan.scaledSize.swapped : plan.scaledSize }

    /// Returns the canvas as a frame. `indices` holds the same pixels, and replaces the canvas when no conversion is needed.
    package func frame(
        _ canvas: PixelBuffer, _ indices: IndexedPixels?, _ metadata: ImageMetadata, stop: CancellationToken
    ) throws(ImageError) -> CachedFrame {
        if try isCanvas(canvas) {
            return indices.map { CachedFrame($0, metadata) } ?? CachedFrame(Image(pixels: canvas, metadata: metadata))
        }
        // If only the format differs, the palette is converted instead of the pixels.
        if !plan.shrinks, plan.turn == .up, transform == nil, let own = try indices?.converted(to: format) {
            return CachedFrame(own, metadata)
        }
        // The canvas is passed to be counted: the compositor keeps it beside the image.
        let image = Image(pixels: try pixels(from: canvas, stop: stop), metadata: metadata)
        return CachedFrame(image, canvas: canvas, indices: indices)
    }

    /// True when no conversion is needed. Canvases are limited by the working memory, returned images by their own limit.
    private func isCanvas(_ canvas: PixelBuffer) throws(ImageError) -> Bool {
        guard !plan.shrinks, plan.turn == .up, transform == nil, format == canvas.format else { return false }
        let limit = options.limits.outputBytes
        guard canvas.byteCount <= limit else { throw .tooLarge("animation: decoded size in bytes", limit: limit) }
        return true
    }

    /// Converts a canvas; returns the canvas itself when no conversion is needed.
    package func pixels(from canvas: PixelBuffer, stop: CancellationToken) throws(ImageError) -> PixelBuffer {
        if try isCanvas(canvas) { return canvas }
        var writer = try ScanlineWriter(
            rowSize: canvas.size, sourceFormat: canvas.format, plan: plan, output: format, transform: transform,
            options: options)
        for y in 0..<canvas.size.height {
            if y % 16 == 0 { try stop.check() }
            guard let row = unsafe canvas.row(y) else { break }
            if let target = unsafe writer.directRow(y) {
                unsafe target.copyMemory(from: row)
            } else {
                unsafe try writer.write(row)
            }
        }
        return try writer.finish()
    }
}
