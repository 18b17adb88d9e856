import SDImage

/// The coder of a plug-in that may be installed beside the library; registered when a program loads all plug-ins.
package final class PluginCoder: ModuleBackedCoder {
    package let name: String
    let formats: [ImageFormat]
    package let module: Module

    package init(name: String, formats: [ImageFormat], library: String) {
        self.name = name
        self.formats = formats
        module = Module(
            name: name, library: .init(name: library, versionFunction: "sdimage_\(name)_library_version"),
            path: "\(ModuleFolder.plugins)/libsdimage-\(name).so.1")
    }

    /// Opens the plug-in, and registers its coder unless it is already registered. Coders that are isolated are opened in workers
    /// alone.
    package func load(into registry: CoderRegistry) throws(ImageError) {
        guard module.opened != nil || module.isInstalled else { throw ImageError(.notFound, "plug-in: \(name) is not installed") }
        // Without isolation, an error of the dynamic loader is reported here rather than by the first decode.
        if Isolation.standard == .none {
            do throws(ImageError) { _ = try module.coder() } catch { throw ImageError(.moduleMissing, error.message.string) }
        }
        if !registry.coders.contains(where: { $0 === self }) { registry.register(self) }
    }

    package var decodableFormats: [ImageFormat] { module.isUsable ? formats : [] }

    /// Never opens the plug-in.
    package func canDecode(_ bytes: Bytes) -> Bool {
        module.opened?.canDecode(bytes) ?? PluginSniffer.recognizes(bytes, name: name, formats: formats)
    }

    package func open(source: any ByteSource, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> (
        any ImageDecoder
    )? {
        try module.coder().open(source: source, options: options, stop: stop)
    }

    /// May open the plug-in: encoders are not isolated.
    package func canEncode(_ format: ImageFormat) -> Bool {
        guard formats.contains(format), module.isUsable else { return false }
        do throws(ImageError) { return try module.coder().canEncode(format) } catch { return false }
    }
}
