/// A frame as it is kept for those who play: a picture, or the indices of one, where the process is short of memory for frames.
package enum KeptFrame: Sendable {
    case image(Image)
    case indexed(IndexedFrame)

    package var heldBytes: Int {
        switch self {
        case .image(let image): image.pixels.heldBytes
        case .indexed(let frame): frame.pixels.heldBytes
        }
    }

    /// What it takes as a picture.
    package var pictureBytes: Int {
        switch self {
        case .image(let image): image.pixels.heldBytes
        case .indexed(let frame): frame.pixels.pictureBytes
        }
    }

    package func image() throws(ImageError) -> Image {
        switch self {
        case .image(let image): image
        case .indexed(let frame): try frame.image()
        }
    }
}

/// A frame as indices; its picture is there while somebody has it.
package final class IndexedFrame: Sendable {
    private struct Shown { weak var image: Image? }

    let pixels: IndexedPixels
    private let metadata: ImageMetadata
    private let shown = Monitor(Shown())

    package init(_ pixels: IndexedPixels, _ metadata: ImageMetadata) {
        self.pixels = pixels
        self.metadata = metadata
    }

    /// The one that others have, or a new one.
    func image() throws(ImageError) -> Image {
        if let image = shown.withLock({ $0.image }) { return image }
        let image = Image(pixels: try pixels.pixels(), metadata: metadata)
        shown.withLock { $0.image = image }
        return image
    }
}
