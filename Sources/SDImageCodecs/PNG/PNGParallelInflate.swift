import Glibc
import SDImage

/// Decodes a large image with two threads: an idle worker inflates, a few pieces ahead of the calling thread, which produces
/// pixels.
///
/// The calling thread inflates too until the worker has started, so that it never waits for a thread to become free. `PNGDecoder`
/// creates it, and must call `end` before the compressed bytes are released.
@safe final class PNGParallelInflate: PNGInflateSource, @unchecked Sendable {
    // Unchecked: the inflater and each piece's memory belong to one thread at a time and change owner under `monitor`; all other
    // state belongs to the calling thread.
    /// State that both threads use, under `monitor`.
    private struct Progress {
        /// True when the worker runs the job.
        var workerIsThere = false
        /// True when the worker owns the inflater: the calling thread has passed it on.
        var workerInflates = false
        /// True when the calling thread needs no more pieces.
        var isAbandoned = false
        /// Number of inflated pieces, and of pieces converted to pixels.
        var filled = 0
        var used = 0
        /// Location of the new bytes of each piece.
        var ranges = Array(repeating: 0..<0, count: PNGParallelInflate.pieces)
        var state = PNGInflater.State.isFull
        /// The reason for an end before that of the stream.
        var failure: ImageError?

        var isEnding: Bool { state != .isFull || failure != nil }
    }

    /// Minimum size; below it, waking a worker is too large a part of the work.
    private static let smallestTotal = 2 << 20
    /// Number of pieces in memory, which the worker uses as a ring.
    private static let pieces = 4

    private let inflater: PNGInflater
    /// The ring: each slot has room for the history and a piece.
    private let memory: [ScratchMemory]
    private let monitor = Monitor(Progress())
    /// Ends the work of both threads.
    private let stop: CancellationToken
    /// The job of the worker.
    private var assistance: Assistance?
    /// True while the calling thread uses the piece of the last `next`.
    private var isReading = false

    /// nil when one thread decodes the whole image: for small images, and when no worker is idle. `pool` is called last.
    init?(_ inflater: PNGInflater, total: Int, stop: CancellationToken, pool: () -> WorkPool?) throws(ImageError) {
        guard total >= PNGParallelInflate.smallestTotal, let pool = pool() else { return nil }
        self.inflater = inflater
        self.stop = stop
        var memory: [ScratchMemory] = []
        for _ in 0..<PNGParallelInflate.pieces { memory.append(try ScratchMemory(PNGInflater.history + PNGSerialInflate.piece)) }
        self.memory = memory
        guard let assistance = pool.assist({ [self] in inflateAhead() }) else { return nil }
        self.assistance = assistance
    }

    var state: PNGInflater.State { monitor.withLock { $0.state } }

    /// `stop` is that of the initializer.
    func next(_ stop: CancellationToken) throws(ImageError) -> UnsafeRawBufferPointer? {
        // Releases the previous piece. The inflater changes its owner only here, between two pieces.
        let isHere = monitor.withLock { progress -> Bool in
            if isReading { progress.used += 1 }
            isReading = false
            progress.workerInflates = progress.workerInflates || progress.workerIsThere
            return !progress.workerInflates && !progress.isEnding
        }
        if isHere { inflatePiece(monitor.withLock { $0.filled }) } else { monitor.signal() }
        // The outer optional is "not yet", the inner one the end of the stream.
        let piece = monitor.wait { progress, _ -> (slot: Int, range: Range<Int>)?? in
            let slot = progress.used % PNGParallelInflate.pieces
            if progress.filled > progress.used { return (slot, progress.ranges[slot]) }
            return progress.isEnding ? .some(nil) : nil
        }
        guard let piece = piece ?? nil else {
            if let failure = monitor.withLock({ $0.failure }) { throw failure }
            return nil
        }
        isReading = true
        return unsafe UnsafeRawBufferPointer(rebasing: memory[piece.slot].bytes[piece.range])
    }

    /// Stops the worker; it does not access the image after this.
    func end() {
        monitor.withLock { $0.isAbandoned = true }
        monitor.broadcast()
        assistance?.wait()
    }

    /// Runs on the assisting thread.
    private func inflateAhead() {
        monitor.withLock { $0.workerIsThere = true }
        while true {
            let piece = monitor.wait { progress, _ -> Int?? in
                if progress.isAbandoned || progress.isEnding { return .some(nil) }
                guard progress.workerInflates, progress.filled - progress.used < PNGParallelInflate.pieces else { return nil }
                return progress.filled
            }
            guard let piece = piece ?? nil else { return }
            inflatePiece(piece)
            monitor.signal()
        }
    }

    /// Inflates a piece into its slot, or records why not, outside the lock: the caller owns inflater and slot.
    private func inflatePiece(_ piece: Int) {
        let slot = piece % PNGParallelInflate.pieces
        var end = 0
        // Matches reach back into the previous piece, which is in another slot.
        if piece > 0 { end = copyHistory(from: (piece - 1) % PNGParallelInflate.pieces, to: slot) }
        let start = end
        let state: PNGInflater.State
        do throws(ImageError) { state = unsafe try inflater.fill(memory[slot].bytes, from: &end, stop: stop) } catch {
            return monitor.withLock { $0.failure = error }
        }
        monitor.withLock { progress in
            progress.ranges[slot] = start..<end
            progress.filled += 1
            progress.state = state
        }
    }

    /// Copies the end of the previous piece in front of a new one; returns the number of bytes.
    private func copyHistory(from before: Int, to slot: Int) -> Int {
        let end = monitor.withLock { $0.ranges[before].upperBound }
        let count = min(PNGInflater.history, end)
        guard let to = unsafe memory[slot].bytes.baseAddress, let from = unsafe memory[before].bytes.baseAddress else { return 0 }
        unsafe memcpy(to, from + end - count, count)
        return count
    }
}
