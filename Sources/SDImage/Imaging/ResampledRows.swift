import SDImagePixels

/// The share of one thread in a resampling: filters source rows along x in chunks, then combines them into output rows.
///
/// When an output row needs few source rows, filtered rows are kept until all are available. When it needs many, each is
/// added immediately to the sums of all output rows that use it.
/// Made by `Resampler.run` on each thread; used by that thread only.
@safe final class ResampledRows {
    /// The resampling, shared by all threads.
    private let job: Resampler
    /// Format of the source.
    private let format: PixelFormat
    /// Rows per unit of the kernels, and source rows filtered at a time.
    /// A unit is one row, or four rows of gray: kernels work on four floats at a time.
    private let unitRows: Int
    private let chunk: Int
    /// Distance between filtered rows in floats, and capacity of the ring in rows.
    private let rowFloats: Int
    private let ring: Int
    /// Rows filtered along x, in a ring.
    private let filtered: ScratchMemory
    private let filteredBase: UnsafeMutablePointer<Float>
    /// True if filtered rows are kept until an output row is complete.
    private let keepsRows: Bool
    /// Sums of output rows, in a ring.
    private let sums: ScratchMemory
    private let sumsBase: UnsafeMutablePointer<Float>
    /// Number of rows in `sums`.
    private let sumRows: Int
    /// Bytes of one unit for the integer kernel.
    private let quadStride: Int
    /// Source rows in the order of the integer kernel; nil without it.
    private let quads: ScratchMemory?
    /// Source rows as floats.
    /// Allocated on first use: 8-bit images are opaque nearly everywhere and do not need it.
    private var floats: ScratchMemory?
    /// Output of the filter for units of gray, before it is transposed to rows.
    private let grays: ScratchMemory?
    /// A row in the format of the source, before it is converted to that of the target.
    private let packed: ScratchMemory?
    private let account: WorkingMemory
    /// First source row since the last jump, next source row to filter, and next output row.
    private var base = 0
    private var produced = 0
    private var nextOutput = -1
    private var pointers: [UnsafePointer<Float>?] = unsafe []

    /// Largest number of taps for which rows are kept; above it, sums take less memory.
    private static let mostHeldTaps = 16

    /// Throws if the buffers exceed the account.
    init(_ job: Resampler, account: WorkingMemory) throws(ImageError) {
        self.job = job
        self.account = account
        format = job.source.format
        let isGray = format.channels == 1
        unitRows = isGray ? 4 : 1
        // As many rows as the kernel filters at a time.
        chunk = unitRows * Int(job.quads == nil ? SDPX_FLOAT_UNITS : SDPX_QUAD_UNITS)
        rowFloats = (job.size.width * (isGray ? 1 : 4) + 15) & ~15
        keepsRows = job.rows.taps <= ResampledRows.mostHeldTaps
        // Room for the rows of one output row and for a further chunk, in whole chunks.
        ring = keepsRows ? (job.rows.taps + 2 * chunk - 1) / chunk * chunk : chunk
        sumRows = keepsRows ? 1 : job.rows.overlap(span: chunk)
        filtered = try ScratchMemory(rowFloats * ring, of: Float.self, account: account)
        sums = try ScratchMemory(rowFloats * sumRows, of: Float.self, account: account)
        guard let rows = unsafe filtered.bound(to: Float.self).baseAddress,
            let output = unsafe sums.bound(to: Float.self).baseAddress
        else { throw .noMemory(filtered.count) }
        unsafe filteredBase = rows
        unsafe sumsBase = output
        quadStride = unsafe sdpx_quad_row_size(job.source.size.width, job.quads?.kernel.vectors ?? 0)
        quads =
            job.quads == nil ? nil : try ScratchMemory(quadStride * Int(SDPX_QUAD_UNITS), of: UInt8.self, account: account)
        let grayFloats = job.size.width * 4 * Int(SDPX_QUAD_UNITS)
        grays = isGray ? try ScratchMemory(grayFloats, of: Float.self, account: account) : nil
        let packedBytes = job.size.width * format.bytesPerPixel
        packed = job.target.format == format ? nil : try ScratchMemory(packedBytes, of: UInt8.self, account: account)
        unsafe pointers.reserveCapacity(max(job.rows.taps, chunk))
    }

    /// Produces output rows. A range that follows the previous one continues with the partial sums and filtered rows.
    /// Ranges may come in any order; one that does not continue starts again, and filters its first rows again.
    func make(_ rows: Range<Int>, stop: CancellationToken) throws(ImageError) {
        if rows.lowerBound != nextOutput {
            nextOutput = rows.lowerBound
            base = job.rows.range(nextOutput).lowerBound
            produced = base
        }
        while nextOutput < rows.upperBound {
            // All source rows of the output row have been filtered.
            if job.rows.range(nextOutput).upperBound <= produced {
                store(nextOutput)
                nextOutput += 1
            } else {
                try stop.check()
                try filter()
                if !keepsRows { add() }
                produced += chunk
            }
        }
    }

    // MARK: Along x

    /// Filters the next `chunk` source rows along x.
    private func filter() throws(ImageError) {
        if job.quads != nil, isOpaque { filterQuads() } else { try filterFloats() }
        guard let grays = unsafe grays?.bound(to: Float.self).baseAddress else { return }
        let width = job.size.width
        // The kernel has written the four rows of a unit next to each other.
        for unit in 0..<chunk / unitRows {
            unsafe sdpx_transpose(
                filteredRow(produced + unit * unitRows), rowFloats * 4, grays + unit * width * 4, 16, 4, width, 4)
        }
    }

    /// True when the integer filter can process the next rows. Transparent straight colors must be weighted by alpha first.
    private var isOpaque: Bool {
        guard format == .rgba8, !job.isOpaque else { return true }
        for y in produced..<produced + chunk {
            guard unsafe sdpx_is_opaque(sourceRow(y).assumingMemoryBound(to: UInt8.self), job.source.size.width) != 0 else {
                return false
            }
        }
        return true
    }

    /// Filters rows of 8-bit samples with integer weights.
    private func filterQuads() {
        guard let axis = job.quads, let block = unsafe quads?.bound(to: UInt8.self).baseAddress else { return }
        let width = job.source.size.width
        let units = chunk / unitRows
        for unit in 0..<units {
            let rows = unsafe unitRowPointers(unit).map { unsafe Optional($0.assumingMemoryBound(to: UInt8.self)) }
            unsafe sdpx_load_quads(block + unit * quadStride, rows, width, Int32(format.channels))
        }
        var kernel = unsafe axis.kernel
        // The rows after these are fetched into the cache meanwhile.
        let next = min(produced + chunk, job.source.size.height)
        var ahead = unsafe sdpx_ahead(
            first: sourceRow(next).assumingMemoryBound(to: UInt8.self), stride: job.source.stride,
            bytes: width * format.bytesPerPixel, count: min(chunk, job.source.size.height - next))
        unsafe sdpx_filter_quads(unitPointers(from: 0, count: units), block, quadStride, &kernel, &ahead)
    }

    /// Filters rows as premultiplied floats.
    private func filterFloats() throws(ImageError) {
        let width = job.source.size.width
        let units = Int(SDPX_FLOAT_UNITS)
        let memory: ScratchMemory
        if let floats { memory = floats } else { memory = try ScratchMemory(width * 4 * units, of: Float.self, account: account) }
        floats = memory
        guard let block = unsafe memory.bound(to: Float.self).baseAddress else { return }
        var kernel = unsafe job.columns.kernel
        for first in Swift.stride(from: 0, to: chunk / unitRows, by: units) {
            for unit in 0..<units {
                let rows = unsafe unitRowPointers(first + unit).map { unsafe Optional($0) }
                unsafe sdpx_load_floats(block, unit, rows, width, format.rawValue, job.isLight ? 1 : 0)
            }
            unsafe sdpx_filter_floats(unitPointers(from: first, count: units), block, &kernel)
        }
    }

    /// Destinations of units: their filtered rows, or for gray the buffer before transposition.
    private func unitPointers(from first: Int, count: Int) -> [UnsafeMutablePointer<Float>?] {
        let grays = unsafe grays?.bound(to: Float.self).baseAddress
        return unsafe (first..<first + count).map { unit in
            if let grays = unsafe grays { return unsafe grays + unit * job.size.width * 4 }
            return unsafe filteredRow(produced + unit)
        }
    }

    /// Source rows of a unit, counted from the first of the chunk.
    private func unitRowPointers(_ unit: Int) -> [UnsafeRawPointer] {
        unsafe (0..<unitRows).map { unsafe sourceRow(produced + unit * unitRows + $0) }
    }

    /// A source row. Below the image, the last row, which then has no weight.
    private func sourceRow(_ y: Int) -> UnsafeRawPointer {
        unsafe job.source.pixels + min(y, job.source.size.height - 1) * job.source.stride
    }

    /// A row of the ring.
    private func filteredRow(_ y: Int) -> UnsafeMutablePointer<Float> {
        unsafe filteredBase + (y - base) % ring * rowFloats
    }

    // MARK: Along y

    /// Adds the rows filtered last to all output rows that use them.
    private func add() {
        let end = min(produced + chunk, job.source.size.height)
        var index = nextOutput
        // Output rows whose first source row is among those filtered so far.
        while index < job.rows.count, job.rows.range(index).lowerBound < end {
            let window = job.rows.range(index)
            let part = max(window.lowerBound, produced)..<min(window.upperBound, end)
            if !part.isEmpty { unsafe sum(index, part, to: sumsRow(index), adds: window.lowerBound < produced) }
            index += 1
        }
    }

    /// Adds weighted rows to a row of sums, or stores their sum if it is the first part.
    private func sum(_ index: Int, _ part: Range<Int>, to row: UnsafeMutablePointer<Float>, adds: Bool) {
        guard let all = unsafe job.rows.weights else { return }
        unsafe pointers.removeAll(keepingCapacity: true)
        for y in part { unsafe pointers.append(filteredRow(y)) }
        let first = unsafe all + index * job.rows.taps + (part.lowerBound - job.rows.range(index).lowerBound)
        unsafe sdpx_sum_rows(row, pointers, first, part.count, rowFloats, adds ? 1 : 0)
    }

    /// A row of the ring of sums.
    private func sumsRow(_ index: Int) -> UnsafeMutablePointer<Float> { unsafe sumsBase + index % sumRows * rowFloats }

    /// Rounds a complete output row, and writes it to the target.
    private func store(_ index: Int) {
        if keepsRows { unsafe sum(index, job.rows.range(index), to: sumsBase, adds: false) }
        guard let row = unsafe job.target.mutableRow(job.top + index)?.baseAddress else { return }
        let to = unsafe row + job.left * job.target.format.bytesPerPixel
        let width = job.size.width
        let packedRow = unsafe packed?.bytes.baseAddress
        unsafe sdpx_store_sums(packedRow ?? to, sumsRow(index), width, format.rawValue, job.isLight ? 1 : 0)
        if let packedRow = unsafe packedRow {
            unsafe sdpx_convert_row(to, job.target.format.rawValue, packedRow, format.rawValue, width)
        }
    }
}
