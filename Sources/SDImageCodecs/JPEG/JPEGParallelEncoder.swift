import SDImage
import Synchronization

/// Encodes a large image with two threads: an idle worker encodes the lower rows. Restart markers make that possible, because
/// data after one do not depend on data before it. The file is identical to that of a single thread.
final class JPEGParallelEncoder: Sendable {
    /// Minimum size; below it, waking a worker is too large a part of the work.
    static let smallestPixels = 500_000
    /// Restart markers count modulo eight, and the lower half starts at 0 (ISO/IEC 10918-1, B.2.1).
    static let restartCycle = 8

    private let parameters: JPEGRowEncoder.Parameters
    private let image: Image
    private let background: Color
    private let stop: CancellationToken
    /// The first row of the lower half.
    private let row: Int
    /// The file of the lower half, or its error; nil until the encode has ended.
    private let lower = Lock<Result<Bytes, ImageError>?>(nil)
    /// Set by the calling thread; the worker ends at its next rows.
    private let isAbandoned = Atomic<Bool>(false)
    private let pool: WorkPool

    /// nil when one thread encodes the whole image. `pool` is called last.
    init?(
        _ parameters: JPEGRowEncoder.Parameters, _ image: Image, background: Color, stop: CancellationToken, pool: () -> WorkPool?
    ) {
        // Optimized Huffman codes would differ between the halves.
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
    static func row(height: Int, _ parameters: JPEGRowEncoder.Parameters) -> Int? {
        // Rows of an MCU, of which a multiple of eight must be above: there is a marker after each MCU row.
        let unit = (parameters.rows == .gray || parameters.chroma != .quarter ? 8 : 16) * restartCycle
        let row = (height / 2 + unit / 2) / unit * unit
        return row > 0 && row < height ? row : nil
    }

    /// Encodes the upper half on the calling thread. Encodes the lower half there too if no worker has started it by then.
    func encode(_ source: JPEGRowSource, markers: [(marker: Int32, bytes: Bytes)]) throws(ImageError) -> Bytes {
        let assistance = pool.assist { self.encodeLower() }
        defer {
            // The worker does not access the pixels after this.
            isAbandoned.store(true, ordering: .relaxed)
            assistance?.wait()
        }
        var parameters = parameters
        parameters.size.height = row
        let upper = try JPEGEncoder.start(parameters, markers)
        try upper.encode(source, rows: 0..<row, stop: stop)
        if assistance?.cancel() ?? true { encodeLower() } else { assistance?.wait() }
        guard let lower = lower.withLock({ $0 }) else {
            throw ImageError(.internalError, "jpeg: lower half of the image was not encoded")
        }
        return try JPEGParallelEncoder.join(upper, try lower.get(), height: image.size.height, stop: stop)
    }

    /// Runs on the assisting or the calling thread, never on both.
    private func encodeLower() {
        do throws(ImageError) {
            var parameters = parameters
            parameters.size.height = image.size.height - row
            let encoder = try JPEGEncoder.start(parameters, [])
            let source = try JPEGRowSource(image, background: background)
            try encoder.encode(source, rows: row..<image.size.height, stop: stop) { () throws(ImageError) in
                if isAbandoned.load(ordering: .relaxed) { throw .cancelled }
            }
            let file = try encoder.output.finish()
            lower.withLock { $0 = .success(file) }
        } catch {
            lower.withLock { $0 = .failure(error) }
        }
    }

    /// Joins the halves: the upper file with its height corrected, a restart marker, and the scan data of the lower file.
    private static func join(
        _ upper: JPEGRowEncoder, _ lower: Bytes, height: Int, stop: CancellationToken
    ) throws(ImageError) -> Bytes {
        let output = upper.output
        // Not finished: the output is changed in place, and the lower half is appended.
        let written = unsafe Bytes(lending: output.written.baseAddress, count: output.count)
        guard let frame = try JPEGParallelEncoder.segment(0xC0, of: written, stop),
            let scan = try JPEGParallelEncoder.segment(0xDA, of: lower, stop),
            let data = lower.slice(scan.upperBound..<lower.count)
        else { throw ImageError(.internalError, "jpeg: encoded half has no frame or scan") }
        // The height follows the precision (B.2.2).
        output.replace(at: frame.lowerBound + 1, with: [UInt8(height >> 8 & 255), UInt8(height & 255)])
        // The upper half has a multiple of eight MCU rows, so the marker after its last is RST7.
        // Replaces the end-of-image marker.
        output.replace(at: output.count - 1, with: [0xD7])
        try output.append(data)
        return try output.finish()
    }

    /// Returns the location of a segment's content; searches from the start of the file.
    private static func segment(
        _ marker: UInt8, of file: Bytes, _ stop: CancellationToken
    ) throws(ImageError) -> Range<Int>? {
        var segments = JPEGSegmentReader(file, stop: stop)
        while let (found, content) = try segments.next() { if found == marker { return content } }
        return nil
    }
}
