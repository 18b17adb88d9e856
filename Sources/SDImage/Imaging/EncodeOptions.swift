/// Options of an encode.
/// The C interface documents each one (`include/sdimage/encode.h`).
package struct EncodeOptions: Sendable {
    /// Quality of lossy formats, 0 to 1.
    package var quality = 1.0
    /// Exact pixels, for formats that can store both kinds.
    package var isLossless = false
    /// Effort from 1, fastest, to 9; nil for the default of the format.
    package var effort: Int?
    /// Background for images with alpha in formats without alpha.
    package var background = Color.white
    /// Bounding box in pixels for every frame; nil for none. Never enlarges.
    package var maxPixelSize: PixelSize?
    /// Target limit of the file size in bytes; 0 = off.
    package var maxFileSize = 0
    /// Writes a reduced copy into the metadata, for formats that can hold one.
    package var embedsThumbnail = false
    /// JPEG: a gain map after the image.
    package var embedsGainMap = false
    /// Transfer to convert the pixels to; nil for none.
    package var transfer: HDRTransfer?
    /// Bits per channel of the file; 0 for the choice of the format.
    package var bitsPerChannel = 0
    /// Light of the content to be recorded; unknown unless set.
    package var lightLevel = ContentLightLevel()
    /// Encodes an animation as a still.
    package var firstFrameOnly = false
    /// Number of loops; nil: the loop count of the image; 0 = endless.
    package var loopCount: Int?
    /// JPEG: progressive scans.
    package var isProgressive = false
    /// JPEG: resolution of the color channels.
    package var chroma = Chroma.quarter
    /// JPEG: restart markers between rows of MCUs.
    package var restartMarkers = false
    /// GIF: colors per frame, 2 to 256.
    package var maxColors = 256
    /// GIF: share of the error to diffuse, 0 to 1.
    package var dithering = 1.0
    /// Values for the configuration of libwebp, by field.
    package var webP: [WebPParameter: Double] = [:]
    /// Nanoseconds of work on one file.
    package var workNanoseconds = EncodeOptions.standardWorkNanoseconds
    package static let standardWorkNanoseconds: UInt64 = 60_000_000_000
    /// Bytes that an encoder may use besides the image and the file: four times the largest bitmap of a decode.
    package static let workingBytes = 4 * DecodeLimits.standard.outputBytes
    /// Memory account of the buffers of an operation; empty until it starts.
    private var memory = WorkingMemory.Slot()
    /// True when the encode must end soon after its cancellation, at the expense of speed. Others end with their time limit.
    package var isCancellable = false
    /// Metadata blocks to write into the file.
    package var exif: Bytes?
    package var xmp: Bytes?
    /// Custom options of the caller, for coders of the host.
    package var bag: FrozenOptions?

    package init() {}

    /// The memory account of the operation; outside an operation, a new account on each access.
    package var account: WorkingMemory { memory.account ?? WorkingMemory(limit: EncodeOptions.workingBytes) }

    /// Throws if a gain map is asked for. For formats that hold none.
    package func refuseGainMap(_ format: ImageFormat) throws(ImageError) {
        guard !embedsGainMap else { throw ImageError(.unsupported, "\(format.name): gain maps are not written") }
    }

    /// The same options with a new memory account.
    /// Set once for an operation.
    package var accounted: EncodeOptions {
        var options = self
        options.memory = WorkingMemory.Slot(WorkingMemory(limit: EncodeOptions.workingBytes))
        return options
    }

    /// True when no option requires new bytes, so that the bytes that an image was decoded from can be reused for the same
    /// format.
    var keepsEverything: Bool {
        quality == 1 && effort == nil && maxPixelSize == nil && maxFileSize == 0 && !embedsThumbnail && !embedsGainMap
            && !firstFrameOnly
            && loopCount == nil && maxColors == 256 && dithering == 1 && webP.isEmpty && exif == nil && xmp == nil && bag == nil
            && transfer == nil && bitsPerChannel == 0 && lightLevel.isUnknown
    }

    /// Throws for numbers out of range and for NaN, which fails every comparison.
    /// Called before an encode; numbers come from the host.
    func check() throws(ImageError) {
        guard quality >= 0, quality <= 1 else {
            throw ImageError(.invalidArgument, "encoder: quality is \(quality), expected 0 to 1")
        }
        guard dithering >= 0, dithering <= 1 else {
            throw ImageError(.invalidArgument, "encoder: dithering is \(dithering), expected 0 to 1")
        }
        guard [0, 8, 10, 12, 16].contains(bitsPerChannel) else {
            throw ImageError(.invalidArgument, "encoder: bits per channel are \(bitsPerChannel), expected 8, 10, 12 or 16")
        }
        guard background.hasFiniteColor else { throw ImageError(.invalidArgument, "encoder: background color is not finite") }
    }

    /// JPEG chroma resolution.
    /// Raw values are those of the C interface.
    package enum Chroma: Int32, Sendable {
        case quarter = 0, half = 1, full = 2
    }

    /// Parameter of libwebp; the raw values are those of `sdimage_webp_parameter`.
    package enum WebPParameter: Int32, Sendable {
        case method = 1, pass, preprocessing, threadLevel, lowMemory, targetPSNR, segments, snsStrength, filterStrength
        case filterSharpness, filterType, autofilter, alphaCompression, alphaFiltering, alphaQuality, showCompressed
        case partitions, partitionLimit, useSharpYUV
    }
}

/// Light of the content in cd/m2 (CTA-861.3); 0 for unknown.
/// Recorded in the file for displays; it does not change pixels.
package struct ContentLightLevel: Hashable, Sendable {
    /// MaxCLL: the brightest pixel.
    package var maxContent: UInt16 = 0
    /// MaxFALL: the mean of the brightest frame.
    package var maxFrameAverage: UInt16 = 0

    package var isUnknown: Bool { maxContent == 0 && maxFrameAverage == 0 }
}
