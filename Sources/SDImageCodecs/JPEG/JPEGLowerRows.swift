import SDImage
import Synchronization

/// The lower part of a picture, decoded by a second instance of libjpeg while the first one decodes the upper part.
///
/// The scan is one stream of bits, so all of it above is read here too; only the making of pixels is shared out.
final class JPEGLowerRows: Sendable {
    private enum Stage: UInt8, AtomicRepresentable {
        /// On the way to the first row; nothing was written.
        case passing
        case writing, complete, failed
        /// Nobody wants the rows, which may be written by someone else.
        case abandoned
    }

    private let bytes: Bytes
    private let rows: JPEGDecoder.Rows
    private let range: Range<Int>
    private let destination: JPEGDestination
    private let limits: DecodeLimits
    private let stop: StopSignal
    private let stage = Atomic<Stage>(.passing)

    /// `firstRow`: a multiple of the rows that are coded together, inside the picture.
    init(
        _ bytes: Bytes, rows: JPEGDecoder.Rows, from firstRow: Int, into destination: JPEGDestination, limits: DecodeLimits,
        stop: StopSignal
    ) {
        self.bytes = bytes
        self.rows = rows
        range = firstRow..<max(firstRow, destination.height)
        self.destination = destination
        self.limits = limits
        self.stop = stop
    }

    /// All rows are there and whole.
    var isComplete: Bool { stage.load(ordering: .acquiring) == .complete }

    /// Leaves the rows to the caller; false when their writing has begun already.
    func takeBack() -> Bool {
        let (exchanged, stage) = stage.compareExchange(expected: .passing, desired: .abandoned, ordering: .acquiringAndReleasing)
        return exchanged || stage == .abandoned
    }

    /// Has the work end soon.
    func abandon() { stage.store(.abandoned, ordering: .releasing) }

    /// On the assisting thread. What goes wrong here goes wrong again, and is reported, where the upper rows are decoded.
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
