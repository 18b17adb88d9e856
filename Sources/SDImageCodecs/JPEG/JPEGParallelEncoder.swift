import SDImage
import Synchronization

/// A large picture encoded by two threads: an idle worker takes the lower rows. Restart markers make that possible, because
/// what lies behind one does not depend on what lies before it; so the file is the one that a single thread writes.
final class JPEGParallelEncoder: Sendable {
    /// Below this waking a worker is too large a part of the work.
    static let smallestPixels = 500_000
    /// Restart markers count to eight, and the lower half begins to count anew (ISO/IEC 10918-1, B.2.1).
    static let restartCycle = 8

    private let parameters: JPEGEncoder.Parameters
    private let image: Image
    private let background: Color
    private let stop: StopSignal
    private let row: Int
    private let lower = Lock<Result<Bytes, ImageError>?>(nil)
    private let isAbandoned = Atomic<Bool>(false)
    private let pool: WorkPool

    /// nil when one thread does it all. `pool` is asked for last.
    init?(
        _ parameters: JPEGEncoder.Parameters, _ image: Image, background: Color, stop: StopSignal, pool: () -> WorkPool?
    ) {
        // Codes made for the picture would be different ones for each half.
        guard parameters.hasRestarts, !parameters.isProgressive, !parameters.hasOwnCodes,
            image.size.pixelCount ?? 0 >= JPEGParallelEncoder.smallestPixels,
            let row = JPEGParallelEncoder.row(height: image.size.height, parameters), let pool = pool()
        else { return nil }
        self.parameters = parameters
        self.image = image
        self.background = background
        self.stop = stop
        self.row = row
        self.pool = pool
    }

    /// The first row of the lower half.
    static func row(height: Int, _ parameters: JPEGEncoder.Parameters) -> Int? {
        let unit = (parameters.rows == .gray || parameters.chroma != .quarter ? 8 : 16) * restartCycle
        let row = (height / 2 + unit / 2) / unit * unit
        return row > 0 && row < height ? row : nil
    }

    func encode(_ source: JPEGSource, markers: [(marker: Int32, bytes: Bytes)]) throws(ImageError) -> Bytes {
        let assistance = pool.assist { self.encodeLower() }
        defer {
            // Afterwards the worker does not touch the pixels.
            isAbandoned.store(true, ordering: .relaxed)
            assistance?.wait()
        }
        var parameters = parameters
        parameters.size.height = row
        let upper = try JPEGWriter.start(parameters, markers)
        try upper.encode(source, rows: 0..<row, stop: stop)
        if assistance?.withdraw() ?? true { encodeLower() } else { assistance?.wait() }
        guard let lower = lower.withLock({ $0 }) else { throw ImageError(.internalError, "half of a picture is missing") }
        return try JPEGParallelEncoder.join(upper, try lower.get(), height: image.size.height, stop: stop)
    }

    private func encodeLower() {
        do throws(ImageError) {
            var parameters = parameters
            parameters.size.height = image.size.height - row
            let encoder = try JPEGWriter.start(parameters, [])
            let source = try JPEGSource(image, background: background)
            try encoder.encode(source, rows: row..<image.size.height, stop: stop) { () throws(ImageError) in
                if isAbandoned.load(ordering: .relaxed) { throw .cancelled }
            }
            let file = try encoder.output.finish()
            lower.withLock { $0 = .success(file) }
        } catch {
            lower.withLock { $0 = .failure(error) }
        }
    }

    /// One file of the upper one with its height corrected, and of the data of the lower one behind a restart marker.
    private static func join(
        _ upper: JPEGEncoder, _ lower: Bytes, height: Int, stop: StopSignal
    ) throws(ImageError) -> Bytes {
        let output = upper.output
        let written = unsafe Bytes(lending: output.written.baseAddress, count: output.count)
        guard let frame = try JPEGParallelEncoder.segment(0xC0, of: written, stop),
            let scan = try JPEGParallelEncoder.segment(0xDA, of: lower, stop),
            let data = lower.slice(scan.upperBound..<lower.count)
        else { throw ImageError(.internalError, "a JPEG without frame or scan") }
        // Behind the precision (B.2.2).
        output.replace(at: frame.lowerBound + 1, with: [UInt8(height >> 8 & 255), UInt8(height & 255)])
        // In place of the end of the file.
        output.replace(at: output.count - 1, with: [0xD7])
        try output.append(data)
        return try output.finish()
    }

    /// Where the content of a segment lies, looked for from the beginning of a file.
    private static func segment(
        _ marker: UInt8, of file: Bytes, _ stop: StopSignal
    ) throws(ImageError) -> Range<Int>? {
        var reader = file.reader
        reader.seek(to: 2)
        while let (found, content) = try JPEGMarkers.next(&reader, stop) { if found == marker { return content } }
        return nil
    }
}
