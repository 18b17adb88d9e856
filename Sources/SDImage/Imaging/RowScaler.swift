import SDImagePixels

/// Reduces an image while its rows arrive. Holds only the column sums of the output rows in progress.
///
/// Works in premultiplied color and in the encoding of the incoming rows, which is linear light for float. Means of
/// encoded values give the customary look, and highlights far above white do not spread. Output rows are in `outputFormat`,
/// straight unless premultiplied was requested.
@safe final class RowScaler {
    let outputFormat: PixelFormat
    private let format: PixelFormat
    private let rowSize: PixelSize
    private let columns: FilterAxis
    private let rows: FilterAxis
    /// Number of output rows summed at the same time, in a ring.
    private let ring: Int
    private let sumsStride: Int
    private let sums: ScratchMemory
    private let filtered: ScratchMemory
    private let packed: ScratchMemory
    // Unchecked: the checks take 2 % of the instructions of a thumbnail from a disk cache (callgrind, sdimage-bench fetch).
    @exclusivity(unchecked) private var targets: [UnsafeMutablePointer<Float>?] = unsafe []
    @exclusivity(unchecked) private var weights: [Float] = []
    @exclusivity(unchecked) private var nextOutput = 0

    init(
        from rowSize: PixelSize, extent: ScanlineWriter.Extent, to size: PixelSize, format: PixelFormat, premultiplied: Bool,
        account: WorkingMemory
    ) throws(ImageError) {
        self.rowSize = rowSize
        self.format = format
        outputFormat = premultiplied && format == .rgba8 ? .rgba8Premultiplied : format
        columns = try FilterAxis(source: rowSize.width, extent: extent.width, output: size.width, account: account)
        rows = try FilterAxis(source: rowSize.height, extent: extent.height, output: size.height, account: account)
        ring = rows.overlap()
        // Includes one vector beyond the last pixel, rounded up to whole cache lines.
        let (samples, overflow) = rowSize.width.multipliedReportingOverflow(by: format.channels)
        guard !overflow, samples < Int.max - 64 else { throw .tooLarge("image: working memory in bytes", limit: account.limit) }
        sumsStride = (samples + 4 + 15) & ~15
        let (floats, tooMany) = sumsStride.multipliedReportingOverflow(by: ring)
        guard !tooMany else { throw .tooLarge("image: working memory in bytes", limit: account.limit) }
        sums = try ScratchMemory(floats, of: Float.self, account: account)
        filtered = try ScratchMemory(size.width * format.channels + 4, of: Float.self, account: account)
        packed = try ScratchMemory(size.width * format.bytesPerPixel, of: UInt8.self, account: account)
        unsafe targets.reserveCapacity(ring)
        unsafe weights.reserveCapacity(ring)
    }

    /// Adds source row `y` to every output row that uses it.
    func add(_ row: UnsafeRawBufferPointer, y: Int) {
        guard let base = row.baseAddress, row.count >= rowSize.width * format.bytesPerPixel else { return }
        unsafe targets.removeAll(keepingCapacity: true)
        unsafe weights.removeAll(keepingCapacity: true)
        var index = unsafe nextOutput
        while index < rows.count, rows.range(index).lowerBound <= y {
            unsafe targets.append(sumsRow(index))
            unsafe weights.append(rows.weight(index, source: y))
            index += 1
        }
        let samples = rowSize.width * format.channels
        let channels = Int32(format.channels)
        unsafe format.accumulate(base, samples, channels: channels, into: targets, weights)
    }

    /// The next output row, after all source rows before `y` were added; nil when it needs more of them. Mutable, and valid
    /// until the next call.
    func nextRow(after y: Int) -> UnsafeMutableRawBufferPointer? {
        guard unsafe nextOutput < rows.count, unsafe rows.range(nextOutput).upperBound <= y,
            let sums = unsafe sumsRow(nextOutput), let starts = unsafe columns.starts, let counts = unsafe columns.counts,
            let weights = unsafe columns.weights, let floats = unsafe filtered.bound(to: Float.self).baseAddress,
            let result = unsafe packed.bytes.baseAddress
        else { return nil }
        let channels = Int32(format.channels)
        unsafe sdpx_filter_row(floats, columns.count, sums, starts, counts, weights, columns.taps, channels)
        unsafe outputFormat.pack(floats, columns.count, into: result)
        unsafe sums.update(repeating: 0, count: sumsStride)
        unsafe nextOutput += 1
        return unsafe packed.bytes
    }

    private func sumsRow(_ index: Int) -> UnsafeMutablePointer<Float>? {
        unsafe sums.bound(to: Float.self).baseAddress.map { unsafe $0 + (index % ring) * sumsStride }
    }
}
