import SDImage
import SDImagePixels

/// The palette indices of one frame, decoded as far as requested and as far as the data reach. Later calls continue there, with
/// the same bytes or more of them. Used by one thread at a time.
@safe final class GIFRowDecoder {
    private let frame: GIFFrame
    /// State of the LZW decoder, and the indices with the margins that it needs.
    private let decoder: ScratchMemory
    private let memory: ScratchMemory
    /// Offset of the next byte of the data.
    private var offset: Int
    /// Width of a line in pixels.
    let width: Int
    /// Number of lines to decode. Rows below the canvas are only included in interlaced frames, which may store them before
    /// visible ones.
    let lineCount: Int

    /// Refuses invalid code sizes, and more pixels than the memory limits allow.
    init(_ frame: GIFFrame, canvas: PixelSize, limits: DecodeLimits) throws(ImageError) {
        self.frame = frame
        offset = frame.data
        width = frame.size.width
        lineCount = frame.isInterlaced ? frame.size.height : frame.visibleRows(of: canvas)
        let (pixels, overflow) = width.multipliedReportingOverflow(by: lineCount)
        guard !overflow, pixels <= limits.workingBytes - 1024, let count = UInt32(exactly: pixels) else {
            throw .tooLarge("gif: working memory in bytes", limit: limits.workingBytes)
        }
        decoder = try ScratchMemory(sdpx_lzw_size(), zeroed: false)
        memory = try ScratchMemory(Int(SDPX_LZW_HEAD) + pixels + Int(SDPX_LZW_ROOM), zeroed: false, account: limits.account)
        guard let state = unsafe decoder.bytes.baseAddress, let base = unsafe indices,
            unsafe sdpx_lzw_start(OpaquePointer(state), UInt32(frame.codeSize), base, count) != 0
        else { throw ImageError(.badData, "gif: LZW code size is \(frame.codeSize) bits, expected 1 to 11") }
    }

    private var state: OpaquePointer? { unsafe decoder.bytes.baseAddress.map { OpaquePointer($0) } }
    private var indices: UnsafeMutablePointer<UInt8>? { unsafe memory.bound(to: UInt8.self).baseAddress }

    /// Number of decoded pixels.
    var count: Int { unsafe Int(sdpx_lzw_count(state)) }
    /// True when all pixels are decoded.
    var isWhole: Bool { unsafe sdpx_lzw_status(state) == Int32(SDPX_LZW_FULL) }
    /// Number of lines with at least one decoded pixel.
    var startedLines: Int { width > 0 ? (count + width - 1) / width : 0 }
    /// True after an invalid code.
    var isDamaged: Bool { unsafe sdpx_lzw_status(state) == Int32(SDPX_LZW_BAD) }
    /// True when the data ended before the requested lines.
    private(set) var isStarved = false

    /// Decodes up to this many lines as far as the data reach.
    func decode(_ bytes: Bytes, lines: Int) {
        guard let base = unsafe bytes.pointer, offset <= bytes.count, let state = unsafe state, let indices = unsafe indices
        else { return }
        let pixels = min(max(lines, 0), lineCount) * width
        let blocks = unsafe base.assumingMemoryBound(to: UInt8.self) + offset
        // The kernel walks the sub-blocks itself, and returns the number of bytes that it used.
        offset += unsafe sdpx_lzw_decode(state, indices, blocks, bytes.count - offset, UInt32(clamping: pixels))
        isStarved = unsafe sdpx_lzw_status(state) == Int32(SDPX_LZW_MORE) && count < pixels
    }

    /// Decodes all lines as far as the data reach.
    func decodeAll(_ bytes: Bytes, stop: CancellationToken) throws(ImageError) {
        let step = max(1, GIFRowDecoder.pixelsPerCheck / max(1, width))
        for end in stride(from: step, to: lineCount + step, by: step) {
            try stop.check()
            decode(bytes, lines: min(end, lineCount))
            if isStarved || isDamaged { return }
        }
    }

    /// A few milliseconds of work.
    private static let pixelsPerCheck = 1 << 20

    /// Returns the decoded part of a line, in stored order.
    func line(_ index: Int) -> UnsafeRawBufferPointer? {
        guard index >= 0, index < startedLines, let indices = unsafe indices else { return nil }
        let start = index * width
        return unsafe UnsafeRawBufferPointer(
            start: indices + Int(SDPX_LZW_HEAD) + start, count: min(width, count - start))
    }

    /// Returns the row of the frame for a stored line.
    func row(ofLine line: Int) -> Int { frame.row(ofLine: line, of: lineCount) }

    /// Decodes all lines, in stored order; nil when data are missing or damaged.
    func allIndices(_ bytes: Bytes, limits: DecodeLimits, stop: CancellationToken) throws(ImageError) -> PixelBuffer? {
        try decodeAll(bytes, stop: stop)
        guard isWhole else { return nil }
        let copy = try PixelBuffer(
            size: PixelSize(width: width, height: lineCount), format: .gray8, limit: limits.workingBytes, account: limits.account)
        for index in 0..<lineCount {
            if let from = unsafe line(index), let to = unsafe copy.mutableRow(index) { unsafe to.copyMemory(from: from) }
        }
        return copy
    }
}
