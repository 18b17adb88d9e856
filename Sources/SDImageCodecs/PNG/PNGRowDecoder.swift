import Glibc
import SDImage
import SDImagePixels

/// The rows of an image in the order of its data: inflated, unfiltered, and converted to pixels. `PNGDecoder`, `PNGPartialImage`
/// and `APNGFramePainter` pull rows from it; it pulls bytes from a `PNGInflateSource`. Used by one thread.
@safe final class PNGRowDecoder {
    /// Location of the next row.
    struct Position {
        let pass: PNGInterlacePass
        /// Row of the pass.
        let row: Int

        /// Row of the image.
        var y: Int { pass.top + row * pass.rowStep }
        /// True when the token is due to be checked.
        var isCheckpoint: Bool { row % 16 == 0 }
    }

    /// Format of the pixels.
    let format: PixelFormat
    private let samples: PNGSampleExpander
    private let source: any PNGInflateSource
    private let ending: PNGEncodedImage.Ending
    private let passes: [PNGInterlacePass]
    /// Indices of the next pass and of its next row.
    private var pass = 0
    private var row = 0
    /// Buffer for a row that is split between two pieces; the first byte is the filter type.
    private let gathered: ScratchMemory
    /// Number of bytes in that buffer; kept until the rest arrives.
    private var gatheredCount = 0
    /// The current row and the one above, alternating; the third is all zeros.
    private let lines: ScratchMemory
    private let lineStride: Int
    /// Index of the current row in `lines`, 0 or 1.
    private var line = 0
    /// The bytes of the row above; nil in the first row of a pass.
    private var above: UnsafeRawPointer?
    /// Room for a converted row; empty if samples are pixels.
    private let pixels: ScratchMemory
    /// The rest of the last piece.
    private var piece: UnsafeRawBufferPointer
    /// True after an unknown filter type, which ends the rows.
    private var hasInvalidFilter = false

    /// `expander` and `source`, which supplies the inflated data, belong to the same image and are used by these rows only; nil
    /// creates them.
    init(
        _ data: PNGEncodedImage, limits: DecodeLimits, expander: PNGSampleExpander? = nil,
        source: (any PNGInflateSource)? = nil
    ) throws(ImageError) {
        samples = if let expander { expander } else { try PNGSampleExpander(data, limits: limits) }
        format = samples.format
        ending = data.ending
        passes = PNGInterlacePass.all(data.size, isInterlaced: data.isInterlaced)
        guard let bytes = samples.rowBytes(data.size.width), bytes < limits.workingBytes else {
            throw .tooLarge("png: working memory in bytes", limit: limits.workingBytes)
        }
        // Rows start at multiples of a cache line.
        lineStride = (bytes + 63) & ~63
        lines = try ScratchMemory(lineStride * 3, of: UInt8.self, account: limits.account)
        gathered = try ScratchMemory(bytes + 1, account: limits.account)
        pixels = try ScratchMemory(
            samples.isPlain ? 0 : try PixelBuffer.stride(width: data.size.width, format: format), of: UInt8.self,
            account: limits.account)
        unsafe piece = UnsafeRawBufferPointer(start: nil, count: 0)
        if let source {
            self.source = source
        } else {
            let inflater = try PNGInflater(data.parts, limits: limits)
            self.source = try PNGSerialInflate(inflater, total: PNGRowDecoder.byteCount(data, samples))
        }
    }

    /// Returns the inflated byte count of the whole image, at most `Int.max`.
    static func byteCount(_ data: PNGEncodedImage, _ samples: PNGSampleExpander) -> Int {
        PNGInterlacePass.all(data.size, isInterlaced: data.isInterlaced).reduce(0) { sum, pass in
            let (bytes, overflow) = ((samples.rowBytes(pass.size.width) ?? Int.max - 1) + 1)
                .multipliedReportingOverflow(by: pass.size.height)
            let (total, isTooMuch) = sum.addingReportingOverflow(bytes)
            return overflow || isTooMuch ? Int.max : total
        }
    }

    /// Location of the next row; nil after the last.
    var position: Position? { pass < passes.count ? Position(pass: passes[pass], row: row) : nil }

    /// Returns the next row, as wide as its pass. It is written to `target` if that is given, and otherwise valid until the next
    /// call. nil when its bytes are not available; `missing` is the reason. Throws when the operation of `stop` must end.
    func next(
        into target: UnsafeMutableRawPointer? = nil, stop: CancellationToken
    ) throws(ImageError) -> UnsafeRawPointer? {
        guard let position, let bytes = samples.rowBytes(position.pass.size.width), !hasInvalidFilter,
            let filtered = unsafe try gather(bytes + 1, stop), let lines = unsafe lines.bytes.baseAddress
        else { return nil }
        // Rows that need no conversion are unfiltered in their final memory, where the next row finds them as `above`.
        let raw = unsafe samples.isPlain ? target ?? lines + line * lineStride : lines + line * lineStride
        let isKnown = unsafe sdpx_unfilter_row(
            raw.assumingMemoryBound(to: UInt8.self), filtered.assumingMemoryBound(to: UInt8.self) + 1,
            (above ?? UnsafeRawPointer(lines + 2 * lineStride)).assumingMemoryBound(to: UInt8.self), bytes,
            Int32(filtered.load(as: UInt8.self)), Int32(samples.filterBytes))
        hasInvalidFilter = isKnown == 0
        guard !hasInvalidFilter else { return nil }
        // A new pass has no row above its first (section 9.2).
        advance(position)
        unsafe above = row == 0 ? nil : UnsafeRawPointer(raw)
        if samples.isPlain { return UnsafeRawPointer(raw) }
        guard let to = unsafe target ?? pixels.bytes.baseAddress else { return nil }
        unsafe samples.expand(raw, to: to, pixels: position.pass.size.width)
        return UnsafeRawPointer(to)
    }

    /// The reason for a missing row.
    var missing: ImageError {
        if hasInvalidFilter { return ImageError(.badData, "png: unknown row filter") }
        switch (source.state, ending) {
        case (.damaged, _): return ImageError(.badData, "png: image data is damaged")
        case (.ended, _), (_, .complete): return ImageError(.badData, "png: image data ends before the last row")
        case (_, .damaged): return ImageError(.badData, "png: chunk has a wrong CRC")
        case (_, .truncated): return ImageError(.truncated, "png: data ends early")
        }
    }

    /// Moves to the next row, or to the first of the next pass.
    private func advance(_ position: Position) {
        line ^= 1
        row += 1
        guard row == position.pass.size.height else { return }
        row = 0
        pass += 1
    }

    /// Returns the next `count` bytes as one block. nil when they have not arrived; available bytes are then kept.
    private func gather(_ count: Int, _ stop: CancellationToken) throws(ImageError) -> UnsafeRawPointer? {
        // Most rows lie inside one piece, and are not copied.
        if gatheredCount == 0, unsafe piece.count >= count { return unsafe take(count) }
        while true {
            let missing = count - gatheredCount
            if unsafe piece.isEmpty {
                guard let next = unsafe try source.next(stop) else { return nil }
                unsafe piece = next
                if gatheredCount == 0, next.count >= count { return unsafe take(count) }
            }
            let taken = unsafe min(missing, piece.count)
            guard let to = unsafe gathered.bytes.baseAddress, let from = unsafe take(taken) else { return nil }
            unsafe memcpy(to + gatheredCount, from, taken)
            gatheredCount += taken
            guard gatheredCount == count else { continue }
            gatheredCount = 0
            return UnsafeRawPointer(to)
        }
    }

    /// Removes bytes from the piece; returns their address.
    private func take(_ count: Int) -> UnsafeRawPointer? {
        let start = unsafe piece.baseAddress
        unsafe piece = UnsafeRawBufferPointer(rebasing: piece.dropFirst(count))
        return unsafe start
    }
}
