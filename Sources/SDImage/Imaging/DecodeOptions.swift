/// The rendition of images that have more than the range of SDR.
package enum DynamicRange: Int32, Sendable {
    /// The base image, unchanged.
    case sdr
    /// The rendition with the headroom of the content.
    case hdr
    /// The rendition for the headroom of the display.
    case automatic
}

/// Options of a decode. The defaults give a straight format of 8 bits per channel, in sRGB, upright, at full size.
/// The C interface documents each one (`include/sdimage/decode.h`). Options that change pixels are part of cache
/// keys.
package struct DecodeOptions: Hashable, Sendable {
    /// Bounding box in pixels of the displayed image; nil or empty = full size. Never enlarges.
    package var thumbnailSize: PixelSize?
    /// Fitting into `thumbnailSize`.
    package var thumbnailMode = ScaleMode.aspectFit
    /// Decodes an animation as a still.
    package var firstFrameOnly = false
    /// Pixel format of the result; nil: that of the image with 8 bits per channel.
    package var pixelFormat: PixelFormat?
    /// Without `pixelFormat`: keeps more than 8 bits per channel.
    package var keepsDepth = false
    /// Rendition of images with more than SDR.
    package var dynamicRange = DynamicRange.sdr
    /// Headroom of the display in stops, for `automatic`.
    package var displayHeadroom = 0.0
    /// Leaves the base image of a file with a gain map, in its own color space, together with the map.
    package var keepsGainMap = false
    /// Transfer of the result, in 16 bits; nil for sRGB and linear light.
    package var transfer: HDRTransfer?
    /// False leaves the orientation as a tag of the result.
    package var applyOrientation = true
    /// False leaves the color space of the file, with its profile or code points.
    package var convertToSRGB = true
    /// Limit of decoded bytes over all frames; 0 = off. Overrides the thumbnail size.
    package var limitBytes = 0
    /// Container format to try first when the bytes have no known signature.
    package var formatHint: ImageFormat = .unknown
    /// Pixels per point of the result, at least 1; nil: the scale in the key of a load, or 1.
    package var scale: Double?
    /// Returns the available rows of a truncated image; otherwise truncation is an error (docs/decisions.md, "Truncated images
    /// are errors").
    package var acceptPartial = false
    /// Decodes a thumbnail of at most 1/8 size from the first DC scan of a progressive JPEG or the first pass of an interlaced
    /// PNG. The remaining bytes may be missing.
    package var earlyThumbnail = false
    /// Custom options of the request, for coders of the host.
    /// nil for a request without such options.
    package var bag: FrozenOptions?
    /// Hard limits, checked before any allocation.
    package var limits = DecodeLimits.standard
    /// The coders that decode in worker processes; nil: those of the process.
    package var isolation: Isolation?

    /// The raw value of `sdimage_pixel_format` that stands for `keepsDepth`.
    package static let nativeFormat: Int32 = 10

    package init() {}

    /// True for an upright result in sRGB, the most common case.
    package var isUpright: Bool { applyOrientation && convertToSRGB }

    /// The pixel format of the result for an image whose own format is `source`, which a coder chooses as the smallest straight
    /// format that holds the image.
    package func outputFormat(of source: PixelFormat, hasAlpha: Bool = true) -> PixelFormat {
        pixelFormat ?? (keepsDepth ? source : source.with8Bits(hasAlpha: hasAlpha))
    }

    /// The pixel format of an image with missing rows. They are transparent unless a format without alpha is requested.
    package func partialFormat(of output: PixelFormat) -> PixelFormat { pixelFormat ?? output.withAlpha }

    /// Bytes per pixel for which `limitBytes` reserves memory.
    package func limitedBytesPerPixel(of source: PixelFormat) -> Int {
        pixelFormat?.bytesPerPixel ?? (keepsDepth ? 4 * source.bytesPerChannel : 4)
    }

    /// The options of each of `count` frames, which share the limit of bytes.
    package func ofEachFrame(of count: Int) -> DecodeOptions {
        guard limitBytes > 0, count > 1 else { return self }
        var options = self
        options.limitBytes = max(1, limitBytes / count)
        return options
    }

    /// True if a thumbnail on disk cannot hold the result, which may have more than 8 bits per channel, or a gain map.
    package var needsOriginal: Bool {
        (pixelFormat?.bytesPerChannel ?? (keepsDepth ? 2 : 1)) > 1 || readsGainMaps || transfer != nil
    }

    /// True if the gain map of a file matters.
    package var readsGainMaps: Bool { mayExceedWhite || leavesBaseImage }

    /// True if the base image is left with its gain map. Floats are light, and no base image.
    package var leavesBaseImage: Bool { keepsGainMap && pixelFormat != .rgbaFloat }

    /// True if the result may be a rendition with more than the range of SDR. Integer formats hold SDR, except in PQ and HLG.
    package var mayExceedWhite: Bool {
        requestedHeadroom > 0 && (pixelFormat == nil || pixelFormat == .rgbaFloat || transfer != nil)
    }

    /// The options for pixels with these code points: those of PQ and HLG become floats if more than SDR is requested.
    package func withFloats(for codePoints: CodePoints?) -> DecodeOptions {
        guard codePoints?.isHighDynamicRange ?? false, mayExceedWhite, convertToSRGB else { return self }
        var options = self
        options.pixelFormat = .rgbaFloat
        return options
    }

    /// The headroom to which HDR pixels are tone-mapped in a result of format `output`; nil if they keep that of the content.
    /// 0 is the headroom of SDR, for formats that hold no more.
    package func mappedHeadroom(_ output: PixelFormat) -> Double? {
        guard output == .rgbaFloat else { return 0 }
        return dynamicRange == .automatic ? displayHeadroom : nil
    }

    /// The options for a coder: for a result in PQ or HLG those of linear light, which `Image.signal` converts.
    /// Throws `invalidArgument` if the pixel format cannot hold the transfer.
    func forCoder() throws(ImageError) -> DecodeOptions {
        guard transfer != nil else { return self }
        guard pixelFormat == nil || pixelFormat == .rgb16 || pixelFormat == .rgba16 else {
            throw ImageError(.invalidArgument, "decoder: PQ and HLG need a pixel format of 16 bits, RGB16 or RGBA16")
        }
        var options = self
        (options.transfer, options.pixelFormat, options.convertToSRGB) = (nil, .rgbaFloat, true)
        options.keepsGainMap = false
        // A pixel of floats has 16 bytes, one of the result 6 or 8. `Image.signal` keeps the limit of the result.
        let (floats, samples) = pixelFormat == .rgb16 ? (8, 3) : (2, 1)
        options.limitBytes = min(limitBytes, Int.max / floats) * floats / samples
        options.limits.outputBytes = min(limits.outputBytes, Int.max / 3) * 3
        return options
    }

    /// The highest headroom of a rendition, in stops; infinite for that of the content.
    package var requestedHeadroom: Double {
        switch dynamicRange {
        case .sdr: 0
        case .hdr: .infinity
        case .automatic: displayHeadroom
        }
    }

    /// True for a thumbnail size that is not empty.
    package var wantsThumbnail: Bool { thumbnailSize.map { !$0.isEmpty } ?? false }
}

/// Safety limits of one decode (docs/decisions.md, "Limits of one decode"). On by default; each has its own error message.
package struct DecodeLimits: Hashable, Sendable {
    /// Number of pixels in the header's size, when the coder streams rows and needs no full bitmap.
    package var streamedPixels = 1 << 30
    /// Number of pixels in the header's size, when the coder must hold the whole image.
    package var heldPixels = 64 << 20
    /// Bytes of the result.
    package var outputBytes = 256 << 20
    /// Bytes a coder may use besides its result.
    package var workingBytes = 256 << 20
    /// Memory account of the buffers of an operation; empty until it starts.
    private var memory = WorkingMemory.Slot()
    /// Frames of an animation.
    package var frames = 10_000
    /// Bytes of each ICC, EXIF or text block.
    package var metadataBytes = 1 << 20
    /// Nanoseconds of work on one image.
    package var workNanoseconds: UInt64 = 10_000_000_000
    /// Parsers that are not used.
    package var disabledParsers = DisabledParsers.ofProcess

    package static let standard = DecodeLimits()

    package init() {}

    /// For a result of the size of a bitmap that exists.
    package static let ofExistingBitmap = {
        var limits = DecodeLimits()
        limits.outputBytes = .max
        return limits
    }()

    /// The memory account of the operation; outside an operation, a new account on each access.
    package var account: WorkingMemory { memory.account ?? WorkingMemory(limit: workingBytes) }

    /// The same limits with a new memory account.
    /// Set once for an operation, whose steps then share it.
    package var accounted: DecodeLimits {
        var limits = self
        limits.memory = WorkingMemory.Slot(WorkingMemory(limit: workingBytes))
        return limits
    }
}
