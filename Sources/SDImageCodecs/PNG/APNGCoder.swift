import SDImage

/// The PNG coder as a separate coder for animations, so that animation support can be unregistered. A registry asks
/// it before the basic coder, which decodes the first frame without it.
package final class APNGCoder: ImageCoder {
    private let png: PNGCoder

    package init(_ png: PNGCoder) { self.png = png }

    package var name: String { "apng" }
    package var libraryVersion: String { png.libraryVersion }
    package var decodableFormats: [ImageFormat] { [.png] }
    package var encodableFormats: [ImageFormat] { [.png] }

    /// True also while it is unknown whether the image is animated: only the chunks before the image data tell.
    package func canDecode(_ bytes: Bytes) -> Bool {
        png.canDecode(bytes) && (try? APNGContainer.isKnownStill(bytes, stop: CancellationToken())) != true
    }

    package func info(_ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> ImageInfo {
        try png.info(bytes, options: options, stop: stop)
    }

    package func decode(_ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> Image {
        try png.decode(bytes, options: options, stop: stop)
    }

    package func open(options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> (any ImageDecoder)? {
        try png.open(options: options, stop: stop)
    }

    /// Encodes an animation; an image with one frame is encoded as a still.
    package func encode(
        _ image: Image, format: ImageFormat, options: EncodeOptions, stop: CancellationToken
    ) throws(ImageError) -> Bytes {
        guard let frames = image.frames, frames.frameCount > 1 else {
            return try png.encode(image, format: format, options: options, stop: stop)
        }
        // PNG has no place for a gain map.
        try options.refuseGainMap(format)
        return try APNGEncoder(options, stop: stop).encode(image, frames)
    }
}
