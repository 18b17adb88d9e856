/// A frame cached for players: an image, or palette indices when the process is short of memory for frames.
/// Made by `FrameProvider.cachedFrame`, and held by `FramePool`.
package struct CachedFrame: Sendable {
    private enum Content { case image(Image), indexed(IndexedFrame) }

    private let content: Content
    /// Size of the canvas that is held to draw the next frame on, when the image is separate from it: as held, and as pixels.
    package let canvasBytes: Int
    package let canvasImageBytes: Int

    /// `canvas`: nil if the image itself is the canvas. `indices`: the form in which the canvas is held.
    package init(_ image: Image, canvas: PixelBuffer? = nil, indices: IndexedPixels? = nil) {
        content = .image(image)
        canvasImageBytes = canvas?.heldBytes ?? 0
        canvasBytes = indices?.heldBytes ?? canvasImageBytes
    }

    /// A frame that is only held as indices.
    package init(_ pixels: IndexedPixels, _ metadata: ImageMetadata) {
        content = .indexed(IndexedFrame(pixels, metadata))
        (canvasBytes, canvasImageBytes) = (0, 0)
    }

    /// A transformed frame. Its source frame stays allocated in the provider and is counted as canvas.
    init(_ image: Image, from frame: CachedFrame) {
        content = .image(image)
        canvasBytes = max(frame.canvasBytes, frame.heldBytes)
        canvasImageBytes = max(frame.canvasImageBytes, frame.imageBytes)
    }

    /// Bytes that the frame keeps allocated in its own form.
    package var heldBytes: Int {
        switch content {
        case .image(let image): image.pixels.heldBytes
        case .indexed(let frame): frame.pixels.heldBytes
        }
    }

    /// Bytes of the frame as an image.
    package var imageBytes: Int {
        switch content {
        case .image(let image): image.pixels.heldBytes
        case .indexed(let frame): frame.pixels.imageBytes
        }
    }

    /// For indices, allocates an image unless one exists.
    package func image() throws(ImageError) -> Image {
        switch content {
        case .image(let image): image
        case .indexed(let frame): try frame.image()
        }
    }
}

/// A frame as palette indices. Its image exists while another object holds a reference to it.
private final class IndexedFrame: Sendable {
    /// Wrapped, because a weak reference must be a variable under the lock.
    private struct Shown { weak var image: Image? }

    /// Never changes.
    let pixels: IndexedPixels
    private let metadata: ImageMetadata
    private let shown = Lock(Shown())

    init(_ pixels: IndexedPixels, _ metadata: ImageMetadata) {
        self.pixels = pixels
        self.metadata = metadata
    }

    /// The existing image, or a new one.
    func image() throws(ImageError) -> Image {
        if let image = shown.withLock({ $0.image }) { return image }
        let made = Image(pixels: try pixels.pixels(), metadata: metadata)
        return shown.withLock { shown in
            // Another thread may have stored an image in the meantime.
            let image = shown.image ?? made
            shown.image = image
            return image
        }
    }
}
