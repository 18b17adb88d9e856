import SDImage
import SDImagePixels

/// Filters the rows of an image and chooses the filter. The filtered rows and the space for the compressed ones take twice the
/// bytes of the image; the second half is only touched as far as the compressed image reaches.
@safe struct PNGScanlineFilter {
    private let rows: PNGScanlineSource
    private let account: WorkingMemory
    /// Takes the place of the row above the first.
    private let zeros: ScratchMemory

    /// `account` is charged for the filtered rows.
    init(_ rows: PNGScanlineSource, account: WorkingMemory) throws(ImageError) {
        self.rows = rows
        self.account = account
        zeros = try ScratchMemory(rows.rowBytes)
    }

    /// Returns all rows, each after its filter type.
    func filtered(_ filter: PNGFilterType, stop: CancellationToken) throws(ImageError) -> ScratchMemory {
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
    func bestFilter(for deflater: PNGDeflater) throws(ImageError) -> (filter: PNGFilterType, cost: Int) {
        let columns = min(rows.size.width, PNGScanlineFilter.sampleWidth)
        let lines = min(rows.size.height, PNGScanlineFilter.sampleHeight)
        let count = max(1, min(PNGScanlineFilter.samples, rows.size.width / 2 * rows.size.height / (columns * lines)))
        let memory = try ScratchMemory((columns * rows.pixelBytes + 1) * lines * count, zeroed: false)
        let packed = try ScratchMemory(deflater.bound(memory.count), zeroed: false)
        var best = (filter: PNGFilterType.smallest, cost: Int.max)
        // Begins with `smallest`, which decides alone for noise.
        for filter in PNGFilterType.allCases.reversed() {
            var end = 0
            for index in 0..<count { sample(index, of: count, columns, lines, filter, to: memory, &end) }
            let cost = unsafe deflater.pack(UnsafeRawBufferPointer(rebasing: memory.bytes[..<end]), into: packed.bytes)
            if cost < best.cost { best = (filter, cost) }
            if filter == .smallest, cost > memory.count / 100 * PNGScanlineFilter.noise { break }
        }
        return best
    }

    /// Filters one of the sampled rectangles. They are distributed evenly over the rows and spread over the columns.
    private func sample(
        _ index: Int, of count: Int, _ columns: Int, _ lines: Int, _ filter: PNGFilterType, to memory: ScratchMemory,
        _ end: inout Int
    ) {
        let top = (rows.size.height - lines) * (2 * index + 1) / (2 * count)
        let left = (rows.size.width - columns) * (2 * ((index * 5 + 2) % count) + 1) / (2 * count)
        let bytes = left * rows.pixelBytes..<(left + columns) * rows.pixelBytes
        for y in top..<top + lines { append(y, bytes, filter, to: memory, &end) }
    }

    /// Appends a part of a filtered row, with its filter type.
    private func append(_ y: Int, _ bytes: Range<Int>, _ filter: PNGFilterType, to memory: ScratchMemory, _ end: inout Int) {
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

/// Filter of all rows of an image before compression (PNG, third edition, section 9).
enum PNGFilterType: Int32, CaseIterable {
    case none = 0
    case sub, up, average, paeth
    /// Chooses for each row the filter that leaves the smallest values.
    case smallest

    /// Writes the filter type and the filtered row. `to` has room for one byte more than the row.
    func apply(
        _ to: UnsafeMutablePointer<UInt8>, row: UnsafePointer<UInt8>, above: UnsafePointer<UInt8>, bytes: Int, pixelBytes: Int
    ) {
        let filter = self == .smallest ? unsafe sdpx_cheapest_filter(row, above, bytes, pixelBytes) : rawValue
        unsafe to[0] = UInt8(truncatingIfNeeded: filter)
        unsafe sdpx_filter_scanline(to + 1, row, above, bytes, filter, pixelBytes)
    }
}
