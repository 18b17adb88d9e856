import CPNG
import SDImage
import SDImagePixels

/// Draws the frames of an APNG.
@safe struct APNGPainter: FramePainter {
    /// How often the stop signal is looked at.
    private static let rowsPerCheck = 16

    let bytes: Bytes
    let structure: APNGStructure
    let limits: DecodeLimits

    func paint(_ index: Int, onto canvas: FrameCanvas, stop: StopSignal) throws(ImageError) -> Bool {
        guard structure.frames.indices.contains(index) else { throw .noFrame(index, of: structure.frames.count) }
        let frame = structure.frames[index]
        let reader = try PNGReader(try file(frame))
        guard reader.size == frame.layout.size else { throw ImageError(.badData, "APNG frame of another size") }
        let passes = try reader.start(.rgba8)
        if passes == 1, frame.layout.overwrites {
            unsafe try readRows(reader, stop: stop) { y in unsafe canvas.row(y) }
        } else {
            try blend(reader, passes: passes, onto: canvas, stop: stop)
        }
        return true
    }

    private func readRows(
        _ reader: PNGReader, stop: StopSignal, row: (Int) -> UnsafeMutableRawBufferPointer?
    ) throws(ImageError) {
        for y in 0..<reader.size.height {
            if y % APNGPainter.rowsPerCheck == 0 { try stop.check() }
            guard let row = unsafe row(y), row.count == reader.size.width * 4 else {
                throw ImageError(.badData, "APNG frame outside its canvas")
            }
            unsafe try reader.read(into: row)
        }
    }

    private func blend(_ reader: PNGReader, passes: Int, onto canvas: FrameCanvas, stop: StopSignal) throws(ImageError) {
        let buffer = try PixelBuffer(size: reader.size, format: .rgba8, limit: limits.workingBytes)
        for _ in 0..<passes { unsafe try readRows(reader, stop: stop) { y in unsafe buffer.mutableRow(y) } }
        for y in 0..<buffer.size.height {
            if let row = unsafe buffer.row(y) { unsafe canvas.draw(row, y: y) { unsafe sdpx_over_row($0, $1, $2) } }
        }
    }

    /// The frame as a data stream of its own.
    private func file(_ frame: APNGFrame) throws(ImageError) -> Bytes {
        guard let header = structure.header, let tail = bytes.slice(header.lowerBound + 8..<header.upperBound) else {
            throw ImageError(.badData, "PNG without header")
        }
        var file = GrowingBytes(limit: limits.workingBytes)
        let size = APNGPainter.four(frame.layout.size.width) + APNGPainter.four(frame.layout.size.height)
        let rest = unsafe tail.withUnsafeBytes { unsafe Array($0) }
        try APNGPainter.add([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], to: &file)
        try APNGPainter.add(chunk: "IHDR", try Bytes.copying(size + rest), to: &file)
        try add("PLTE", structure.palette, to: &file)
        try add("tRNS", structure.transparency, to: &file)
        for part in parts(frame) { try add("IDAT", part, to: &file) }
        try APNGPainter.add(chunk: "IEND", .empty, to: &file)
        return file.bytes
    }

    /// The pieces of the compressed stream.
    private func parts(_ frame: APNGFrame) -> [Range<Int>] {
        let name = PNGChunk.name(frame.isDefaultPicture ? "IDAT" : "fdAT")
        let skipped = frame.isDefaultPicture ? 0 : 4
        var chunks = PNGChunks(bytes, from: frame.data.lowerBound)
        var parts: [Range<Int>] = []
        while chunks.offset < frame.data.upperBound, let chunk = chunks.next() {
            if chunk.name == name { parts.append(chunk.data.dropFirst(skipped)) }
        }
        return parts
    }

    private func add(_ name: StaticString, _ range: Range<Int>?, to file: inout GrowingBytes) throws(ImageError) {
        guard let range, let data = bytes.slice(range) else { return }
        try APNGPainter.add(chunk: name, data, to: &file)
    }

    private static func add(chunk name: StaticString, _ data: Bytes, to file: inout GrowingBytes) throws(ImageError) {
        let start = file.count + 4
        try add(four(data.count) + four(Int(PNGChunk.name(name))), to: &file)
        unsafe try data.withUnsafeBytes { data throws(ImageError) in unsafe try file.append(data) }
        let sum = unsafe file.bytes.withUnsafeBytes { all in unsafe cpng_crc(all.baseAddress.map { unsafe $0 + start }, all.count - start) }
        try add(four(Int(sum)), to: &file)
    }

    private static func add(_ array: [UInt8], to file: inout GrowingBytes) throws(ImageError) {
        let bytes = try Bytes.copying(array)
        unsafe try bytes.withUnsafeBytes { bytes throws(ImageError) in unsafe try file.append(bytes) }
    }

    private static func four(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - $0 * 8)) } }
}
