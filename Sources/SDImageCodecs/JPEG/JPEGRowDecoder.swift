import CJPEG
import SDImage

/// One decode with libjpeg: header, then rows. The only user of the decoding C shim; converts its codes to `ImageError`.
///
/// Used by one thread at a time. A file with one scan is decoded row by row. One with several needs `start` to read all scans, or
/// `takeScans` and passes while it arrives.
@safe final class JPEGRowDecoder {
    /// Row formats that libjpeg can write without another pass. Raw values are those of the shim.
    enum Rows: Int32 {
        case gray, rgb, rgba, bgra, cmyk, ycc

        var bytesPerPixel: Int {
            switch self {
            case .gray: 1
            case .rgb, .ycc: 3
            case .rgba, .bgra, .cmyk: 4
            }
        }
    }

    /// Damage of entropy-coded data that is not an error. Raw values are those of CJPEG_ACCEPT_NONE and the following.
    enum Tolerance: Int32 {
        case none, corruptData, missingData
    }

    /// Interpretation of the components.
    enum Kind { case gray, color, cmyk }

    /// Maximum number of rows per call.
    static let rowsAtOnce = 16

    private let decoder: OpaquePointer
    /// The bytes that libjpeg reads, which must outlive `decoder`.
    private(set) var bytes: Bytes
    private let header: cjpeg_header
    /// Reservation for the coefficients, which libjpeg allocates.
    private var coefficients: WorkingMemory.Reservation?

    static var libraryVersion: String { unsafe String(cString: cjpeg_version()) }

    /// Reads the header of a complete file.
    init(_ bytes: Bytes, accepting tolerance: Tolerance) throws(ImageError) {
        guard !bytes.isEmpty else { throw ImageError(.emptyData, "jpeg: data is 0 bytes long") }
        guard let decoder = unsafe cjpeg_open(bytes.pointer, bytes.count, tolerance.rawValue) else {
            throw .noMemory(bytes.count)
        }
        unsafe self.decoder = decoder
        self.bytes = bytes
        header = unsafe try JPEGRowDecoder.header(decoder)
    }

    /// Opens a file of which more bytes will arrive. Throws while the header is incomplete.
    init(growing bytes: Bytes) throws(ImageError) {
        guard let decoder = unsafe cjpeg_open_growing() else { throw .noMemory(bytes.count) }
        unsafe cjpeg_feed(decoder, bytes.pointer, bytes.count)
        unsafe self.decoder = decoder
        self.bytes = bytes
        header = unsafe try JPEGRowDecoder.header(decoder)
    }

    /// Reads the header; closes the decoder before it throws.
    private static func header(_ decoder: OpaquePointer) throws(ImageError) -> cjpeg_header {
        var header = cjpeg_header()
        let code = unsafe cjpeg_read_header(decoder, &header)
        guard code != Int32(CJPEG_OK) else { return header }
        let error = unsafe JPEGRowDecoder.error(code, decoder)
        unsafe cjpeg_close(decoder)
        throw error
    }

    deinit { unsafe cjpeg_close(decoder) }

    var size: PixelSize { PixelSize(width: Int(header.width), height: Int(header.height)) }
    var kind: Kind { header.kind == Int32(CJPEG_GRAY) ? .gray : header.kind == Int32(CJPEG_CMYK) ? .cmyk : .color }
    var isProgressive: Bool { header.is_progressive != 0 }
    /// True when luma is a separate component, so that a thumbnail can be made from DC coefficients.
    var allowsDCThumbnail: Bool { kind == .gray || isYCC }
    /// True for YCbCr (JFIF 1.02, page 3).
    var isYCC: Bool { header.is_ycc != 0 }
    /// True when the whole file must be read before the first row.
    var hasMultipleScans: Bool { header.has_multiple_scans != 0 }
    /// Rows of an MCU.
    var unitRows: Int { Int(header.mcu_rows) }
    /// Lower bound of the bytes that libjpeg holds while it decodes a file with one scan.
    var rowMemory: Int { 65_536 + (size.width + 32) * 4 * 2 * unitRows }
    /// True after tolerated damage.
    var isDamaged: Bool { unsafe cjpeg_is_damaged(decoder) != 0 }
    /// True if that damage includes corrupt data.
    var isCorrupt: Bool { unsafe cjpeg_is_corrupt(decoder) != 0 }
    /// True if the data of a decoded image has an end-of-image marker.
    var hasEnd: Bool { unsafe cjpeg_has_end(decoder) != 0 }

    /// A scale of libjpeg and the resulting size.
    struct Scale {
        let eighths: Int
        let size: PixelSize
    }

    /// The smallest scale that leaves enough pixels for the resampling that follows.
    ///
    /// At least a fifth larger than `wanted`, because scaling in the transform alone is about as crude as averaging. Twice as
    /// large for images so small that it costs nothing.
    ///
    /// Only 1/8, 2/8, 4/8 and the full size: libjpeg-turbo has no vector code for the other transforms, and a larger size leaves
    /// more to the resampling (docs/decisions.md, "Scales of libjpeg for thumbnails").
    func scale(covering wanted: PixelSize) -> Scale {
        // CMYK multiplies inks, which must happen before averaging.
        guard kind != .cmyk else { return fullScale }
        let margin = (size.pixelCount ?? Int.max) < 250_000 ? 2.0 : 1.2
        let (width, height) = (Double(wanted.width) * margin, Double(wanted.height) * margin)
        for eighths in [1, 2, 4] {
            let extent = extent(eighths: eighths)
            if extent.width >= width, extent.height >= height { return scale(eighths) }
        }
        return fullScale
    }

    var fullScale: Scale { Scale(eighths: 8, size: size) }
    /// One sample per block, from its DC coefficient.
    var smallestScale: Scale { scale(1) }

    private func scale(_ eighths: Int) -> Scale { Scale(eighths: eighths, size: scaledSize(eighths)) }

    /// The part of the scaled rows that the image covers; libjpeg rounds their size up.
    func extent(eighths: Int) -> ScanlineWriter.Extent {
        ScanlineWriter.Extent(width: Double(size.width * eighths) / 8, height: Double(size.height * eighths) / 8)
    }

    private func scaledSize(_ eighths: Int) -> PixelSize {
        var width: UInt32 = 0
        var height: UInt32 = 0
        var header = header
        unsafe cjpeg_scaled_size(&header, Int32(eighths), &width, &height)
        return PixelSize(width: Int(width), height: Int(height))
    }

    /// Prepares rows. A file with several scans is read as far as needed, within the limits on memory and scans.
    func start(_ rows: Rows, scale: Scale, limits: DecodeLimits, stop: CancellationToken) throws(ImageError) {
        try prepare(rows, scale: scale, limits: limits)
        var done: Int32 = 0
        while done == 0 {
            try stop.check()
            try check(unsafe cjpeg_read_ahead(decoder, Int32(maximumScans), &done))
        }
    }

    /// Prepares rows without reading a scan.
    func prepare(_ rows: Rows, scale: Scale, limits: DecodeLimits) throws(ImageError) {
        // libjpeg holds all coefficients of such a file; rows of other files need little memory.
        if hasMultipleScans, header.coefficient_bytes > UInt64(max(0, limits.workingBytes)) {
            throw .tooLarge("jpeg: coefficient memory of \(header.coefficient_bytes) bytes", limit: limits.workingBytes)
        }
        coefficients = nil
        if hasMultipleScans {
            coefficients = try WorkingMemory.Reservation(Int(clamping: header.coefficient_bytes), of: limits.account)
        }
        try check(unsafe cjpeg_start(decoder, rows.rawValue, Int32(scale.eighths), max(1, limits.workingBytes)))
    }

    /// Decodes rows, at most one per pointer, each of which must have room for a row. Returns the number of rows: at least one,
    /// or zero for a file that needs more bytes.
    func read(into rows: [UnsafeMutablePointer<UInt8>?]) throws(ImageError) -> Int {
        var got: UInt32 = 0
        let code = unsafe cjpeg_read_rows(decoder, rows, UInt32(rows.count), &got)
        // `got` is 0 then, and the next call resumes at the same row.
        if code != Int32(CJPEG_NEEDS_MORE) { try check(code) }
        return Int(got)
    }

    /// Decodes a range of rows that starts with the next one; calls `check` about every 16 rows.
    func read(
        _ range: Range<Int>, into destination: JPEGRowDestination, check: () throws(ImageError) -> Void
    ) throws(ImageError) {
        var pointers: [UnsafeMutablePointer<UInt8>?] = unsafe []
        var y = range.lowerBound
        while y < range.upperBound {
            try check()
            unsafe destination.replace(&pointers, with: y..<min(range.upperBound, y + JPEGRowDecoder.rowsAtOnce))
            y += unsafe try read(into: pointers)
        }
    }

    // MARK: Progressive decoding

    /// Passes all bytes so far to libjpeg.
    func feed(_ bytes: Bytes) {
        unsafe cjpeg_feed(decoder, bytes.pointer, bytes.count)
        // Must come last: it may free the previous bytes, which libjpeg used until now.
        self.bytes = bytes
    }

    /// Reads the received scans of a file with several scans. Returns the number of complete ones, and whether these are all.
    func takeScans(stop: CancellationToken) throws(ImageError) -> (whole: Int, isAll: Bool) {
        var whole: Int32 = 0
        var done: Int32 = 0
        var code = Int32(CJPEG_OK)
        while done == 0, code == Int32(CJPEG_OK) {
            try stop.check()
            code = unsafe cjpeg_take_scans(decoder, Int32(maximumScans), &whole, &done)
        }
        if code != Int32(CJPEG_NEEDS_MORE) { try check(code) }
        return (Int(whole), done != 0)
    }

    /// Restarts output at row 0 using all scans read so far, and ends that output.
    func beginPass() throws(ImageError) { try check(unsafe cjpeg_begin_pass(decoder)) }
    func endPass() throws(ImageError) { try check(unsafe cjpeg_end_pass(decoder)) }

    // MARK: Parts and limits

    /// Skips rows: a multiple of `unitRows`, and not all rows. Calls `check` every few million pixels.
    func skip(_ count: Int, check: () throws(ImageError) -> Void) throws(ImageError) {
        let step = max(1, 4_000_000 / max(1, size.width * unitRows)) * unitRows
        var y = 0
        while y < count {
            try check()
            let rows = min(step, count - y)
            try self.check(unsafe cjpeg_skip_rows(decoder, UInt32(rows)))
            y += rows
        }
    }

    /// Maximum number of scans. Each scan walks all blocks however few bytes it has, so large images may have fewer scans.
    /// Encoders write about ten.
    var maximumScans: Int {
        let pixels = max(1, size.pixelCount ?? Int.max)
        return min(500, max(16, 4_000_000_000 / pixels))
    }

    private func check(_ code: Int32) throws(ImageError) {
        guard code != Int32(CJPEG_OK) else { return }
        throw unsafe JPEGRowDecoder.error(code, decoder)
    }

    /// The error for a code of the shim, with the message of libjpeg.
    private static func error(_ code: Int32, _ decoder: OpaquePointer) -> ImageError {
        let message = unsafe String(cString: cjpeg_message(decoder))
        let status: Status =
            switch Int(code) {
            case CJPEG_TRUNCATED: .truncated
            case CJPEG_UNSUPPORTED: .unsupported
            case CJPEG_NO_MEMORY: .noMemory
            case CJPEG_TOO_LARGE, CJPEG_TOO_MANY_SCANS: .tooLarge
            default: .badData
            }
        let text = code == Int32(CJPEG_TOO_MANY_SCANS) ? "too many scans" : message
        return unsafe ImageError(
            status, "jpeg: \(text.isEmpty ? "data is damaged" : text)", libraryCode: cjpeg_message_code(decoder))
    }
}
