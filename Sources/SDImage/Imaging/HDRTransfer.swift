import SDImagePixels

/// A transfer of ITU-R BT.2100; the raw values are those of ITU-T H.273, table 3, and of `sdimage_transfer_characteristics`.
package enum HDRTransfer: UInt8, Sendable {
    /// SMPTE ST 2084.
    case pq = 16
    /// ARIB STD-B67.
    case hlg = 18

    /// RGB samples of this transfer with the primaries of ITU-R BT.2020.
    package var codePoints: CodePoints { CodePoints(primaries: 9, transfer: rawValue, matrix: 0, isFullRange: true) }

    /// Converts light of sRGB primaries, with 1 for SDR white, to that of BT.2020, with 1 for the peak of the transfer.
    /// Nine numbers, row by row.
    fileprivate var matrix: [Float] {
        let gain = CodePoints.referenceWhite / (self == .pq ? CodePoints.pqPeak : CodePoints.hlgPeak)
        return HDRTransfer.toBT2020.map { Float($0 * gain) }
    }

    /// From the chromaticities of ITU-R BT.709 and BT.2020 (SMPTE RP 177); ITU-R BT.2087 gives four digits.
    private static let toBT2020 = [
        0.627403896, 0.329283038, 0.043313066, 0.069097289, 0.919540395, 0.011362316, 0.016391439, 0.088013308, 0.895595253,
    ]
}

/// Used by decodes with the option `transfer`, and by encoders.
extension Image {
    /// True for samples of this transfer with the primaries of ITU-R BT.2020. The matrix is that of the file.
    package func isSignal(of transfer: HDRTransfer) -> Bool {
        guard let codes = metadata.cicp, !codes.hasNarrowPixels else { return false }
        return codes.primaries == transfer.codePoints.primaries && codes.transfer == transfer.rawValue
    }

    /// The result of these options, if their `forCoder` gave this image (docs/decisions.md, "PQ and HLG are made of linear light").
    func signal(_ options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> Image {
        guard let transfer = options.transfer else { return self }
        return try signal(transfer, format: options.pixelFormat, limit: options.limits.outputBytes, stop: stop)
    }

    /// The same light as samples of 16 bits with the primaries of ITU-R BT.2020. The pixels are linear light (`rgbaFloat`); those
    /// beyond the range of the transfer or of the primaries are clipped. `format`: `rgb16` or `rgba16`; nil chooses by `hasAlpha`.
    package func signal(
        _ transfer: HDRTransfer, format: PixelFormat? = nil, limit: Int = .max, stop: CancellationToken
    ) throws(ImageError) -> Image {
        let format = format ?? (metadata.hasAlpha ? .rgba16 : .rgb16)
        // The kernel converts from light only; callers convert other pixels first.
        guard pixels.format == .rgbaFloat, format == .rgb16 || format == .rgba16 else {
            throw ImageError(.internalError, "image: no conversion to a transfer for this pixel format")
        }
        let buffer = try PixelBuffer(size: pixels.size, format: format, limit: limit)
        try RowBands.run(size.height, rowBytes: pixels.stride, stop: stop) { [pixels] rows throws(ImageError) in
            pixels.convert(rows, to: buffer, transfer)
        }
        var metadata = metadata
        metadata.cicp = transfer.codePoints
        metadata.gainMap = nil
        metadata.headroom = min(metadata.headroom, transfer.codePoints.headroom)
        metadata.hasAlpha = metadata.hasAlpha && format.hasAlpha
        metadata.memoryCost = nil
        // Frames are converted when they are requested.
        let frames = frames.map {
            MappedFrames($0) { frame, stop throws(ImageError) in
                try frame.signal(transfer, format: format, limit: limit, stop: stop)
            }
        }
        return Image(pixels: buffer, metadata: metadata, frames: frames)
    }
}

extension PixelBuffer {
    /// Runs on several threads, each with rows of its own.
    fileprivate func convert(_ rows: Range<Int>, to target: PixelBuffer, _ transfer: HDRTransfer) {
        let matrix = transfer.matrix
        unsafe matrix.withUnsafeBufferPointer { matrix in
            for y in rows {
                guard let from = unsafe row(y)?.baseAddress, let to = unsafe target.mutableRow(y)?.baseAddress else { continue }
                unsafe sdpx_signal_row(
                    to.assumingMemoryBound(to: UInt16.self), target.format.rawValue, from.assumingMemoryBound(to: Float.self),
                    size.width, matrix.baseAddress, transfer == .hlg ? 1 : 0)
            }
        }
    }
}
