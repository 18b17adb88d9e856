/// An immutable picture: pixels by reference, and what is known about them.
package final class Image: Sendable {
    package let pixels: PixelBuffer
    package let metadata: ImageMetadata

    package init(pixels: PixelBuffer, metadata: ImageMetadata) {
        self.pixels = pixels
        self.metadata = metadata
    }

    package var size: PixelSize { pixels.size }

    /// Bytes of the bitmap over all frames (spec IMG-5), unless set by hand.
    package var memoryCost: Int { metadata.memoryCost ?? pixels.byteCount }

    /// The same pixels under other metadata.
    package func with(_ metadata: ImageMetadata) -> Image { Image(pixels: pixels, metadata: metadata) }
}

/// What is known about a picture beside its pixels (spec 3.1).
package struct ImageMetadata: Sendable {
    package var format: ImageFormat = .undefined
    /// Pixels per point, at least 1.
    package var scale = 1.0
    /// How the pixels must still be turned; `up` once applied.
    package var orientation: Orientation = .up
    /// False when no pixel can be transparent although the format has an alpha channel.
    package var hasAlpha = false
    package var frameCount = 1
    /// 0 = for ever; 0 for stills.
    package var loopCount = 0
    /// Sum of the frame durations in milliseconds; 0 for stills.
    package var durationMilliseconds = 0
    package var isIncremental = false
    /// A thumbnail size was asked for, whether or not it shrank anything.
    package var isThumbnail = false
    /// Pixel size of the encoded picture, as displayed; equal to the image's own for a full decode.
    package var sourceSize: PixelSize?
    /// The embedded ICC profile, kept when the pixels were not converted to sRGB.
    package var colorProfile: Bytes?
    /// The colour space by code points, kept when the pixels were not converted to sRGB. Wins over the profile.
    package var cicp: CodePoints?
    /// The pixels may be brighter than the white of a standard picture: they were left in PQ or HLG, or became light.
    package var isHighDynamicRange = false
    /// Replaces the computed cost.
    package var memoryCost: Int?
    /// A value of the host, stored with the disk entry.
    package var extendedData: Bytes?

    package init() {}
}
