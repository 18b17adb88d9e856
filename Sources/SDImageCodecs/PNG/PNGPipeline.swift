import Glibc
import SDImage

/// Two threads at one large picture: an idle worker inflates, a few pieces ahead of the calling thread, which makes pixels.
///
/// Until the worker has come the calling thread inflates too, so that nobody waits for a thread to be free.
@safe final class PNGPipeline: PNGByteSource, @unchecked Sendable {
    // Unchecked: the inflater belongs to one thread at a time, and so does each piece; both change hands under `monitor`.
    private struct Progress {
        var workerIsThere = false
        var workerInflates = false
        var isAbandoned = false
        /// Pieces inflated so far, and pieces that were made pixels.
        var filled = 0
        var used = 0
        var state = PNGInflater.State.isFull

        var isEnding: Bool { state != .isFull }
    }

    /// Below this waking a worker is too large a part of the work.
    private static let smallestTotal = 2 << 20
    private static let pieces = 4

    private let inflater: PNGInflater
    private let memory: [ScratchMemory]
    /// Where the new bytes of each piece lie.
    private var ranges: [Range<Int>]
    private let monitor = Monitor(Progress())
    private var assistance: Assistance?
    private var isReading = false

    /// nil when one thread does it all: small pictures, and when no worker is idle. `pool` is asked for last.
    init?(_ inflater: PNGInflater, total: Int, pool: () -> WorkPool?) throws(ImageError) {
        guard total >= PNGPipeline.smallestTotal, let pool = pool() else { return nil }
        self.inflater = inflater
        var memory: [ScratchMemory] = []
        for _ in 0..<PNGPipeline.pieces { memory.append(try ScratchMemory(PNGInflater.history + PNGWindow.piece)) }
        self.memory = memory
        ranges = Array(repeating: 0..<0, count: PNGPipeline.pieces)
        guard let assistance = pool.assist({ [self] in inflateAhead() }) else { return nil }
        self.assistance = assistance
    }

    var state: PNGInflater.State { monitor.withLock { $0.state } }

    func next() -> UnsafeRawBufferPointer? {
        let isHere = monitor.withLock { progress -> Bool in
            if isReading { progress.used += 1 }
            isReading = false
            progress.workerInflates = progress.workerInflates || progress.workerIsThere
            return !progress.workerInflates && !progress.isEnding
        }
        if isHere { inflatePiece(monitor.withLock { $0.filled }) } else { monitor.signal() }
        let piece = monitor.wait { progress, _ -> Int?? in
            if progress.filled > progress.used { return progress.used }
            return progress.isEnding ? .some(nil) : nil
        }
        guard let piece = piece ?? nil else { return nil }
        isReading = true
        let slot = piece % PNGPipeline.pieces
        return unsafe UnsafeRawBufferPointer(rebasing: memory[slot].bytes[ranges[slot]])
    }

    /// Afterwards the worker touches nothing of the picture.
    func end() {
        monitor.withLock { $0.isAbandoned = true }
        monitor.broadcast()
        assistance?.wait()
    }

    /// On the assisting thread.
    private func inflateAhead() {
        monitor.withLock { $0.workerIsThere = true }
        while true {
            let piece = monitor.wait { progress, _ -> Int?? in
                if progress.isAbandoned || progress.isEnding { return .some(nil) }
                guard progress.workerInflates, progress.filled - progress.used < PNGPipeline.pieces else { return nil }
                return progress.filled
            }
            guard let piece = piece ?? nil else { return }
            inflatePiece(piece)
            monitor.signal()
        }
    }

    private func inflatePiece(_ piece: Int) {
        let slot = piece % PNGPipeline.pieces
        var end = 0
        if piece > 0, let to = unsafe memory[slot].bytes.baseAddress {
            let before = (piece - 1) % PNGPipeline.pieces
            end = min(PNGInflater.history, ranges[before].upperBound)
            if let from = unsafe memory[before].bytes.baseAddress {
                unsafe memcpy(to, from + ranges[before].upperBound - end, end)
            }
        }
        let start = end
        let state = unsafe inflater.fill(memory[slot].bytes, from: &end)
        ranges[slot] = start..<end
        monitor.withLock { progress in
            progress.filled += 1
            progress.state = state
        }
    }
}
