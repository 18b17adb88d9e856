import SDImage

/// Filters the rows of an image and chooses the filter. The filtered rows and the space for the compressed ones take twice the
/// bytes of the image; the second half is only touched as far as the compressed image reaches.
@safe struct PNGScanlines {
    private let rows: PNGStoredRows
    private let account: WorkingMemory
    /// Takes the place of the row above the first.
    private let zeros: ScratchMemory

    /// `account` is charged for the filtered rows.
    init(_ rows: PNGStoredRows, account: WorkingMemory) throws(ImageError) {
        self.rows = rows
        self.account = account
        zeros = try ScratchMemory(rows.rowBytes)
    }

    func filtered(_ filter: PNGFilter, stop: CancellationToken) throws(ImageError) -> ScratchMemory {
        let (bytes, overflow) = (rows.rowBytes + 1).multipliedReportingOverflow(by: rows.size.height)
        guard !overflow else { throw .tooLarge("png: image size in bytes", limit: Int.max) }
        let memory = try ScratchMemory(bytes, zeroed: false, account: account)
        var end = 0
        for y in 0..<rows.size.height {
            if y % 64 == 0 { try stop.check() }
            append(y, 0..<rows.rowBytes, filter, to: memory, &end)
        }
        try stop.check()
        return memory
    }

    // MARK: Filter choice

    /// Size of the sampled rectangles, and their maximum number.
    private static let (sampleWidth, sampleHeight, samples) = (128, 32, 8)
    /// Threshold in per cent of the original size. If the smallest values of a sample compress no better than this, the sample is
    /// noise, for which the smallest values are the best choice.
    private static let noise = 58

    /// Returns the filter that compresses a sample best, and the compressed size of the sample. On average 1 % from the best
    /// filter for the whole image, while choosing the smallest values for each row is 10 % from it, mostly for drawings.
    func bestFilter(for deflater: Deflater) throws(ImageError) -> (filter: PNGFilter, cost: Int) {
        let columns = min(rows.size.width, PNGScanlines.sampleWidth)
        let lines = min(rows.size.height, PNGScanlines.sampleHeight)
        let count = max(1, min(PNGScanlines.samples, rows.size.width / 2 * rows.size.height / (columns * lines)))
        let memory = try ScratchMemory((columns * rows.pixelBytes + 1) * lines * count, zeroed: false)
        let packed = try ScratchMemory(deflater.bound(memory.count), zeroed: false)
        var best = (filter: PNGFilter.smallest, cost: Int.max)
        for filter in PNGFilter.allCases.reversed() {
            var end = 0
            for index in 0..<count { sample(index, of: count, columns, lines, filter, to: memory, &end) }
            let cost = unsafe deflater.pack(UnsafeRawBufferPointer(rebasing: memory.bytes[..<end]), into: packed.bytes)
            if cost < best.cost { best = (filter, cost) }
            if filter == .smallest, cost > memory.count / 100 * PNGScanlines.noise { break }
        }
        return best
    }

    /// Filters one of the sampled rectangles. They are distributed evenly over the rows and spread over the columns.
    private func sample(
        _ index: Int, of count: Int, _ columns: Int, _ lines: Int, _ filter: PNGFilter, to memory: ScratchMemory,
        _ end: inout Int
    ) {
        let top = (rows.size.height - lines) * (2 * index + 1) / (2 * count)
        let left = (rows.size.width - columns) * (2 * ((index * 5 + 2) % count) + 1) / (2 * count)
        let bytes = left * rows.pixelBytes..<(left + columns) * rows.pixelBytes
        for y in top..<top + lines { append(y, bytes, filter, to: memory, &end) }
    }

    private func append(_ y: Int, _ bytes: Range<Int>, _ filter: PNGFilter, to memory: ScratchMemory, _ end: inout Int) {
        guard memory.count - end > bytes.count, let to = unsafe memory.bound(to: UInt8.self).baseAddress,
            let above = unsafe y > 0 ? rows.row(y - 1) : UnsafePointer(zeros.bound(to: UInt8.self).baseAddress),
            let row = unsafe rows.row(y)
        else { return }
        unsafe filter.apply(
            to + end, row: row + bytes.lowerBound, above: above + bytes.lowerBound, bytes: bytes.count,
            pixelBytes: rows.pixelBytes)
        end += bytes.count + 1
    }
}
