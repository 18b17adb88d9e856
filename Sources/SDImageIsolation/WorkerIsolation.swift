import SDImage

/// The rule by which coders decode in worker processes. `CoderRegistry` asks it for each use of encoded bytes, with the coder
/// that it chose for them.
package struct WorkerIsolation: CoderIsolation {
    package init() {}

    package func coder(_ coder: any ImageCoder, options: DecodeOptions) throws(ImageError) -> any ImageCoder {
        switch options.isolation ?? Isolation.standard {
        case .none: return coder
        case .risky: guard coder.isRisky else { return coder }
        case .all: break
        }
        if let name = CoderName(coder) { return IsolatedCoder(coder, name) }
        // A coder of functions of the host cannot be made in another process.
        guard Isolation.decodesInProcess else {
            throw ImageError(.unsupported, "decoder process: coder \(coder.name) exists in this process only")
        }
        return coder
    }
}
