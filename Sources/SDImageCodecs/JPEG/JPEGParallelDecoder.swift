import SDImage
import Synchronization

/// Splits the decode of a large image: an idle worker decodes the lower rows, the calling thread the upper ones. Belongs to the
/// calling thread, which must call `end` before it releases the destination.
struct JPEGParallelDecoder {
    /// Minimum size; below it, a second instance and waking a worker are too large a part of the work.
    static let smallestPixels = 2_000_000

    /// The first row that the worker decodes.
    let row: Int
    private let lower: JPEGLowerRowDecoder
    /// The job of the worker.
    private let assistance: Assistance

    /// nil when one thread decodes the whole image: for files with several scans, for small images, when partial images are
    /// accepted or memory is short, and when no worker is idle. `decoder` has been started; it is at full size if and only if it
    /// has as many rows as `destination`. `pool` is called last.
    init?(
        _ decoder: JPEGRowDecoder, rows: JPEGRowDecoder.Rows, into destination: JPEGRowDestination, options: DecodeOptions,
        stop: CancellationToken, pool: () -> WorkPool?
    ) {
        guard !options.acceptPartial, !decoder.hasMultipleScans, decoder.size.height == destination.height,
            decoder.size.pixelCount ?? 0 >= JPEGParallelDecoder.smallestPixels,
            // Two instances of libjpeg share the memory of one operation.
            decoder.rowMemory <= options.limits.workingBytes / 2,
            let row = JPEGParallelDecoder.row(height: destination.height, unit: decoder.unitRows),
            let pool = pool()
        else { return nil }
        let lower = JPEGLowerRowDecoder(
            decoder.bytes, rows: rows, from: row, into: destination, limits: options.limits, stop: stop)
        guard let assistance = pool.assist({ lower.decode() }) else { return nil }
        self.row = row
        self.lower = lower
        self.assistance = assistance
    }

    /// Called when the rows above `row` are done. Returns true when the worker has decoded the rows below; waits for it if it is
    /// writing them. A worker that has not started writing would finish later than the caller, which then decodes the rows
    /// itself.
    func takesLowerRows() -> Bool {
        // The first fails once the job runs, the second once it writes.
        if assistance.cancel() || lower.takeBack() { return false }
        assistance.wait()
        return lower.isComplete
    }

    /// Stops the worker; it does not access the file or the image after this.
    /// Waiting is short: the job checks its stage at least every few million pixels.
    func end() {
        lower.abandon()
        assistance.wait()
    }

    /// About two thirds of the rows are above. Skipping a row costs about half of decoding it: 0.4 at a quality of 50 and 0.6 at
    /// 97, for which the best split is at 0.62 and 0.72 of the height.
    static func row(height: Int, unit: Int) -> Int? {
        let row = height * 2 / 3 / max(1, unit) * unit
        return row > 0 && row < height ? row : nil
    }
}

/// The lower part of an image, decoded by a second instance of libjpeg while the first one decodes the upper part.
///
/// The scan is one bit stream, so the second instance reads everything above its part too; only the reconstruction of pixels is
/// shared.
final class JPEGLowerRowDecoder: Sendable {
    /// Progress of the worker; the caller may abandon it at any stage.
    private enum Stage: UInt8, AtomicRepresentable {
        /// Skips to the first row; nothing was written.
        case passing
        case writing, complete, failed
        /// The caller no longer waits for the rows and may write them itself.
        case abandoned
    }

    private let bytes: Bytes
    private let rows: JPEGRowDecoder.Rows
    /// The rows to write.
    private let range: Range<Int>
    /// Rows above `range` belong to the calling thread.
    private let destination: JPEGRowDestination
    private let limits: DecodeLimits
    private let stop: CancellationToken
    /// Written by both threads: the worker advances it, the calling thread abandons the work.
    private let stage = Atomic<Stage>(.passing)

    /// `firstRow` is a multiple of the rows of an MCU, inside the image.
    init(
        _ bytes: Bytes, rows: JPEGRowDecoder.Rows, from firstRow: Int, into destination: JPEGRowDestination, limits: DecodeLimits,
        stop: CancellationToken
    ) {
        self.bytes = bytes
        self.rows = rows
        range = firstRow..<max(firstRow, destination.height)
        self.destination = destination
        self.limits = limits
        self.stop = stop
    }

    /// True when all rows were written without error.
    var isComplete: Bool { stage.load(ordering: .acquiring) == .complete }

    /// Returns the rows to the caller; false when writing has already started.
    func takeBack() -> Bool {
        let (exchanged, stage) = stage.compareExchange(expected: .passing, desired: .abandoned, ordering: .acquiringAndReleasing)
        return exchanged || stage == .abandoned
    }

    /// Requests the end of the work.
    func abandon() { stage.store(.abandoned, ordering: .releasing) }

    /// Runs on the assisting thread. An error here occurs again, and is reported, in the decode of the upper rows. Damage ends
    /// this decode too: the calling thread then decodes all rows, as it does without help.
    func decode() {
        do throws(ImageError) {
            let decoder = try JPEGRowDecoder(bytes, accepting: .none)
            try decoder.start(rows, scale: decoder.fullScale, limits: limits, stop: stop)
            try decoder.skip(range.lowerBound) { () throws(ImageError) in try check(.passing) }
            // Exactly one thread writes the rows: this exchange fails if the caller took them back.
            guard move(from: .passing, to: .writing) else { return }
            try decoder.read(range, into: destination) { () throws(ImageError) in try check(.writing) }
            _ = move(from: .writing, to: .complete)
        } catch {
            if !move(from: .writing, to: .failed) { _ = move(from: .passing, to: .failed) }
        }
    }

    /// Throws when the caller abandoned the work, or the operation must end.
    private func check(_ expected: Stage) throws(ImageError) {
        guard stage.load(ordering: .relaxed) == expected else { throw .cancelled }
        try stop.check()
    }

    /// Changes the stage; false if it is not `from`, for example because the caller abandoned the work.
    private func move(from: Stage, to: Stage) -> Bool {
        stage.compareExchange(expected: from, desired: to, ordering: .acquiringAndReleasing).exchanged
    }
}

extension JPEGRowDecoder {
    /// Decodes all rows after `start`, with the help of an idle worker if there is one.
    func readAll(
        _ rows: Rows, into destination: JPEGRowDestination, options: DecodeOptions, stop: CancellationToken,
        pool: () -> WorkPool? = WorkPool.idle
    ) throws(ImageError) {
        let check = { () throws(ImageError) in try stop.check() }
        guard let split = JPEGParallelDecoder(self, rows: rows, into: destination, options: options, stop: stop, pool: pool)
        else {
            return try read(0..<destination.height, into: destination, check: check)
        }
        defer { split.end() }
        try read(0..<split.row, into: destination, check: check)
        if split.takesLowerRows() { return }
        try read(split.row..<destination.height, into: destination, check: check)
    }
}
