import SDImage

/// The way from a finished canvas to the picture that is handed out: shrunk, its colour and pixel format converted, turned.
package struct CanvasOutput {
    package let plan: DecodePlan
    package let format: PixelFormat
    private let transform: (any RowTransform)?
    private let options: DecodeOptions

    /// Frames of an animation have alpha unless another format is asked for, so that all of them are alike and canvases
    /// can be handed out as they are.
    package init(
        canvas: PixelSize, orientation: Orientation = .up, frames: Int, transform: (any RowTransform)? = nil,
        options: DecodeOptions
    ) throws(ImageError) {
        plan = try DecodePlan(storedSize: canvas, orientation: orientation, options: options, frames: frames)
        format = PixelFormat.resolved(source: .rgba8, wanted: options.pixelFormat)
        self.transform = transform
        self.options = options
    }

    /// Of the pictures, turned as planned.
    package var size: PixelSize { plan.turn.swapsAxes ? plan.scaledSize.swapped : plan.scaledSize }

    /// The canvas as a frame; `indices`: the same, which it is held as where nothing is to be changed.
    package func frame(
        _ canvas: PixelBuffer, _ indices: IndexedPixels?, _ metadata: ImageMetadata, stop: StopSignal
    ) throws(ImageError) -> CachedFrame {
        if try isCanvas(canvas) {
            return indices.map { CachedFrame($0, metadata) } ?? CachedFrame(Image(pixels: canvas, metadata: metadata))
        }
        if !plan.shrinks, plan.turn == .up, transform == nil, let own = try indices?.converted(to: format) {
            return CachedFrame(own, metadata)
        }
        let image = Image(pixels: try picture(from: canvas, stop: stop), metadata: metadata)
        return CachedFrame(image, canvas: canvas, indices: indices)
    }

    /// Nothing is to be changed. Canvases have the limit of working memory, what is handed out has its own.
    private func isCanvas(_ canvas: PixelBuffer) throws(ImageError) -> Bool {
        guard !plan.shrinks, plan.turn == .up, transform == nil, format == canvas.format else { return false }
        let limit = options.limits.outputBytes
        guard canvas.byteCount <= limit else { throw .tooLarge("decoded size in bytes", limit: limit) }
        return true
    }

    /// The canvas itself where nothing is to be changed.
    package func picture(from canvas: PixelBuffer, stop: StopSignal) throws(ImageError) -> PixelBuffer {
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
