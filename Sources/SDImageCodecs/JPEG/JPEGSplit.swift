import SDImage

/// Splits the decode of a large image: an idle worker decodes the lower rows, the calling thread the upper ones.
struct JPEGSplit {
    /// Minimum size; below it, a second instance and waking a worker are too large a part of the work.
    static let smallestPixels = 2_000_000

    /// The first row that the worker decodes.
    let row: Int
    private let lower: JPEGLowerRows
    private let assistance: Assistance

    /// nil when one thread decodes the whole image: for files with several scans, for small images, when partial images are
    /// accepted or memory is short, and when no worker is idle. `decoder` has been started; it is at full size if and only if it
    /// has as many rows as `destination`. `pool` is called last.
    init?(
        _ decoder: JPEGDecoder, rows: JPEGDecoder.Rows, into destination: JPEGDestination, options: DecodeOptions,
        stop: CancellationToken, pool: () -> WorkPool?
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

    /// Called when the rows above `row` are done. Returns true when the worker has decoded the rows below; waits for it if it is
    /// writing them. A worker that has not started writing would finish later than the caller, which then decodes the rows
    /// itself.
    func takesLowerRows() -> Bool {
        if assistance.cancel() || lower.takeBack() { return false }
        assistance.wait()
        return lower.isComplete
    }

    /// Stops the worker; it does not access the file or the image after this.
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

extension JPEGDecoder {
    /// Decodes all rows after `start`, with the help of an idle worker if there is one.
    func readAll(
        _ rows: Rows, into destination: JPEGDestination, options: DecodeOptions, stop: CancellationToken,
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
