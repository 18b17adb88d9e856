import CJPEG
import SDImage

/// One decode by libjpeg: header, then rows. The only user of the C shim, so that codes become `ImageError` here.
@safe final class JPEGDecoder {
    /// What libjpeg can write without a further pass.
    enum Rows: Int32 {
        case gray, rgb, rgba, bgra, cmyk

        var bytesPerPixel: Int {
            switch self {
            case .gray: 1
            case .rgb: 3
            case .rgba, .bgra, .cmyk: 4
            }
        }
    }

    /// How the components of the file are to be understood.
    enum Kind { case gray, color, cmyk }

    /// Rows that one call may give.
    static let rowsAtOnce = 16

    private let decoder: OpaquePointer
    private(set) var bytes: Bytes
    private let header: cjpeg_header
    /// Of the coefficients, which libjpeg allocates.
    private var coefficients: WorkingMemory.Reservation?

    static var libraryVersion: String { unsafe String(cString: cjpeg_version()) }

    init(_ bytes: Bytes, tolerant: Bool) throws(ImageError) {
        guard !bytes.isEmpty else { throw ImageError(.emptyData, "no data") }
        guard let decoder = unsafe cjpeg_open(bytes.pointer, bytes.count, tolerant ? 1 : 0) else { throw .noMemory(bytes.count) }
        unsafe self.decoder = decoder
        self.bytes = bytes
        header = unsafe try JPEGDecoder.header(decoder)
    }

    /// For bytes of which more arrive. Throws while the header is not whole.
    init(growing bytes: Bytes) throws(ImageError) {
        guard let decoder = unsafe cjpeg_open_growing() else { throw .noMemory(bytes.count) }
        unsafe cjpeg_feed(decoder, bytes.pointer, bytes.count)
        unsafe self.decoder = decoder
        self.bytes = bytes
        header = unsafe try JPEGDecoder.header(decoder)
    }

    /// Closes the decoder where it throws.
    private static func header(_ decoder: OpaquePointer) throws(ImageError) -> cjpeg_header {
        var header = cjpeg_header()
        let code = unsafe cjpeg_read_header(decoder, &header)
        guard code != Int32(CJPEG_OK) else { return header }
        let error = unsafe JPEGDecoder.error(code, decoder)
        unsafe cjpeg_close(decoder)
        throw error
    }

    deinit { unsafe cjpeg_close(decoder) }

    var size: PixelSize { PixelSize(width: Int(header.width), height: Int(header.height)) }
    var kind: Kind { header.kind == Int32(CJPEG_GRAY) ? .gray : header.kind == Int32(CJPEG_CMYK) ? .cmyk : .color }
    var isProgressive: Bool { header.is_progressive != 0 }
    /// Brightness is a component of its own, so that a draft can be made of means.
    var hasDrafts: Bool { kind == .gray || header.is_ycc != 0 }
    /// All of the file must be read before the first row.
    var hasMultipleScans: Bool { header.has_multiple_scans != 0 }
    /// Rows that are coded together.
    var unitRows: Int { Int(header.mcu_rows) }
    /// At least the bytes that libjpeg holds while it decodes a file with one scan.
    var rowMemory: Int { 65_536 + (size.width + 32) * 4 * 2 * unitRows }
    /// Damage was met and tolerated.
    var isDamaged: Bool { unsafe cjpeg_is_damaged(decoder) != 0 }

    /// How rows are produced for a picture of some size.
    struct Scale {
        let eighths: Int
        let size: PixelSize
    }

    /// The smallest scale that leaves the filter after it something to choose from.
    ///
    /// A fifth more than `wanted`: scaling inside the transform alone is about as crude as plain means. Twice as much
    /// where the picture is so small that it costs nothing.
    func scale(covering wanted: PixelSize) -> Scale {
        // Ink over ink is a product: it must be formed before means are.
        guard kind != .cmyk else { return fullScale }
        let margin = (size.pixelCount ?? Int.max) < 250_000 ? 2.0 : 1.2
        let (width, height) = (Double(wanted.width) * margin, Double(wanted.height) * margin)
        for eighths in 1..<8 {
            let extent = extent(eighths: eighths)
            if extent.width >= width, extent.height >= height { return scale(eighths) }
        }
        return fullScale
    }

    var fullScale: Scale { Scale(eighths: 8, size: size) }
    /// A mean of each block, and no more.
    var smallestScale: Scale { scale(1) }

    private func scale(_ eighths: Int) -> Scale { Scale(eighths: eighths, size: scaledSize(eighths)) }

    /// The part of the scaled rows that the picture covers: libjpeg rounds their size up.
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

    /// Prepares rows; a file with several scans is read as far as needed, within the limits on memory and scans.
    func start(_ rows: Rows, scale: Scale, limits: DecodeLimits, stop: StopSignal) throws(ImageError) {
        try prepare(rows, scale: scale, limits: limits)
        var done: Int32 = 0
        while done == 0 {
            try stop.check()
            try check(unsafe cjpeg_read_ahead(decoder, Int32(maximumScans), &done))
        }
    }

    /// Prepares rows, and reads no scan yet.
    func prepare(_ rows: Rows, scale: Scale, limits: DecodeLimits) throws(ImageError) {
        if hasMultipleScans, header.coefficient_bytes > UInt64(max(0, limits.workingBytes)) {
            throw .tooLarge("memory for coefficients in bytes", limit: limits.workingBytes)
        }
        coefficients = nil
        if hasMultipleScans {
            coefficients = try WorkingMemory.Reservation(Int(clamping: header.coefficient_bytes), of: limits.account)
        }
        try check(unsafe cjpeg_start(decoder, rows.rawValue, Int32(scale.eighths), max(1, limits.workingBytes)))
    }

    /// Decodes up to as many rows as there are pointers, each with room for a row. Gives how many: at least one, but of a
    /// growing file none where more bytes are needed.
    func read(into rows: [UnsafeMutablePointer<UInt8>?]) throws(ImageError) -> Int {
        var got: UInt32 = 0
        let code = unsafe cjpeg_read_rows(decoder, rows, UInt32(rows.count), &got)
        if code != Int32(CJPEG_NEEDS_MORE) { try check(code) }
        return Int(got)
    }

    /// Decodes the rows of a range that begins with the next one; calls `check` about every 16 rows.
    func read(
        _ range: Range<Int>, into destination: JPEGDestination, check: () throws(ImageError) -> Void
    ) throws(ImageError) {
        var pointers: [UnsafeMutablePointer<UInt8>?] = unsafe []
        var y = range.lowerBound
        while y < range.upperBound {
            try check()
            unsafe destination.replace(&pointers, with: y..<min(range.upperBound, y + JPEGDecoder.rowsAtOnce))
            y += unsafe try read(into: pointers)
        }
    }

    // MARK: Growing files

    /// All bytes so far.
    func feed(_ bytes: Bytes) {
        unsafe cjpeg_feed(decoder, bytes.pointer, bytes.count)
        // What was there before is let go of only now.
        self.bytes = bytes
    }

    /// Reads what has come of a file with several scans. How many of them are whole, and whether that is all.
    func takeScans(stop: StopSignal) throws(ImageError) -> (whole: Int, isAll: Bool) {
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

    /// Has the rows come from the first on again, made of all scans that were read; and ends that.
    func beginPass() throws(ImageError) { try check(unsafe cjpeg_begin_pass(decoder)) }
    func endPass() throws(ImageError) { try check(unsafe cjpeg_end_pass(decoder)) }

    // MARK: Parts, and limits

    /// Passes over as many rows, a multiple of `unitRows` and not all; calls `check` every few million pixels.
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

    /// Each scan walks all blocks however few bytes it has, so large pictures may have fewer of them. Encoders write
    /// about ten.
    var maximumScans: Int {
        let pixels = max(1, size.pixelCount ?? Int.max)
        return min(500, max(16, 4_000_000_000 / pixels))
    }

    private func check(_ code: Int32) throws(ImageError) {
        guard code != Int32(CJPEG_OK) else { return }
        throw unsafe JPEGDecoder.error(code, decoder)
    }

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
        return unsafe ImageError(status, text.isEmpty ? "bad JPEG data" : text, libraryCode: cjpeg_message_code(decoder))
    }
}
