import SDImage

/// Two threads at one large picture: an idle worker decodes the lower rows, the calling thread the upper ones.
struct JPEGSplit {
    /// Below this starting a second instance and waking a worker are too large a part of the work.
    static let smallestPixels = 2_000_000

    /// The first row that the worker decodes.
    let row: Int
    private let lower: JPEGLowerRows
    private let assistance: Assistance

    /// nil when one thread does it all: files that must be read as a whole, small ones, and when no worker is idle.
    /// `decoder` has been started, at full size exactly when it has as many rows as `destination`. `pool` is asked for last.
    init?(
        _ decoder: JPEGDecoder, rows: JPEGDecoder.Rows, into destination: JPEGDestination, options: DecodeOptions,
        stop: StopSignal, pool: () -> WorkPool?
    ) {
        guard !options.acceptPartial, !decoder.hasMultipleScans, decoder.size.height == destination.height,
            decoder.size.pixelCount ?? 0 >= JPEGSplit.smallestPixels,
            decoder.rowMemory <= options.limits.workingBytes / 2,
            let row = JPEGSplit.row(height: destination.height, unit: decoder.unitRows),
            let pool = pool()
        else { return nil }
        let lower = JPEGLowerRows(
            decoder.bytes, rows: rows, from: row, into: destination, limits: options.limits, stop: stop)
        guard let assistance = pool.assist({ lower.decode() }) else { return nil }
        self.row = row
        self.lower = lower
        self.assistance = assistance
    }

    /// When the rows above `row` are done: whether those below are too, or will be soon, which is waited for. A worker
    /// that has not come to writing them is later than the caller would be, who then does it.
    func takesLowerRows() -> Bool {
        if assistance.withdraw() || lower.takeBack() { return false }
        assistance.wait()
        return lower.isComplete
    }

    /// Afterwards the worker touches neither the file nor the picture.
    func end() {
        lower.abandon()
        assistance.wait()
    }

    /// About two thirds of the rows are above: passing over a row costs about half of decoding it, 0.4 at a quality of 50 and
    /// 0.6 at 97, where the best place is at 0.62 and 0.72 of the height.
    static func row(height: Int, unit: Int) -> Int? {
        let row = height * 2 / 3 / max(1, unit) * unit
        return row > 0 && row < height ? row : nil
    }
}

extension JPEGDecoder {
    /// Decodes all rows after `start`, with the help of a worker where there is one to be had.
    func readAll(
        _ rows: Rows, into destination: JPEGDestination, options: DecodeOptions, stop: StopSignal,
        pool: () -> WorkPool? = WorkPool.idle
    ) throws(ImageError) {
        let check = { () throws(ImageError) in try stop.check() }
        guard let split = JPEGSplit(self, rows: rows, into: destination, options: options, stop: stop, pool: pool) else {
            return try read(0..<destination.height, into: destination, check: check)
        }
        defer { split.end() }
        try read(0..<split.row, into: destination, check: check)
        if split.takesLowerRows() { return }
        try read(split.row..<destination.height, into: destination, check: check)
    }
}
