/// How pixels become bytes.
package struct EncodeOptions: Sendable {
    /// 0 to 1, of lossy formats.
    package var quality = 1.0
    package var isLossless = false
    /// 1, fastest, to 9; nil for the format's own.
    package var effort: Int?
    /// Laid under pictures with alpha where the format has none.
    package var background = Color.white
    /// Box in pixels that every frame is shrunk into; nil for none.
    package var maxPixelSize: PixelSize?
    /// Bytes that the file should not exceed; 0 = off.
    package var maxFileSize = 0
    package var embedsThumbnail = false
    package var firstFrameOnly = false
    /// nil: the image's own. 0 = for ever.
    package var loopCount: Int?
    /// JPEG: in passes.
    package var isProgressive = false
    package var chroma = Chroma.quarter
    /// JPEG: restart markers between rows of blocks.
    package var restartMarkers = false
    /// GIF: colours of a frame, 2 to 256.
    package var maxColors = 256
    /// GIF: how much of the error is passed on, 0 to 1.
    package var dithering = 1.0
    /// Numbers for libwebp by their place in its configuration.
    package var webP: [WebPParameter: Double] = [:]
    /// Nanoseconds of work on one file.
    package var workNanoseconds = EncodeOptions.standardWorkNanoseconds
    package static let standardWorkNanoseconds: UInt64 = 60_000_000_000
    /// Bytes that an encoder may use besides the image and the file: four of the largest bitmaps that a decode gives.
    package static let workingBytes = 4 * DecodeLimits.standard.outputBytes
    /// What the buffers of an operation are counted on; empty until it starts.
    private var memory = WorkingMemory.Slot()
    /// Blocks to write beside the pixels.
    package var exif: Bytes?
    package var xmp: Bytes?
    /// The caller's own values, for coders of the host.
    package var bag: FrozenOptions?

    package init() {}

    /// The account of the operation; outside of one, each buffer has its own.
    package var account: WorkingMemory { memory.account ?? WorkingMemory(limit: EncodeOptions.workingBytes) }

    /// The same options with an account of their own.
    package var accounted: EncodeOptions {
        var options = self
        options.memory = WorkingMemory.Slot(WorkingMemory(limit: EncodeOptions.workingBytes))
        return options
    }

    /// The bytes that a picture was made of are as good as new ones of the same format: nothing is asked for that could make
    /// them differ.
    var keepsEverything: Bool {
        quality == 1 && effort == nil && maxPixelSize == nil && maxFileSize == 0 && !embedsThumbnail && !firstFrameOnly
            && loopCount == nil && maxColors == 256 && dithering == 1 && webP.isEmpty && exif == nil && xmp == nil && bag == nil
    }

    /// Throws for numbers that mean nothing; a comparison with what is no number is false.
    func check() throws(ImageError) {
        guard quality >= 0, quality <= 1 else { throw ImageError(.invalidArgument, "a quality of \(quality)") }
        guard dithering >= 0, dithering <= 1 else { throw ImageError(.invalidArgument, "dithering by \(dithering)") }
        guard background.isFinite else { throw ImageError(.invalidArgument, "a background that is no colour") }
    }

    /// JPEG's resolution of colour.
    package enum Chroma: Int32, Sendable {
        case quarter = 0, half = 1, full = 2
    }

    /// What libwebp lets one choose; the numbers are those of `sdimage_webp_parameter`.
    package enum WebPParameter: Int32, Sendable {
        case method = 1, pass, preprocessing, threadLevel, lowMemory, targetPSNR, segments, snsStrength, filterStrength
        case filterSharpness, filterType, autofilter, alphaCompression, alphaFiltering, alphaQuality, showCompressed
        case partitions, partitionLimit, useSharpYUV
    }
}
