import SDImage
import SDImagePixels

/// Draws the frames of an APNG.
@safe struct APNGPainter: FramePainter {
    let bytes: Bytes
    let structure: APNGStructure
    let limits: DecodeLimits

    func paint(_ index: Int, onto canvas: FrameCanvas, stop: StopSignal) throws(ImageError) -> Bool {
        guard structure.frames.indices.contains(index) else { throw .noFrame(index, of: structure.frames.count) }
        let frame = structure.frames[index]
        let data = try picture(frame)
        guard data.isInterlaced else {
            try draw(data, onto: canvas, replaces: frame.layout.overwrites, stop: stop)
            return true
        }
        let buffer = try PixelBuffer(size: data.size, format: .rgba8, limit: limits.workingBytes)
        try data.decode(into: buffer, limits: limits, stop: stop)
        for y in 0..<buffer.size.height {
            if let row = unsafe buffer.row(y) { unsafe canvas.draw(row, y: y) { unsafe sdpx_over_row($0, $1, $2) } }
        }
        return true
    }

    /// Row by row.
    private func draw(_ data: PNGImageData, onto canvas: FrameCanvas, replaces: Bool, stop: StopSignal) throws(ImageError) {
        let rows = try PNGRows(data, limits: limits)
        let bytes = data.size.width * 4
        let line = try ScratchMemory(bytes, of: UInt8.self, limit: limits.workingBytes)
        while let place = rows.place {
            if place.isCheckpoint { try stop.check() }
            guard let target = unsafe replaces ? canvas.row(place.y) : line.bytes, target.count == bytes else {
                throw ImageError(.badData, "APNG frame outside its canvas")
            }
            let isPlain = rows.format == .rgba8
            guard let row = unsafe rows.next(into: isPlain ? target.baseAddress : nil) else { throw rows.missing }
            if !isPlain, let to = target.baseAddress {
                unsafe sdpx_convert_row(to, PixelFormat.rgba8.rawValue, row, rows.format.rawValue, data.size.width)
            }
            if !replaces {
                unsafe canvas.draw(UnsafeRawBufferPointer(target), y: place.y) { unsafe sdpx_over_row($0, $1, $2) }
            }
        }
    }

    /// The frame as a picture of its own.
    private func picture(_ frame: APNGFrame) throws(ImageError) -> PNGImageData {
        var picture = try PNGHeader(bytes).picture
        picture.size = frame.layout.size
        let name = PNGChunk.name(frame.isDefaultPicture ? "IDAT" : "fdAT")
        // What stands before the data of an fdAT is its number.
        let skipped = frame.isDefaultPicture ? 0 : 4
        var chunks = PNGChunks(bytes, from: frame.data.lowerBound)
        while chunks.offset < frame.data.upperBound, let chunk = chunks.next() {
            guard chunk.name == name, let part = bytes.slice(chunk.data.dropFirst(skipped)) else { continue }
            picture.parts.append(part)
        }
        return picture
    }
}
