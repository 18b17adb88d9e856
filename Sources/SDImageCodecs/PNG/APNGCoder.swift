import SDImage

/// The PNG coder as the one of moving pictures alone, so that it can be taken out of a registry.
package final class APNGCoder: ImageCoder {
    private let png: PNGCoder

    package init(_ png: PNGCoder) { self.png = png }

    package var name: String { "apng" }
    package var libraryVersion: String { png.libraryVersion }
    package var decodableFormats: [ImageFormat] { [.png] }
    package var encodableFormats: [ImageFormat] { [.png] }

    /// Also while nothing says yet that the picture does not move: only its chunks before the pixels tell.
    package func canDecode(_ bytes: Bytes) -> Bool {
        png.canDecode(bytes) && (try? APNGStructure.isKnownStill(bytes, stop: StopSignal())) != true
    }

    package func info(_ bytes: Bytes, options: DecodeOptions, stop: StopSignal) throws(ImageError) -> ImageInfo {
        try png.info(bytes, options: options, stop: stop)
    }

    package func decode(_ bytes: Bytes, options: DecodeOptions, stop: StopSignal) throws(ImageError) -> Image {
        try png.decode(bytes, options: options, stop: stop)
    }

    package func open(options: DecodeOptions, stop: StopSignal) throws(ImageError) -> (any ImageDecoder)? {
        try png.open(options: options, stop: stop)
    }

    /// A picture that does not move becomes a still.
    package func encode(
        _ image: Image, format: ImageFormat, options: EncodeOptions, stop: StopSignal
    ) throws(ImageError) -> Bytes {
        guard let frames = image.frames, frames.frameCount > 1 else {
            return try png.encode(image, format: format, options: options, stop: stop)
        }
        return try APNGEncoder(options, stop: stop).encode(image, frames)
    }
}
