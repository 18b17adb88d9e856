import CSDImage
import Glibc
import SDImage

/// A built-in coder whose heavy libraries lie in a module, a file of its own that is opened when bytes of its formats are
/// first to be read (docs/decisions.md, "Coders that are registered"): no program pays for them that never sees such bytes.
final class ModuleCoder: ImageCoder {
    let name: String
    private let formats: [ImageFormat]
    private let module: Module

    init(name: String, formats: [ImageFormat], library: Module.Library) {
        self.name = name
        self.formats = formats
        module = Module(name: name, library: library, path: "\(ModuleFolder.modules)/\(name).so")
    }

    var libraryVersion: String { module.report }
    /// None when it is known that the module cannot be opened.
    var decodableFormats: [ImageFormat] { module.isUsable ? formats : [] }

    /// None before the module was opened: what it encodes depends on the libraries that it finds.
    var encodableFormats: [ImageFormat] { module.opened.map { coder in formats.filter(coder.canEncode) } ?? [] }

    /// Never opens the module.
    func canDecode(_ bytes: Bytes) -> Bool { formats.contains(FormatSniffer.format(of: bytes)) }

    func info(_ bytes: Bytes, options: DecodeOptions, stop: StopSignal) throws(ImageError) -> ImageInfo {
        try module.coder().info(bytes, options: options, stop: stop)
    }

    func decode(_ bytes: Bytes, options: DecodeOptions, stop: StopSignal) throws(ImageError) -> Image {
        try module.coder().decode(bytes, options: options, stop: stop)
    }

    func open(options: DecodeOptions, stop: StopSignal) throws(ImageError) -> (any ImageDecoder)? {
        try module.coder().open(options: options, stop: stop)
    }

    /// May open the module, and the library of the encoder, which says so.
    func canEncode(_ format: ImageFormat) -> Bool {
        guard formats.contains(format), module.isUsable else { return false }
        do throws(ImageError) { return try module.coder().canEncode(format) } catch { return false }
    }

    func encode(
        _ image: Image, format: ImageFormat, options: EncodeOptions, stop: StopSignal
    ) throws(ImageError) -> Bytes {
        try module.coder().encode(image, format: format, options: options, stop: stop)
    }
}
