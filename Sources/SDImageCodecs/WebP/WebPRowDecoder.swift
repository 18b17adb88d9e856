import CWebP
import SDImage
import SDImagePixels

/// Decodes one bitstream into pixels, as far as its bytes have arrived. The only user of libwebp's incremental decoder. Used by
/// one thread at a time.
@safe final class WebPRowDecoder {
    /// Memory for libwebp's pixels: rows of `stride` bytes, with a size that may be smaller than the image's.
    @unsafe struct Target {
        let base: UnsafeMutableRawPointer
        let stride: Int
        let size: PixelSize
        let format: PixelFormat
    }

    /// Number of pixels from which the loop filter may run on a second thread; below, that is slower.
    private static let threadsFrom = 500_000

    /// Average number of pixels of a large lossy image between two checks of the token: about two milliseconds.
    private static let stepPixels = 250_000

    /// Rows of libwebp, which may be fewer than those of the image.
    private let height: Int
    /// Number of pixels of the image.
    private let pixels: Int
    private let isLossless: Bool
    private let decoder: OpaquePointer
    /// Allocated separately, because libwebp keeps a pointer to it.
    private let config: UnsafeMutablePointer<WebPDecoderConfig>
    /// Number of bytes passed to libwebp, from the start of the file.
    private var given = 0
    /// The latest status of libwebp; suspended while it needs more bytes.
    private var code = VP8_STATUS_SUSPENDED

    /// The memory of `target` must live as long as this object. If the image has no alpha, colors are not premultiplied whatever
    /// the format.
    convenience init(_ frame: WebPContainer.Frame, into target: Target, hasAlpha: Bool) throws(ImageError) {
        guard let mode = unsafe WebPRowDecoder.mode(target.format, hasAlpha: hasAlpha) else {
            throw ImageError(.internalError, "webp: libwebp cannot decode to pixel format \(unsafe target.format.rawValue)")
        }
        let size = unsafe target.size
        unsafe try self.init(frame, size: size, shown: size) { output in
            unsafe output.colorspace = mode
            unsafe output.u.RGBA.rgba = target.base.assumingMemoryBound(to: UInt8.self)
            unsafe output.u.RGBA.stride = Int32(clamping: target.stride)
            // The memory may end with the pixels of the last row.
            let last = unsafe size.width * target.format.bytesPerPixel
            unsafe output.u.RGBA.size = target.stride * (size.height - 1) + last
        }
    }

    /// Decodes luma and chroma as coded, for an image that will be displayed at the size `shown`. The memory must live as long as
    /// this object.
    convenience init(_ frame: WebPContainer.Frame, into planes: WebPYUVPlanes, shown: PixelSize) throws(ImageError) {
        unsafe try self.init(frame, size: frame.size, shown: shown) { output in
            unsafe output.colorspace = MODE_YUV
            let (luma, blue, red) = unsafe (planes.plane(0), planes.plane(1), planes.plane(2))
            unsafe output.u.YUVA.y = luma.baseAddress
            unsafe output.u.YUVA.u = blue.baseAddress
            unsafe output.u.YUVA.v = red.baseAddress
            unsafe (output.u.YUVA.y_size, output.u.YUVA.u_size, output.u.YUVA.v_size) = (luma.count, blue.count, red.count)
            unsafe output.u.YUVA.y_stride = Int32(clamping: planes.size(0).width)
            unsafe output.u.YUVA.u_stride = Int32(clamping: planes.size(1).width)
            unsafe output.u.YUVA.v_stride = Int32(clamping: planes.size(2).width)
        }
    }

    private init(
        _ frame: WebPContainer.Frame, size: PixelSize, shown: PixelSize, write: (inout WebPDecBuffer) -> Void
    ) throws(ImageError) {
        let config = UnsafeMutablePointer<WebPDecoderConfig>.allocate(capacity: 1)
        unsafe config.initialize(to: WebPDecoderConfig())
        guard unsafe WebPInitDecoderConfig(config) != 0 else {
            unsafe config.deallocate()
            throw ImageError(.internalError, "webp: libwebp differs from the version at build time")
        }
        unsafe WebPRowDecoder.choose(&config.pointee.options, frame, size: size, shown: shown)
        // libwebp neither allocates nor frees the pixels.
        unsafe config.pointee.output.is_external_memory = 1
        unsafe write(&config.pointee.output)
        guard let decoder = unsafe WebPIDecode(nil, 0, config) else {
            unsafe config.deallocate()
            throw .noMemory(1)
        }
        height = size.height
        pixels = frame.size.pixelCount ?? Int.max
        isLossless = frame.isLossless
        unsafe self.decoder = unsafe decoder
        unsafe self.config = unsafe config
    }

    deinit {
        unsafe WebPIDelete(decoder)
        unsafe config.deallocate()
    }

    /// True when every row is decoded.
    var isComplete: Bool { code == VP8_STATUS_OK }
    /// True when libwebp has refused the data.
    var isDamaged: Bool { !isComplete && !isWaiting }

    /// Decodes new data. Throws when the data are damaged, not when they end early.
    func feed(_ bytes: Bytes, stop: CancellationToken) throws(ImageError) {
        guard let base = unsafe bytes.pointer?.assumingMemoryBound(to: UInt8.self) else {
            throw ImageError(.emptyData, "webp: data is 0 bytes long")
        }
        // Skipped, because libwebp walks all chunks before the bitstream again until it reaches it.
        if given == 0 { given = try WebPChunkReader.imageOffset(bytes, stop: stop) }
        let step = step(of: bytes.count - given)
        while isWaiting, given < bytes.count {
            try stop.check()
            given = min(bytes.count, given + step)
            code = try WebPCoder.forkGate.pass { unsafe WebPIUpdate(decoder, base, given) }
        }
        // Waiting for more bytes is no error here.
        if !isWaiting { try WebPContainer.check(code) }
    }

    /// Returns the number of decoded rows; unless `tolerant`, throws when some are missing.
    func finish(tolerant: Bool) throws(ImageError) -> Int {
        if !isComplete, !tolerant { try WebPContainer.check(code) }
        return rows
    }

    /// Number of decoded rows, from the top.
    var rows: Int {
        if isComplete { return height }
        var last: Int32 = 0
        return unsafe WebPIDecGetRGB(decoder, &last, nil, nil, nil) == nil ? 0 : min(height, max(0, Int(last)))
    }

    private var isWaiting: Bool { code == VP8_STATUS_SUSPENDED || code == VP8_STATUS_NOT_ENOUGH_DATA }

    /// Bytes passed to the decoder between two checks of the token. A byte of a lossy image may code hundreds of blocks
    /// without coefficients; but where the bytes end, libwebp waits for its second thread, so that an ordinary photograph gets
    /// those of `stepPixels`, and more if metadata follows it. A lossless decoder that lacks data repeats up to eight rows, so it
    /// gets at least a sixty-fourth.
    private func step(of total: Int) -> Int {
        guard pixels > 8 * WebPRowDecoder.threadsFrom else { return 1 << 16 }
        if isLossless { return max(64, total / 64 + 1) }
        let bytes = total.multipliedReportingOverflow(by: WebPRowDecoder.stepPixels).partialValue / pixels
        return min(max(bytes, 2048), 1 << 16)
    }

    /// `size` is that of libwebp's rows, and `shown` that of the final image as far as known.
    private static func choose(
        _ options: inout WebPDecoderOptions, _ frame: WebPContainer.Frame, size: PixelSize, shown: PixelSize
    ) {
        // If all processors are busy, passing rows to a thread costs a seventh and gains nothing. Large images are too rare to be
        // what keeps them busy.
        let pixels = frame.size.pixelCount ?? Int.max
        let mayThread = pixels >= 8 * threadsFrom || pixels >= threadsFrom && RunQueue.hasIdleProcessor
        options.use_threads = mayThread ? 1 : 0
        if size != frame.size {
            options.use_scaling = 1
            options.scaled_width = Int32(clamping: size.width)
            options.scaled_height = Int32(clamping: size.height)
        }
        // Each pixel of the result averages many, so the effect of these passes is invisible.
        guard frame.size.width / shown.width >= 4, frame.size.height / shown.height >= 4 else { return }
        options.bypass_filtering = 1
        options.no_fancy_upsampling = 1
    }

    /// libwebp's name for a format; nil if it cannot write the format. Small letters, as in rgbA, mean premultiplied colors.
    private static func mode(_ format: PixelFormat, hasAlpha: Bool) -> WEBP_CSP_MODE? {
        switch format {
        case .rgb8: MODE_RGB
        case .rgba8: MODE_RGBA
        case .rgba8Premultiplied: hasAlpha ? MODE_rgbA : MODE_RGBA
        case .bgra8Premultiplied: hasAlpha ? MODE_bgrA : MODE_BGRA
        default: nil
        }
    }
}
