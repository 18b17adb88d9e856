import SDImage
import SDImagePixels

/// Draws the frames of an APNG.
@safe struct APNGFramePainter: FramePainter {
    /// Approximate memory of one part of a frame, in addition to its bytes.
    private static let partOverhead = 128

    let bytes: Bytes
    /// Properties shared by all frames.
    let encodedImage: PNGEncodedImage
    let frames: [APNGFrame]
    let limits: DecodeLimits

    func paint(_ index: Int, onto canvas: FrameCanvas, stop: CancellationToken) throws(ImageError) -> Bool {
        guard frames.indices.contains(index) else { throw .noFrame(index, of: frames.count) }
        let frame = frames[index]
        var data = encodedImage
        data.size = frame.layout.size
        data.parts = try parts(frame, stop)
        if data.isInterlaced {
            try drawPasses(data, onto: canvas, stop: stop)
        } else {
            try drawRows(data, onto: canvas, isDirect: frame.layout.overwrites, stop: stop)
        }
        return true
    }

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
            guard let row = unsafe rows.next(into: rows.format == .rgba8 ? base : nil) else { throw rows.missing }
            if rows.format != .rgba8 {
                unsafe sdpx_convert_row(
                    base, PixelFormat.rgba8.rawValue, row, rows.format.rawValue, data.size.width)
            }
            if !isDirect { unsafe canvas.draw(UnsafeRawBufferPointer(target), y: position.y, blend: APNGFramePainter.blend) }
        }
    }

    private func drawPasses(_ data: PNGEncodedImage, onto canvas: FrameCanvas, stop: CancellationToken) throws(ImageError) {
        let buffer = try PixelBuffer(
            size: data.size, format: .rgba8, limit: limits.workingBytes, account: limits.account)
        try data.decode(into: buffer, limits: limits, stop: stop)
        for y in 0..<buffer.size.height {
            if let row = unsafe buffer.row(y) { unsafe canvas.draw(row, y: y, blend: APNGFramePainter.blend) }
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
