import CWebP
import Glibc
import SDImage
import SDImagePixels

/// Encodes one image with libwebp to a file without metadata: a still, or a frame of an animation. Used by any thread; each
/// encode has a state of its own.
@safe struct WebPFrameEncoder {
    /// Maximum pixels of a side.
    static let longestSide = Int(WEBP_MAX_DIMENSION)

    private let configuration: WebPEncoderConfiguration
    /// Counts the memory of libwebp while it encodes.
    private let account: WorkingMemory
    private let stop: CancellationToken
    /// Cancels the encode; polled together with `stop`.
    private let isAbandoned: @Sendable () -> Bool

    init(
        _ configuration: WebPEncoderConfiguration, account: WorkingMemory, stop: CancellationToken,
        isAbandoned: @escaping @Sendable () -> Bool = { false }
    ) {
        self.configuration = configuration
        self.account = account
        self.stop = stop
        self.isAbandoned = isAbandoned
    }

    /// Context of libwebp's callbacks.
    private final class Context {
        let output: OutputBytes
        let stop: CancellationToken
        let isAbandoned: @Sendable () -> Bool
        /// The error that ended the encode from within a callback.
        private(set) var failure: ImageError?

        init(_ output: OutputBytes, _ stop: CancellationToken, _ isAbandoned: @escaping @Sendable () -> Bool) {
            self.output = output
            self.stop = stop
            self.isAbandoned = isAbandoned
        }

        /// Returns 1 on success, as libwebp expects; otherwise keeps the error.
        func attempt(_ body: () throws(ImageError) -> Void) -> Int32 {
            do throws(ImageError) {
                try body()
                return 1
            } catch {
                failure = error
                return 0
            }
        }

        /// Throws if the encode is to end.
        func check() throws(ImageError) {
            try stop.check()
            if isAbandoned() { throw .cancelled }
        }
    }

    /// Throws `tooLarge` beyond the limits of the format, the error of `stop`, and `cancelled` if `isAbandoned` ends it.
    func encode(_ image: Image) throws(ImageError) -> Bytes {
        guard max(image.size.width, image.size.height) <= WebPFrameEncoder.longestSide else {
            throw .tooLarge(
                "webp: longer side of \(image.size.width)x\(image.size.height) pixels", limit: WebPFrameEncoder.longestSide)
        }
        var config = configuration.value
        do throws(ImageError) {
            return try WebPCoder.forkGate.pass { () throws(ImageError) in try encode(image, &config) }
        } catch {
            let isFull = error.libraryCode == Int32(clamping: VP8_ENC_ERROR_PARTITION0_OVERFLOW.rawValue)
            guard isFull, config.partition_limit < 100 else { throw error }
            // The modes of a very large image exceed the first partition at its best quality.
            config.partition_limit = 100
            return try WebPCoder.forkGate.pass { () throws(ImageError) in try encode(image, &config) }
        }
    }

    /// Makes one attempt.
    private func encode(_ image: Image, _ config: inout WebPConfig) throws(ImageError) -> Bytes {
        let reservation = try WorkingMemory.Reservation(WebPFrameEncoder.memory(image.size, config), of: account)
        defer { reservation.release() }
        let context = Context(try OutputBytes(expecting: (image.size.pixelCount ?? 0) / 4), stop, isAbandoned)
        var picture = unsafe WebPPicture()
        guard unsafe WebPPictureInit(&picture) != 0 else {
            throw ImageError(.unsupported, "webp: libwebp differs from the version at build time")
        }
        defer { unsafe WebPPictureFree(&picture) }
        unsafe picture.width = Int32(clamping: image.size.width)
        unsafe picture.height = Int32(clamping: image.size.height)
        // Otherwise libwebp converts to YCbCr while it imports the pixels, and holds no RGB.
        unsafe picture.use_argb = WebPFrameEncoder.wantsRGB(config) ? 1 : 0
        unsafe try WebPFrameEncoder.fill(&picture, image)
        unsafe picture.custom_ptr = Unmanaged.passUnretained(context).toOpaque()
        unsafe picture.writer = writePiece
        unsafe picture.progress_hook = goOn
        try context.check()
        let isEncoded = unsafe WebPEncode(&config, &picture) != 0
        return try withExtendedLifetime(context) { () throws(ImageError) in
            // Comes first: libwebp reports only that a callback failed.
            if let failure = context.failure { throw failure }
            guard isEncoded else { throw unsafe WebPFrameEncoder.error(picture.error_code) }
            return try context.output.finish()
        }
    }

    /// libwebp needs RGB input for sharp chroma conversion and for dithering.
    private static func wantsRGB(_ config: WebPConfig) -> Bool {
        config.lossless != 0 || config.use_sharp_yuv != 0 || config.preprocessing & 2 != 0
    }

    /// Lower bound of the bytes that libwebp holds. Lossy: luma, subsampled chroma and alpha, plus RGB if needed. Lossless: RGB,
    /// the result of the transforms, and a hash chain, with 4 bytes per pixel each.
    static func memory(_ size: PixelSize, _ config: WebPConfig) -> Int {
        let pixels = size.pixelCount ?? Int(Int32.max)
        return config.lossless != 0 ? pixels * 12 : pixels * 5 / 2 + (wantsRGB(config) ? pixels * 4 : 0)
    }

    // MARK: Pixels

    /// Imports the pixels, directly from the image if libwebp supports its format.
    private static func fill(_ picture: inout WebPPicture, _ image: Image) throws(ImageError) {
        let format = image.pixels.format
        let hasAlpha = image.metadata.hasAlpha && format.hasAlpha
        let plain: Image =
            switch format {
            case .gray16: try image.converted(to: .gray8)
            case .rgb16: try image.converted(to: .rgb8)
            case .rgba16, .rgbaFloat: try image.converted(to: .rgba8)
            // libwebp takes straight alpha. Without alpha, premultiplied pixels are the same.
            case .rgba8Premultiplied, .bgra8Premultiplied: hasAlpha ? try image.converted(to: .rgba8) : image
            default: image
            }
        guard plain.pixels.format != .gray8 else { return unsafe try fillGray(&picture, plain.pixels) }
        let importRows =
            switch plain.pixels.format {
            case .rgb8: unsafe WebPPictureImportRGB
            case .bgra8Premultiplied: unsafe WebPPictureImportBGRX
            default: unsafe hasAlpha ? WebPPictureImportRGBA : WebPPictureImportRGBX
            }
        let base = unsafe plain.pixels.pixels.assumingMemoryBound(to: UInt8.self)
        guard let stride = Int32(exactly: plain.pixels.stride) else {
            throw .tooLarge("webp: row of \(plain.pixels.stride) bytes", limit: Int(Int32.max))
        }
        let isImported = unsafe importRows(&picture, base, stride) != 0
        withExtendedLifetime(plain) {}
        guard isImported else { throw unsafe error(picture.error_code) }
    }

    /// Imports gray, which needs no chroma computation: as luma in libwebp's range of 16 to 235, or as three equal channels.
    private static func fillGray(_ picture: inout WebPPicture, _ pixels: PixelBuffer) throws(ImageError) {
        guard unsafe WebPPictureAlloc(&picture) != 0 else { throw unsafe error(picture.error_code) }
        let width = pixels.size.width
        for y in 0..<pixels.size.height {
            guard let row = unsafe pixels.row(y) else { break }
            if unsafe picture.use_argb != 0 {
                guard let target = unsafe picture.argb else { break }
                let rowStart = unsafe target + y * Int(picture.argb_stride)
                // ARGB words are BGRA bytes on little-endian machines.
                unsafe sdpx_convert_row(
                    rowStart, PixelFormat.bgra8Premultiplied.rawValue, row.baseAddress, PixelFormat.gray8.rawValue, width)
            } else if let luma = unsafe picture.y {
                let rowStart = unsafe luma + y * Int(picture.y_stride)
                for x in 0..<width { unsafe rowStart[x] = brightness[Int(row[x])] }
            }
        }
        guard unsafe picture.use_argb == 0, let u = unsafe picture.u, let v = unsafe picture.v else { return }
        let bytes = unsafe Int(picture.uv_stride) * ((pixels.size.height + 1) / 2)
        // Chroma of gray is 128.
        unsafe memset(u, 128, bytes)
        unsafe memset(v, 128, bytes)
    }

    /// ITU-R BT.601 in 16-bit fixed point, rounded like libwebp.
    private static let brightness: [UInt8] = (0..<256).map { UInt8(clamping: ($0 * 56318 + 1 << 15) >> 16 + 16) }

    /// Converts an error of libwebp.
    private static func error(_ code: WebPEncodingError) -> ImageError {
        let number = Int32(clamping: code.rawValue)
        return switch code {
        case VP8_ENC_ERROR_OUT_OF_MEMORY, VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY:
            ImageError(.noMemory, "webp: no memory for the encoder", libraryCode: number)
        case VP8_ENC_ERROR_BAD_DIMENSION, VP8_ENC_ERROR_FILE_TOO_BIG:
            ImageError(.tooLarge, "webp: dimensions or file size exceed the limits of the format", libraryCode: number)
        default: ImageError(.encodeFailed, "webp: encoding failed with libwebp error \(number)", libraryCode: number)
        }
    }

    /// Runs a callback for a picture whose `custom_ptr` is a context.
    fileprivate static func attempt(
        _ picture: UnsafePointer<WebPPicture>?, _ body: (OutputBytes, () throws(ImageError) -> Void) throws(ImageError) -> Void
    ) -> Int32 {
        guard let pointer = unsafe picture?.pointee.custom_ptr else { return 0 }
        let context = unsafe Unmanaged<Context>.fromOpaque(pointer).takeUnretainedValue()
        return context.attempt { () throws(ImageError) in try body(context.output, context.check) }
    }
}

/// Callback of libwebp that receives encoded bytes.
private func writePiece(_ bytes: UnsafePointer<UInt8>?, _ count: Int, _ picture: UnsafePointer<WebPPicture>?) -> Int32 {
    unsafe WebPFrameEncoder.attempt(picture) { output, _ throws(ImageError) in
        unsafe try output.append(UnsafeRawBufferPointer(start: bytes, count: count))
    }
}

/// Callback of libwebp that reports progress; 0 ends the encode.
private func goOn(_ percent: Int32, _ picture: UnsafePointer<WebPPicture>?) -> Int32 {
    unsafe WebPFrameEncoder.attempt(picture) { _, check throws(ImageError) in try check() }
}
