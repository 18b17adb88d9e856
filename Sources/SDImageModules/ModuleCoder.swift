import CSDImage
import Glibc
import SDImage

/// A built-in coder with heavy libraries in a module, a separate file opened on the first bytes of its formats
/// (docs/decisions.md, "Coders that are registered"): a program that never sees such bytes does not pay for them.
package final class ModuleCoder: ImageCoder {
    package let name: String
    private let formats: [ImageFormat]
    private let module: Module

    package init(name: String, formats: [ImageFormat], library: Module.Library) {
        self.name = name
        self.formats = formats
        module = Module(name: name, library: library, path: "\(ModuleFolder.modules)/\(name).so")
    }

    package var libraryVersion: String { module.report }
    /// Empty if the module is known to be unusable.
    package var decodableFormats: [ImageFormat] { module.isUsable ? formats : [] }

    /// Empty before the module is opened: the formats that it encodes depend on the libraries that it finds.
    package var encodableFormats: [ImageFormat] { module.opened.map { coder in formats.filter(coder.canEncode) } ?? [] }

    /// Never opens the module.
    package func canDecode(_ bytes: Bytes) -> Bool { formats.contains(FormatSniffer.format(of: bytes)) }

    package func info(_ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> ImageInfo {
        try module.coder().info(bytes, options: options, stop: stop)
    }

    package func decode(_ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> Image {
        try module.coder().decode(bytes, options: options, stop: stop)
    }

    package func open(options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> (any ImageDecoder)? {
        try module.coder().open(options: options, stop: stop)
    }

    /// May open the module, and the library of the encoder, which reports the result.
    package func canEncode(_ format: ImageFormat) -> Bool {
        guard formats.contains(format), module.isUsable else { return false }
        do throws(ImageError) { return try module.coder().canEncode(format) } catch { return false }
    }

    package func encode(
        _ image: Image, format: ImageFormat, options: EncodeOptions, stop: CancellationToken
    ) throws(ImageError) -> Bytes {
        try module.coder().encode(image, format: format, options: options, stop: stop)
    }
}
