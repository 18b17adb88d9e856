import SDImage

/// Two threads at one large picture: an idle worker decodes the lower rows, the calling thread the upper ones.
struct JPEGSplit {
    /// Below this starting a second instance and waking a worker are too large a part of the work.
    private static let smallestPixels = 2_000_000

    /// The first row that the worker decodes.
    let row: Int
    private let lower: JPEGLowerRows
    private let assistance: Assistance

    /// nil when one thread does it all: files that must be read as a whole, small ones, and when no worker is idle.
    init?(
        _ decoder: JPEGDecoder, rows: JPEGDecoder.Rows, into destination: JPEGDestination, options: DecodeOptions,
        stop: StopSignal
    ) {
        guard !options.acceptPartial, !decoder.hasMultipleScans, decoder.size.height == destination.height,
            decoder.size.pixelCount ?? 0 >= JPEGSplit.smallestPixels,
            decoder.rowMemory <= options.limits.workingBytes / 2,
            let row = JPEGSplit.row(height: destination.height, unit: decoder.unitRows),
            let pool = Engine.current?.work
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

    /// About two thirds of the rows are above: passing over a row costs about half of decoding it.
    static func row(height: Int, unit: Int) -> Int? {
        let row = height * 2 / 3 / max(1, unit) * unit
        return row > 0 && row < height ? row : nil
    }
}
