import SDImage

/// A built-in coder with heavy libraries in a module, a separate file opened on the first bytes of its formats
/// (docs/decisions.md, "Coders that are registered"): a program that never sees such bytes does not pay for them. `Defaults`
/// lists them.
package final class ModuleCoder: ModuleBackedCoder {
    package let name: String
    let formats: [ImageFormat]
    let module: Module

    package init(name: String, formats: [ImageFormat], library: Module.Library) {
        self.name = name
        self.formats = formats
        module = Module(name: name, library: library, path: "\(ModuleFolder.modules)/\(name).so")
    }

    /// Empty if the module is known to be unusable.
    package var decodableFormats: [ImageFormat] { module.isUsable ? formats : [] }

    /// Never opens the module.
    package func canDecode(_ bytes: Bytes) -> Bool { formats.contains(FormatSniffer.format(of: bytes)) }

    /// May open the module, and the library of the encoder, which reports the result.
    package func canEncode(_ format: ImageFormat) -> Bool {
        guard formats.contains(format), module.isUsable else { return false }
        do throws(ImageError) { return try module.coder().canEncode(format) } catch { return false }
    }
}
