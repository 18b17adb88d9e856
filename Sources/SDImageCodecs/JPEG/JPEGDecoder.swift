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
    private let bytes: Bytes
    private let header: cjpeg_header
    let size: PixelSize
    let kind: Kind

    static var libraryVersion: String { unsafe String(cString: cjpeg_version()) }

    init(_ bytes: Bytes, tolerant: Bool) throws(ImageError) {
        guard !bytes.isEmpty else { throw ImageError(.emptyData, "no data") }
        guard let decoder = unsafe cjpeg_open(bytes.pointer, bytes.count, tolerant ? 1 : 0) else { throw .noMemory(bytes.count) }
        var header = cjpeg_header()
        let code = unsafe cjpeg_read_header(decoder, &header)
        guard code == Int32(CJPEG_OK) else {
            let error = unsafe JPEGDecoder.error(code, decoder)
            unsafe cjpeg_close(decoder)
            throw error
        }
        unsafe self.decoder = decoder
        self.bytes = bytes
        self.header = header
        size = PixelSize(width: Int(header.width), height: Int(header.height))
        kind = header.kind == Int32(CJPEG_GRAY) ? .gray : header.kind == Int32(CJPEG_CMYK) ? .cmyk : .color
    }

    deinit { unsafe cjpeg_close(decoder) }

    var isProgressive: Bool { header.is_progressive != 0 }
    /// Damage was met and tolerated.
    var isDamaged: Bool { unsafe cjpeg_is_damaged(decoder) != 0 }

    /// How rows are produced for a picture of some size.
    struct Scale {
        let eighths: Int
        let size: PixelSize
        /// The mean of each block is all that is needed; scans that refine it may be left unread.
        let needsOnlyMeans: Bool
    }

    /// The smallest scale that leaves the filter after it something to choose from.
    ///
    /// A fifth more than `wanted`: scaling inside the transform alone is about as crude as plain means. Twice as much
    /// where the picture is so small that it costs nothing.
    func scale(covering wanted: PixelSize) -> Scale {
        let full = Scale(eighths: 8, size: size, needsOnlyMeans: false)
        // Ink over ink is a product: it must be formed before means are.
        guard kind != .cmyk else { return full }
        let margin = (size.pixelCount ?? Int.max) < 250_000 ? 2.0 : 1.2
        let (width, height) = (Double(wanted.width) * margin, Double(wanted.height) * margin)
        for eighths in 1..<8 {
            let extent = extent(eighths: eighths)
            guard extent.width >= width, extent.height >= height else { continue }
            // Also where color is sampled more coarsely than brightness its blocks are finer than the result.
            let isCovered = Double(header.coarsest_columns) >= width && Double(header.coarsest_rows) >= height
            return Scale(eighths: eighths, size: scaledSize(eighths), needsOnlyMeans: eighths == 1 && isCovered)
        }
        return full
    }

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
        if header.has_multiple_scans != 0, header.coefficient_bytes > UInt64(max(0, limits.workingBytes)) {
            throw .tooLarge("memory for coefficients in bytes", limit: limits.workingBytes)
        }
        try check(
            unsafe cjpeg_start(
                decoder, rows.rawValue, Int32(scale.eighths), scale.needsOnlyMeans ? 1 : 0, max(1, limits.workingBytes)))
        var done: Int32 = 0
        while done == 0 {
            try stop.check()
            try check(unsafe cjpeg_read_ahead(decoder, Int32(maximumScans), &done))
        }
    }

    /// Decodes up to as many rows as there are pointers, each with room for a row; gives how many, at least one.
    func read(into rows: [UnsafeMutablePointer<UInt8>?]) throws(ImageError) -> Int {
        var got: UInt32 = 0
        try check(unsafe cjpeg_read_rows(decoder, rows, UInt32(rows.count), &got))
        return Int(got)
    }

    /// Each scan walks all blocks however few bytes it has, so large pictures may have fewer of them. Encoders write
    /// about ten.
    private var maximumScans: Int {
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
