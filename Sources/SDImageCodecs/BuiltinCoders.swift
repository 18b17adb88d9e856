import SDImage

/// The coders of the core (docs/decisions.md, "Coders that are registered").
package struct BuiltinCoders {
    /// One for each format, which decodes all of it.
    package let formats: [any ImageCoder]
    /// What every registry starts with; the last is asked first. Where the coder of a moving format is taken out, the
    /// basic one shows its first frame.
    package let registered: [any ImageCoder]

    package init() {
        let (gif, png, webp) = (GIFCoder(), PNGCoder(), WebPCoder())
        formats = [JPEGCoder(), png, gif, webp, BMPCoder(), ICOCoder()]
        registered = [BasicCoder(formats), gif, APNGCoder(png), webp]
    }
}
