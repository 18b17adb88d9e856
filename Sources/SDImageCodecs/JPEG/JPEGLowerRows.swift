import SDImage
import Synchronization

/// The lower part of an image, decoded by a second instance of libjpeg while the first one decodes the upper part.
///
/// The scan is one bit stream, so the second instance reads everything above its part too; only the reconstruction of pixels is
/// shared.
final class JPEGLowerRows: Sendable {
    private enum Stage: UInt8, AtomicRepresentable {
        /// Skips to the first row; nothing was written.
        case passing
        case writing, complete, failed
        /// The caller no longer waits for the rows and may write them itself.
        case abandoned
    }

    private let bytes: Bytes
    private let rows: JPEGDecoder.Rows
    private let range: Range<Int>
    private let destination: JPEGDestination
    private let limits: DecodeLimits
    private let stop: CancellationToken
    private let stage = Atomic<Stage>(.passing)

    /// `firstRow` is a multiple of the rows of an MCU, inside the image.
    init(
        _ bytes: Bytes, rows: JPEGDecoder.Rows, from firstRow: Int, into destination: JPEGDestination, limits: DecodeLimits,
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

    /// Runs on the assisting thread. An error here occurs again, and is reported, in the decode of the upper rows.
    func decode() {
        do throws(ImageError) {
            let decoder = try JPEGDecoder(bytes, tolerant: false)
            try decoder.start(rows, scale: decoder.fullScale, limits: limits, stop: stop)
            try decoder.skip(range.lowerBound) { () throws(ImageError) in try check(.passing) }
            guard move(from: .passing, to: .writing) else { return }
            try decoder.read(range, into: destination) { () throws(ImageError) in try check(.writing) }
            _ = move(from: .writing, to: .complete)
        } catch {
            if !move(from: .writing, to: .failed) { _ = move(from: .passing, to: .failed) }
        }
    }

    private func check(_ expected: Stage) throws(ImageError) {
        guard stage.load(ordering: .relaxed) == expected else { throw .cancelled }
        try stop.check()
    }

    private func move(from: Stage, to: Stage) -> Bool {
        stage.compareExchange(expected: from, desired: to, ordering: .acquiringAndReleasing).exchanged
    }
}
