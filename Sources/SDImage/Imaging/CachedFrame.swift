/// A frame as it is kept for those who play: a picture, or the indices of one, where the process is short of memory for frames.
package struct CachedFrame: Sendable {
    private enum Content { case image(Image), indexed(IndexedFrame) }

    private let content: Content
    /// Of the canvas that is kept to draw the next frame on, where the picture is another one: as it is kept, and as pixels.
    package let canvasBytes: Int
    package let canvasPictureBytes: Int

    package init(_ image: Image, canvas: PixelBuffer? = nil, indices: IndexedPixels? = nil) {
        content = .image(image)
        canvasPictureBytes = canvas?.heldBytes ?? 0
        canvasBytes = indices?.heldBytes ?? canvasPictureBytes
    }

    package init(_ pixels: IndexedPixels, _ metadata: ImageMetadata) {
        content = .indexed(IndexedFrame(pixels, metadata))
        (canvasBytes, canvasPictureBytes) = (0, 0)
    }

    /// A changed frame: what it came from stays where it is made.
    init(_ image: Image, from frame: CachedFrame) {
        content = .image(image)
        canvasBytes = max(frame.canvasBytes, frame.heldBytes)
        canvasPictureBytes = max(frame.canvasPictureBytes, frame.pictureBytes)
    }

    package var heldBytes: Int {
        switch content {
        case .image(let image): image.pixels.heldBytes
        case .indexed(let frame): frame.pixels.heldBytes
        }
    }

    /// What it takes as a picture.
    package var pictureBytes: Int {
        switch content {
        case .image(let image): image.pixels.heldBytes
        case .indexed(let frame): frame.pixels.pictureBytes
        }
    }

    package func image() throws(ImageError) -> Image {
        switch content {
        case .image(let image): image
        case .indexed(let frame): try frame.image()
        }
    }
}

/// A frame as indices; its picture is there while somebody has it.
private final class IndexedFrame: Sendable {
    private struct Shown { weak var image: Image? }

    let pixels: IndexedPixels
    private let metadata: ImageMetadata
    private let shown = Lock(Shown())

    init(_ pixels: IndexedPixels, _ metadata: ImageMetadata) {
        self.pixels = pixels
        self.metadata = metadata
    }

    /// The one that others have, or a new one.
    func image() throws(ImageError) -> Image {
        if let image = shown.withLock({ $0.image }) { return image }
        let made = Image(pixels: try pixels.pixels(), metadata: metadata)
        return shown.withLock { shown in
            // Another thread may have been faster.
            let image = shown.image ?? made
            shown.image = image
            return image
        }
    }
}
