import SDImage

/// Draws frames of a GIF on their canvas. `FrameCompositor` calls it, under the lock of the decoder; functions that `decoder`
/// returned run on any thread (`FramesAhead`).
struct GIFFramePainter: FramePainter {
    /// Lines decoded before they are drawn, small enough to stay in the cache; also the interval of checks of the token.
    private static let linesPerStep = 16

    /// The file.
    let bytes: Bytes
    let frames: [GIFFrame]
    let canvas: PixelSize
    let options: DecodeOptions
    /// Indices of the first frame, if it was partly decoded before.
    let first: GIFRowDecoder?

    /// Returns false for a frame whose data end early: its missing pixels do not overwrite anything.
    func paint(_ index: Int, onto canvas: FrameCanvas, stop: CancellationToken) throws(ImageError) -> Bool {
        guard frames.indices.contains(index) else {
            throw ImageError(.internalError, "gif: frame index \(index) is out of range (count \(frames.count))")
        }
        let frame = frames[index]
        let indices = try indices(of: index)
        let palette = GIFPalette(bytes, frame.palette, transparentIndex: frame.transparentIndex, format: .rgba8)
        var line = 0
        while line < indices.lineCount {
            try stop.check()
            let end = min(line + GIFFramePainter.linesPerStep, indices.lineCount)
            indices.decode(bytes, lines: end)
            for stored in line..<end {
                if let pixels = unsafe indices.line(stored) {
                    unsafe palette.draw(pixels, onto: canvas, y: indices.row(ofLine: stored))
                }
            }
            line = end
        }
        // A frame whose data end early shows the lines that it has.
        if indices.isDamaged, !options.acceptPartial || indices.count == 0 { throw .damagedGIF }
        return indices.isWhole
    }

    func decoder(of index: Int) -> (@Sendable (CancellationToken) -> PixelBuffer?)? {
        guard frames.indices.contains(index) else { return nil }
        // Indices take a quarter of the memory of pixels, and drawing them needs the canvas.
        let (bytes, frame, canvas, limits) = (bytes, frames[index], canvas, options.limits)
        return { stop in
            // The calling thread decodes the frame again and reports the error.
            try? GIFRowDecoder(frame, canvas: canvas, limits: limits).allIndices(bytes, limits: limits, stop: stop)
        }
    }

    /// `pixels` are indices, with the lines in stored order.
    func paint(_ index: Int, from pixels: PixelBuffer, onto canvas: FrameCanvas) throws(ImageError) {
        let frame = frames[index]
        let palette = GIFPalette(bytes, frame.palette, transparentIndex: frame.transparentIndex, format: .rgba8)
        for line in 0..<pixels.size.height {
            if let indices = unsafe pixels.row(line) {
                unsafe palette.draw(indices, onto: canvas, y: frame.row(ofLine: line, of: pixels.size.height))
            }
        }
    }

    /// Fills the missing rows of a partial interlaced frame with the row above, so that each pass covers the whole image.
    static func fillGaps(_ indices: GIFRowDecoder, rows: Int, onto canvas: FrameCanvas) {
        var isDrawn = [Bool](repeating: false, count: indices.lineCount)
        for line in 0..<indices.startedLines { isDrawn[indices.row(ofLine: line)] = true }
        for y in 1..<max(min(rows, isDrawn.count), 1) where !isDrawn[y] {
            if let above = unsafe canvas.row(y - 1), let row = unsafe canvas.row(y) {
                unsafe row.copyMemory(from: UnsafeRawBufferPointer(above))
            }
        }
    }

    /// Returns the decoder of a frame; that of the first may have decoded lines already.
    private func indices(of index: Int) throws(ImageError) -> GIFRowDecoder {
        if index == 0, let first { return first }
        return try GIFRowDecoder(frames[index], canvas: canvas, limits: options.limits)
    }
}

extension ImageError {
    static let damagedGIF = ImageError(.badData, "gif: invalid LZW code")
    static let truncatedGIF = ImageError(.truncated, "gif: frame data ends early")
}
