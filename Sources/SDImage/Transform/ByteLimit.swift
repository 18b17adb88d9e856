extension Image {
    /// The image, shrunk until the bitmaps of all its frames take at most `limit` bytes.
    package func limited(toBytes limit: Int, stop: CancellationToken) throws(ImageError) -> Image {
        let count = max(1, metadata.frameCount)
        let perPixel = pixels.format.bytesPerPixel
        guard limit / count >= perPixel else {
            throw ImageError(.invalidArgument, "image: \(limit) bytes hold no pixel of each of \(count) frames")
        }
        guard size.width * size.height > limit / count / perPixel else { return self }
        var box = size.limited(toBytes: limit, bytesPerPixel: perPixel, frames: count)
        // A very long or flat image keeps one pixel on its short side.
        if box.width * box.height > limit / count / perPixel {
            box =
                size.width > size.height
                ? PixelSize(width: limit / count / perPixel, height: 1) : PixelSize(width: 1, height: limit / count / perPixel)
        }
        let resize = try ResizeTransformer(
            width: Double(box.width) / metadata.scale, height: Double(box.height) / metadata.scale, mode: .fill)
        return frames == nil
            ? try transformed(by: resize, stop: stop) : try framesTransformed(by: resize, stop: stop)
    }
}
