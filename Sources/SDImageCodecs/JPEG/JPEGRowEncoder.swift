import CJPEG
import SDImage

/// One encode with libjpeg: markers, then rows, then `finish`. The only user of the encoding C shim; converts its codes to
/// `ImageError`. Used by one thread.
@safe final class JPEGRowEncoder {
    struct Parameters {
        var size: PixelSize
        /// Format of the rows; alpha is ignored.
        var rows: JPEGRowDecoder.Rows
        /// Quality on the scale of libjpeg, 0 to 100.
        var quality: Int
        var chroma = EncodeOptions.Chroma.quarter
        var isProgressive = false
        /// Enables Huffman codes optimized for the image, which requires a second pass.
        var hasOwnCodes = false
        /// Writes a restart marker after each row of MCUs.
        var hasRestarts = false
        /// Account for the coefficients.
        var account: WorkingMemory?

        /// Bytes of all coefficients, which libjpeg holds when it encodes in several passes.
        var coefficientBytes: Int {
            guard isProgressive || hasOwnCodes else { return 0 }
            // Rows and columns are padded to whole MCUs.
            let (width, height) = ((size.width + 15) & ~15, (size.height + 15) & ~15)
            let samples = rows == .gray ? width * height : width * height * (chroma == .full ? 3 : chroma == .half ? 2 : 1)
            return (rows != .gray && chroma == .quarter ? samples + samples / 2 : samples) * MemoryLayout<Int16>.stride
        }
    }

    /// Maximum pixels of a side.
    static let longestSide = Int(CJPEG_LONGEST_SIDE)
    /// Maximum bytes of a marker segment after its length.
    static let markerBytes = Int(CJPEG_MARKER_BYTES)

    /// The encoded bytes so far.
    let output: OutputBytes
    private let encoder: OpaquePointer
    /// Counts the coefficients that libjpeg allocates, as long as this object.
    private let coefficients: WorkingMemory.Reservation?

    /// Starts a file with its SOI and JFIF markers. Throws `tooLarge` if the coefficients exceed the account.
    init(_ parameters: Parameters) throws(ImageError) {
        coefficients =
            if let account = parameters.account { try WorkingMemory.Reservation(parameters.coefficientBytes, of: account) } else {
                nil
            }
        output = try OutputBytes(expecting: JPEGRowEncoder.expectedBytes(parameters))
        let context = unsafe Unmanaged.passUnretained(output).toOpaque()
        guard let encoder = unsafe cjpeg_encoder_open(growOutput, context) else { throw .noMemory(0) }
        unsafe self.encoder = encoder
        var values = cjpeg_parameters()
        values.width = UInt32(clamping: parameters.size.width)
        values.height = UInt32(clamping: parameters.size.height)
        values.input = parameters.rows.rawValue
        values.quality = Int32(clamping: parameters.quality)
        values.chroma = parameters.chroma.rawValue
        values.is_progressive = parameters.isProgressive ? 1 : 0
        values.has_own_codes = parameters.hasOwnCodes ? 1 : 0
        values.has_restarts = parameters.hasRestarts ? 1 : 0
        let code = unsafe cjpeg_encoder_start(encoder, &values)
        // `deinit`, which also follows this failure, closes the encoder.
        guard code == Int32(CJPEG_OK) else { throw unsafe JPEGRowEncoder.error(code, encoder) }
    }

    deinit { unsafe cjpeg_encoder_close(encoder) }

    /// Estimates the file size: three bits per pixel are generous for a photograph below quality 90, eight for any quality.
    private static func expectedBytes(_ parameters: Parameters) -> Int {
        let pixels = parameters.size.pixelCount ?? 0
        return parameters.quality < 90 ? pixels / 8 * 3 : pixels
    }

    /// Rows of an MCU.
    var unitRows: Int { unsafe Int(cjpeg_encoder_mcu_rows(encoder)) }

    /// Writes a marker; must come before the first row.
    func writeMarker(_ marker: Int32, _ bytes: Bytes) throws(ImageError) {
        try check(unsafe cjpeg_encoder_write_marker(encoder, marker, bytes.pointer, bytes.count))
    }

    /// Encodes the next rows, each as wide as the image.
    func write(_ rows: [UnsafePointer<UInt8>?]) throws(ImageError) {
        try check(unsafe cjpeg_encoder_write_rows(encoder, rows, UInt32(clamping: rows.count)))
    }

    /// Must come after the last row. Files with several passes are encoded only now.
    func finish(stop: CancellationToken) throws(ImageError) {
        let context = unsafe Unmanaged.passUnretained(stop).toOpaque()
        let code = unsafe cjpeg_encoder_finish(encoder, hasStopped, context)
        withExtendedLifetime(stop) {}
        if code == Int32(CJPEG_STOPPED) {
            try stop.check()
            throw .cancelled
        }
        try check(code)
        output.setCount(unsafe cjpeg_encoder_count(encoder))
    }

    private func check(_ code: Int32) throws(ImageError) {
        guard code != Int32(CJPEG_OK) else { return }
        throw unsafe JPEGRowEncoder.error(code, encoder)
    }

    /// The error for a code of the shim, with the message of libjpeg.
    private static func error(_ code: Int32, _ encoder: OpaquePointer) -> ImageError {
        let message = unsafe String(cString: cjpeg_encoder_message(encoder))
        let status: Status =
            switch Int(code) {
            case CJPEG_NO_MEMORY: .noMemory
            case CJPEG_TOO_LARGE: .tooLarge
            default: .encodeFailed
            }
        let text = message.isEmpty ? "libjpeg refused the image" : message
        return unsafe ImageError(status, "jpeg: \(text)", libraryCode: cjpeg_encoder_message_code(encoder))
    }
}

/// Grows the `OutputBytes` at `context`, or on the first call returns its initial memory.
private func growOutput(
    _ context: UnsafeMutableRawPointer?, _ capacity: UnsafeMutablePointer<Int>?
) -> UnsafeMutablePointer<UInt8>? {
    guard let context = unsafe context, let capacity = unsafe capacity else { return nil }
    let output = unsafe Unmanaged<OutputBytes>.fromOpaque(context).takeUnretainedValue()
    if unsafe capacity.pointee > 0 {
        do throws(ImageError) { try output.grow() } catch { return nil }
    }
    unsafe capacity.pointee = output.capacity
    return unsafe output.memory.assumingMemoryBound(to: UInt8.self)
}

/// Returns 1 if the `CancellationToken` at `context` ends the work; for `cjpeg_encoder_finish`.
private func hasStopped(_ context: UnsafeMutableRawPointer?) -> Int32 {
    guard let context = unsafe context else { return 0 }
    let stop = unsafe Unmanaged<CancellationToken>.fromOpaque(context).takeUnretainedValue()
    do throws(ImageError) {
        try stop.check()
        return 0
    } catch { return 1 }
}
