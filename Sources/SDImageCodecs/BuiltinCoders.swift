import SDImage

/// The coders of the core (docs/decisions.md, "Coders that are registered"). `Defaults` makes them once for the process.
package struct BuiltinCoders {
    /// One coder for each format, with all its features.
    package let formats: [any ImageCoder]
    /// The initial coders of every registry; the last is asked first. When the coder of an animated format is unregistered, the
    /// basic coder decodes its first frame.
    package let registered: [any ImageCoder]

    package init() {
        let (gif, png, webp) = (GIFCoder(), PNGCoder(), WebPCoder())
        formats = [JPEGCoder(), png, gif, webp, BMPCoder(), ICOCoder()]
        registered = [BasicCoder(formats), gif, APNGCoder(png), webp]
    }
}
