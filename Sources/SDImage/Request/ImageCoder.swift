/// Decodes and encodes one container format.
///
/// Called on workers of the pool, from several threads concurrently. Never does I/O. `stop` is the budget of each call:
/// parsers `spend` the bytes they read, and no loop runs longer than about 50 ms without a `check`.
/// Registered in `CoderRegistry`, which asks coders in order and limits images before and after.
package protocol ImageCoder: AnyObject, Sendable {
    /// Name for messages and `doctor`, e.g. "jpeg".
    /// Constant for the lifetime of the coder.
    var name: String { get }
    /// Versions of the underlying libraries, for `doctor`, e.g. "libjpeg-turbo 2.1.5".
    var libraryVersion: String { get }
    /// Formats that the coder decodes and encodes, for `doctor`.
    var decodableFormats: [ImageFormat] { get }
    var encodableFormats: [ImageFormat] { get }
    /// The place from which a worker process can make the same coder.
    /// Used by `SDImageIsolation`, which has workers make the coder again.
    var origin: CoderOrigin { get }
    /// True if the coder belongs to those that `Isolation.risky` isolates.
    var isRisky: Bool { get }

    /// True when the first bytes belong to this coder's formats; otherwise the next coder is asked.
    /// `bytes`: the beginning of the file, possibly the complete file.
    func canDecode(_ bytes: Bytes) -> Bool
    /// Reads only headers: size, frames, orientation. Allocates no pixel memory.
    /// Throws for headers that are damaged or incomplete.
    func info(_ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> ImageInfo
    /// Decodes the image. For an animation, decodes the first frame; the image gives access to the others unless the options
    /// select the first only.
    /// Throws for damaged bytes, exceeded limits, and `cancelled`.
    func decode(_ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> Image
    /// Opens a decoder for bytes that arrive in pieces, and for frames; nil when the coder needs all bytes at the start.
    func open(options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> (any ImageDecoder)?
    /// Opens a decoder for a complete source that is read on demand; nil when the coder needs the bytes in memory.
    /// The source may be a file or a table of the host, read on any thread.
    func open(source: any ByteSource, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> (any ImageDecoder)?
    /// True if `encode` accepts the format.
    func canEncode(_ format: ImageFormat) -> Bool
    /// Encodes an image prepared by `CoderRegistry.encode`: a still if requested, and no larger than the requested size. The
    /// result is never empty.
    func encode(_ image: Image, format: ImageFormat, options: EncodeOptions, stop: CancellationToken) throws(ImageError) -> Bytes
}

/// Defaults of a coder that decodes complete files only.
extension ImageCoder {
    package var encodableFormats: [ImageFormat] { [] }
    package var origin: CoderOrigin { .library }
    package var isRisky: Bool { false }
    package func open(options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> (any ImageDecoder)? { nil }
    package func open(source: any ByteSource, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> (
        any ImageDecoder
    )? { nil }
    package func canEncode(_ format: ImageFormat) -> Bool { encodableFormats.contains(format) }
    package func encode(
        _ image: Image, format: ImageFormat, options: EncodeOptions, stop: CancellationToken
    ) throws(ImageError) -> Bytes {
        throw ImageError(.unsupported, "\(name): cannot encode \(format.name)")
    }
}

/// Properties read from headers, without decoding.
/// Values are those of the file; options of a decode do not change them.
package struct ImageInfo: Sendable {
    package var format: ImageFormat = .unknown
    /// Size as stored, before the orientation is applied.
    package var storedSize = PixelSize(width: 0, height: 0)
    /// The orientation that the file requests for display.
    package var orientation: Orientation = .up
    /// Frames of an animation; 1 for a still.
    package var frameCount = 1
    /// Number of plays; 0 = endless.
    package var loopCount = 0
    /// Duration of one play of all frames; 0 for a still.
    package var durationMilliseconds = 0
    package var hasAlpha = false
    /// Bits of one sample as stored.
    package var bitsPerChannel = 8
    package var channels = 3
    /// True for files that show a coarse image before all bytes have arrived.
    package var isProgressive = false
    package var hasColorProfile = false
    /// True for PQ and HLG, which exceed the white of a standard image.
    package var isHighDynamicRange = false
    /// Transfer characteristics of the samples (ITU-T H.273, table 3); 0 without code points.
    package var transfer: UInt8 = 0
    /// True for a gain map that can be applied.
    package var hasGainMap = false
    /// Headroom of the brightest rendition in stops; 0 for SDR.
    package var contentHeadroom = 0.0
    /// Pixels per inch; nil when the file does not specify them.
    package var dpi: Resolution?
    /// Metadata blocks as stored in the file, unpacked: a TIFF structure, an XMP packet, an ICC profile.
    package var exif: Bytes?
    package var xmp: Bytes?
    package var colorProfile: Bytes?
    /// Text such as comments and titles; a key may occur more than once.
    package var text: [(key: String, value: String)] = []
    /// Maximum number of texts.
    package static let mostTexts = 256
    /// Maximum number of bytes of all texts and their keys together, as the file stores them. Texts in Latin-1 may have twice as
    /// many in UTF-8.
    package static let mostTextBytes = 1 << 16

    package init() {}

    /// Size after the orientation is applied.
    package var displayedSize: PixelSize { orientation.swapsAxes ? storedSize.swapped : storedSize }
}
