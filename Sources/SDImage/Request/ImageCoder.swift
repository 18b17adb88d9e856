/// Turns bytes of one container format into pixels, and back.
///
/// Called on a worker of the pool; must be callable from several threads at once. Never does I/O. `stop` is the budget of
/// each call: parsers `spend` what they read, and no loop runs longer than about 50 ms without a `check`.
package protocol ImageCoder: AnyObject, Sendable {
    /// Name for messages and `doctor`, e.g. "jpeg".
    var name: String { get }
    /// Versions of the libraries behind it, for `doctor`, e.g. "libjpeg-turbo 2.1.5".
    var libraryVersion: String { get }
    /// Formats it claims to decode and encode, for `doctor`.
    var decodableFormats: [ImageFormat] { get }
    var encodableFormats: [ImageFormat] { get }

    /// True when the first bytes are this coder's; the next coder is asked otherwise.
    func canDecode(_ bytes: Bytes) -> Bool
    /// Reads headers only: size, frames, orientation. No pixel memory.
    func info(_ bytes: Bytes, options: DecodeOptions, stop: StopSignal) throws(ImageError) -> ImageInfo
    /// Decodes the picture: of an animation the first frame, with the others to be had from it unless the options want
    /// the first only.
    func decode(_ bytes: Bytes, options: DecodeOptions, stop: StopSignal) throws(ImageError) -> Image
    /// For bytes that arrive piece by piece, and for frames; nil when all bytes are needed at once.
    func open(options: DecodeOptions, stop: StopSignal) throws(ImageError) -> (any ImageDecoder)?
    /// The same for bytes that are read as needed, complete from the start; nil when the coder wants them in memory.
    func open(source: any ByteSource, options: DecodeOptions, stop: StopSignal) throws(ImageError) -> (any ImageDecoder)?
    func canEncode(_ format: ImageFormat) -> Bool
    /// Encodes a picture that was prepared (`CoderRegistry.encode`): a still where one was asked for, and no larger than
    /// wanted. Never empty.
    func encode(_ image: Image, format: ImageFormat, options: EncodeOptions, stop: StopSignal) throws(ImageError) -> Bytes
}

extension ImageCoder {
    package var encodableFormats: [ImageFormat] { [] }
    package func open(options: DecodeOptions, stop: StopSignal) throws(ImageError) -> (any ImageDecoder)? { nil }
    package func open(source: any ByteSource, options: DecodeOptions, stop: StopSignal) throws(ImageError) -> (any ImageDecoder)?
    { nil }
    package func canEncode(_ format: ImageFormat) -> Bool { encodableFormats.contains(format) }
    package func encode(
        _ image: Image, format: ImageFormat, options: EncodeOptions, stop: StopSignal
    ) throws(ImageError) -> Bytes {
        throw ImageError(.unsupported, "\(name) cannot encode \(format.name)")
    }
}

/// What a header says; nothing here was decoded.
package struct ImageInfo: Sendable {
    package var format: ImageFormat = .undefined
    /// As stored, before the orientation is applied.
    package var storedSize = PixelSize(width: 0, height: 0)
    package var orientation: Orientation = .up
    package var frameCount = 1
    package var loopCount = 0
    package var durationMilliseconds = 0
    package var hasAlpha = false
    package var bitsPerChannel = 8
    package var channels = 3
    package var isProgressive = false
    package var hasColorProfile = false
    /// Brighter than the white of a standard picture: PQ or HLG.
    package var isHighDynamicRange = false
    /// Pixels per inch; nil when the file does not say.
    package var dpi: Resolution?
    /// The blocks as the file has them, unpacked: a TIFF structure, an XML packet, an ICC profile.
    package var exif: Bytes?
    package var xmp: Bytes?
    package var colorProfile: Bytes?
    /// Comments, titles and the like; the same key may come twice.
    package var text: [(key: String, value: String)] = []

    package init() {}

    package var displayedSize: PixelSize { orientation.swapsAxes ? storedSize.swapped : storedSize }
}
