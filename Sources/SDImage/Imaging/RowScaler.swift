import Glibc
import SDImagePixels

/// Reduces an image while its rows arrive. Holds only the column sums of the output rows in progress.
///
/// Works in premultiplied color and in the encoding of the incoming rows, which is linear light for float. Means of
/// encoded values give the customary look, and highlights far above white do not spread. Output rows are in `outputFormat`,
/// straight unless premultiplied was requested.
///
/// Source rows are added, and output rows filtered along x, four at a time: each sum is read and written once for four rows, and
/// each weight is read once for four pixels.
/// Used by `ScanlineWriter` on one thread. Each source row is read once, in order.
@safe final class RowScaler {
    let outputFormat: PixelFormat
    /// Format of the source rows.
    private let format: PixelFormat
    /// Size of the image whose rows arrive.
    private let rowSize: PixelSize
    /// Weights along x and y.
    private let columns: FilterAxis
    private let rows: FilterAxis
    /// Number of output rows summed at the same time, in a ring.
    private let ring: Int
    /// Floats from one row of sums to the next.
    private let sumsStride: Int
    /// Sums of output rows, in a ring.
    private let sums: ScratchMemory
    /// Source rows of 8-bit samples that are not in the sums yet.
    private let pending: ScratchMemory?
    /// Sums of several rows, pixel by pixel, as the filter along x reads them.
    private let interleaved: ScratchMemory
    /// Floats from one filtered row to the next.
    private let filteredStride: Int
    /// Output rows after the filter along x, in floats.
    private let filtered: ScratchMemory
    /// The output row that `nextRow` returns.
    private let packed: ScratchMemory
    // Unchecked: the checks take 2 % of the instructions of a thumbnail from a disk cache (callgrind, sdimage-bench fetch).
    /// Arguments of the kernels; kept to avoid allocations.
    @exclusivity(unchecked) private var targets: [UnsafeMutablePointer<Float>?] = unsafe []
    @exclusivity(unchecked) private var weights: [Float] = []
    /// Numbers of source rows received and of those that are in the sums.
    @exclusivity(unchecked) private var received = 0
    @exclusivity(unchecked) private var added = 0
    /// The next output row, the first of the filtered rows, and the one after the last of them.
    @exclusivity(unchecked) private var nextOutput = 0
    @exclusivity(unchecked) private var firstFiltered = 0
    @exclusivity(unchecked) private var filteredEnd = 0

    /// Rows added or filtered at a time.
    private static let together = Int(SDPX_SCALE_ROWS)

    /// Throws `tooLarge` if the buffers exceed the account.
    init(
        from rowSize: PixelSize, extent: ScanlineWriter.Extent, to size: PixelSize, format: PixelFormat, premultiplied: Bool,
        account: WorkingMemory
    ) throws(ImageError) {
        self.rowSize = rowSize
        self.format = format
        outputFormat = premultiplied && format == .rgba8 ? .rgba8Premultiplied : format
        columns = try FilterAxis(source: rowSize.width, extent: extent.width, output: size.width, account: account)
        rows = try FilterAxis(source: rowSize.height, extent: extent.height, output: size.height, account: account)
        // Complete rows wait until there are enough of them, unless few overlap: waiting would take a multiple of the memory.
        let overlap = rows.overlap(span: RowScaler.together)
        ring = overlap > RowScaler.together ? overlap + RowScaler.together - 1 : overlap
        // Includes one vector beyond the last pixel, rounded up to whole cache lines.
        let (samples, overflow) = rowSize.width.multipliedReportingOverflow(by: format.channels)
        guard !overflow, samples < Int.max / 64 else { throw .tooLarge("image: working memory in bytes", limit: account.limit) }
        sumsStride = (samples + 4 + 15) & ~15
        let (floats, tooMany) = sumsStride.multipliedReportingOverflow(by: ring)
        guard !tooMany else { throw .tooLarge("image: working memory in bytes", limit: account.limit) }
        sums = try ScratchMemory(floats, of: Float.self, account: account)
        let rowBytes = samples * RowScaler.together
        pending = format.bytesPerChannel == 1 ? try ScratchMemory(rowBytes, of: UInt8.self, account: account) : nil
        let pixelFloats = RowScaler.together * (format.channels == 1 ? 1 : 4)
        interleaved = try ScratchMemory((max(128, columns.taps) + 3) * pixelFloats, of: Float.self, account: account)
        filteredStride = (size.width * format.channels + 4 + 15) & ~15
        filtered = try ScratchMemory(filteredStride * RowScaler.together, of: Float.self, account: account)
        packed = try ScratchMemory(size.width * format.bytesPerPixel, of: UInt8.self, account: account)
        unsafe targets.reserveCapacity(ring)
        unsafe weights.reserveCapacity(ring * RowScaler.together)
    }

    /// Adds the next source row to every output row that uses it.
    /// Rows that are too short are ignored. `row` is read during the call only.
    func add(_ row: UnsafeRawBufferPointer) {
        let bytes = rowSize.width * format.bytesPerPixel
        guard let base = row.baseAddress, row.count >= bytes else { return }
        guard let pending = unsafe pending?.bytes.baseAddress else {
            unsafe addDeep(base)
            return
        }
        unsafe memcpy(pending + (received - added) * bytes, base, bytes)
        unsafe received += 1
        if unsafe received - added == RowScaler.together || received == rowSize.height { addPending() }
    }

    /// Adds a row of samples of more than 8 bits.
    /// Such rows are added one at a time.
    private func addDeep(_ row: UnsafeRawPointer) {
        let y = unsafe received
        unsafe received += 1
        let begun = selectTargets(from: y) { [rows] index in unsafe weights.append(rows.weight(index, source: y)) }
        // Output rows that begin with this row start at 0.
        unsafe targets[begun...].forEach { unsafe $0?.update(repeating: 0, count: sumsStride) }
        let samples = rowSize.width * format.channels
        unsafe format.accumulate(row, samples, channels: Int32(format.channels), into: targets, weights)
        unsafe added = received
    }

    /// Adds the source rows that wait for others.
    /// Missing rows of the group have no weight.
    func addPending() {
        guard unsafe received > added, let first = unsafe pending?.bound(to: UInt8.self).baseAddress else { return }
        let source = unsafe added..<received
        let begun = selectTargets(from: source.lowerBound) { [rows] index in
            for y in source.lowerBound..<source.lowerBound + RowScaler.together {
                unsafe weights.append(y < source.upperBound ? rows.weight(index, source: y) : 0)
            }
        }
        let samples = rowSize.width * format.channels
        unsafe withUnsafeTemporaryAllocation(of: UnsafePointer<UInt8>?.self, capacity: RowScaler.together) { pointers in
            for k in 0..<RowScaler.together { unsafe pointers[k] = UnsafePointer(first + k * samples) }
            unsafe sdpx_accumulate_rows_u8(
                targets, weights, targets.count, begun, pointers.baseAddress, samples, Int32(format.channels))
        }
        unsafe added = received
    }

    /// Collects the sums of the output rows that use source rows from `y` to the last received one, and their weights. Returns
    /// the number of those, the first ones, that contain earlier source rows.
    private func selectTargets(from y: Int, _ appendWeights: (Int) -> Void) -> Int {
        var begun = 0
        unsafe targets.removeAll(keepingCapacity: true)
        unsafe weights.removeAll(keepingCapacity: true)
        var index = unsafe filteredEnd
        while index < rows.count, unsafe rows.range(index).lowerBound < received {
            let range = rows.range(index)
            if range.upperBound > y {
                unsafe targets.append(sumsRow(index))
                appendWeights(index)
                if range.lowerBound < y { unsafe begun = targets.count }
            }
            index += 1
        }
        return begun
    }

    /// The next output row, if it is complete. Complete rows wait for others unless `all` are requested. Mutable, and valid until
    /// the next call.
    /// nil until enough rows have been added.
    func nextRow(all: Bool) -> UnsafeMutableRawBufferPointer? {
        if unsafe nextOutput == filteredEnd, !filterRows(all: all) { return nil }
        guard let floats = unsafe filtered.bound(to: Float.self).baseAddress, let result = unsafe packed.bytes.baseAddress else {
            return nil
        }
        unsafe outputFormat.pack(floats + (nextOutput - firstFiltered) * filteredStride, columns.count, into: result)
        unsafe nextOutput += 1
        return unsafe packed.bytes
    }

    /// Filters the complete rows along x, at most `together`. False if there are none, or too few.
    private func filterRows(all: Bool) -> Bool {
        var end = unsafe filteredEnd
        let most = unsafe min(rows.count, filteredEnd + RowScaler.together)
        while end < most, unsafe rows.range(end).upperBound <= added { end += 1 }
        guard unsafe end > filteredEnd, end == most || all || ring <= RowScaler.together,
            let to = unsafe filtered.bound(to: Float.self).baseAddress,
            let mixed = unsafe interleaved.bound(to: Float.self).baseAddress
        else { return false }
        let (channels, together, axis) = unsafe (format.channels, RowScaler.together, columns.kernel)
        let pixelFloats = channels == 1 ? together : 4 * together
        var first = 0
        while first < columns.count {
            // The next output pixels whose source pixels fit into the buffer.
            let start = columns.range(first).lowerBound
            let limit = start + max(128, columns.taps)
            var (next, last) = (first, start)
            while next < columns.count, columns.range(next).upperBound <= limit {
                last = max(last, columns.range(next).upperBound)
                next += 1
            }
            guard next > first else { return false }
            unsafe withUnsafeTemporaryAllocation(of: UnsafePointer<Float>?.self, capacity: together) { pointers in
                // Rows that are missing repeat the last one.
                for k in 0..<together {
                    unsafe pointers[k] = sumsRow(min(filteredEnd + k, end - 1)).map {
                        unsafe UnsafePointer($0 + start * channels)
                    }
                }
                unsafe sdpx_interleave_rows(mixed, pointers.baseAddress, last - start, Int32(channels))
            }
            unsafe withUnsafeTemporaryAllocation(of: UnsafeMutablePointer<Float>?.self, capacity: together) { pointers in
                for k in 0..<together { unsafe pointers[k] = to + k * filteredStride + first * channels }
                var part = unsafe sdpx_axis(
                    count: next - first, taps: columns.taps, starts: axis.starts + first, counts: axis.counts + first,
                    weights: axis.weights + first * columns.taps)
                unsafe sdpx_filter_rows(pointers.baseAddress, mixed - start * pixelFloats, &part, Int32(channels))
            }
            first = next
        }
        unsafe (firstFiltered, filteredEnd) = (filteredEnd, end)
        return true
    }

    /// A row of the ring.
    private func sumsRow(_ index: Int) -> UnsafeMutablePointer<Float>? {
        unsafe sums.bound(to: Float.self).baseAddress.map { unsafe $0 + (index % ring) * sumsStride }
    }
}
