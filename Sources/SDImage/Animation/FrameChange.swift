/// A transformation of every frame, with a key that identifies it.
/// Made from a transformer, or from another function.
package struct FrameChange: Sendable {
    /// Part of the identity of frames, so equal keys must mean equal results.
    package let key: String
    /// The transformer that changes the frames; nil for any other function.
    package private(set) var transformer: (any ImageTransformer)?
    /// Called on workers, and on threads of the host.
    package let apply: @Sendable (Image, CancellationToken) throws(ImageError) -> Image

    package init(key: String, apply: @escaping @Sendable (Image, CancellationToken) throws(ImageError) -> Image) {
        self.key = key
        self.apply = apply
    }
}

extension FrameChange {
    package init(_ transformer: any ImageTransformer) {
        self.init(key: transformer.key) { frame, stop throws(ImageError) in
            try frame.transformed(by: transformer, stop: stop)
        }
        self.transformer = transformer
    }
}
