import SDImage
import SDImagePixels

/// Draws the frames of an APNG, each of which has its own size and zlib stream. `FrameCompositor` calls it, under the lock of
/// the decoder; functions that `decoder` returned run on any thread (`FramesAhead`).
@safe struct APNGFramePainter: FramePainter {
    /// Approximate memory of one part of a frame, in addition to its bytes.
    private static let partOverhead = 128

    /// The file.
    let bytes: Bytes
    /// Properties shared by all frames.
    let encodedImage: PNGEncodedImage
    let frames: [APNGFrame]
    let limits: DecodeLimits

    func paint(_ index: Int, onto canvas: FrameCanvas, stop: CancellationToken) throws(ImageError) -> Bool {
        guard frames.indices.contains(index) else { throw .noFrame(index, of: frames.count) }
        let data = try encodedImage(of: frames[index], stop)
        // Passes visit each row several times, so the frame is decoded apart.
        if data.isInterlaced {
            draw(try decode(data, stop), onto: canvas)
        } else {
            try drawRows(data, onto: canvas, isDirect: frames[index].layout.overwrites, stop: stop)
        }
        return true
    }

    func decoder(of index: Int) -> (@Sendable (CancellationToken) -> PixelBuffer?)? {
        guard frames.indices.contains(index) else { return nil }
        // The closure keeps a painter of this frame only.
        let painter = APNGFramePainter(bytes: bytes, encodedImage: encodedImage, frames: [frames[index]], limits: limits)
        return { stop in
            // The calling thread decodes the frame again and reports the error.
            try? painter.decode(painter.encodedImage(of: painter.frames[0], stop), stop)
        }
    }

    func paint(_ index: Int, from pixels: PixelBuffer, onto canvas: FrameCanvas) throws(ImageError) { draw(pixels, onto: canvas) }

    /// Frames share all properties of the image but size and data.
    private func encodedImage(of frame: APNGFrame, _ stop: CancellationToken) throws(ImageError) -> PNGEncodedImage {
        var data = encodedImage
        data.size = frame.layout.size
        data.parts = try parts(frame, stop)
        return data
    }

    /// Decodes rows and draws each at once. `isDirect` means that pixels replace those of the canvas, so rows are decoded in
    /// place.
    private func drawRows(
        _ data: PNGEncodedImage, onto canvas: FrameCanvas, isDirect: Bool, stop: CancellationToken
    ) throws(ImageError) {
        let rows = try PNGRowDecoder(data, limits: limits)
        let line = isDirect ? nil : try ScratchMemory(data.size.width * 4, of: UInt8.self, account: limits.account)
        while let position = rows.position {
            if position.isCheckpoint { try stop.check() }
            guard let target = unsafe isDirect ? canvas.row(position.y) : line?.bytes, target.count == data.size.width * 4,
                let base = target.baseAddress
            else { throw ImageError(.badData, "apng: frame is outside of its canvas") }
            // The decoder writes its own format only; canvases are RGBA.
            guard let row = unsafe try rows.next(into: rows.format == .rgba8 ? base : nil, stop: stop) else { throw rows.missing }
            if rows.format != .rgba8 {
                unsafe sdpx_convert_row(
                    base, PixelFormat.rgba8.rawValue, row, rows.format.rawValue, data.size.width)
            }
            if !isDirect { unsafe canvas.draw(UnsafeRawBufferPointer(target), y: position.y, blend: APNGFramePainter.blend) }
        }
    }

    /// Decodes a whole frame to RGBA.
    private func decode(_ data: PNGEncodedImage, _ stop: CancellationToken) throws(ImageError) -> PixelBuffer {
        let buffer = try PixelBuffer(
            size: data.size, format: .rgba8, limit: limits.workingBytes, account: limits.account)
        try data.decode(into: buffer, limits: limits, stop: stop)
        return buffer
    }

    private func draw(_ pixels: PixelBuffer, onto canvas: FrameCanvas) {
        for y in 0..<pixels.size.height {
            if let row = unsafe pixels.row(y) { unsafe canvas.draw(row, y: y, blend: APNGFramePainter.blend) }
        }
    }

    private static let blend: FrameCanvas.BlendFunction = { unsafe sdpx_over_row($0, $1, $2) }

    /// Returns the parts of the compressed stream; throws when a check sum is wrong.
    private func parts(_ frame: APNGFrame, _ stop: CancellationToken) throws(ImageError) -> [Bytes] {
        let name = PNGChunk.name(frame.isDefaultImage ? "IDAT" : "fdAT")
        var chunks = PNGChunkReader(bytes, from: frame.data.lowerBound, stop: stop)
        var parts: [Bytes] = []
        while chunks.offset < frame.data.upperBound, let chunk = try chunks.next() {
            guard chunk.name == name else { continue }
            guard try chunks.isIntact(chunk) else { throw ImageError(.badData, "apng: chunk has a wrong CRC") }
            // fdAT data start with a sequence number.
            let range = frame.isDefaultImage ? chunk.data : chunk.data.dropFirst(4)
            if let part = bytes.slice(range), !part.isEmpty { parts.append(part) }
            guard parts.count <= limits.workingBytes / APNGFramePainter.partOverhead else {
                throw .tooLarge("apng: working memory in bytes", limit: limits.workingBytes)
            }
        }
        return parts
    }
}
