extension Image {
    /// The image, shrunk until the bitmaps of all its frames take at most `limit` bytes.
    /// Used by the C interface for hosts with a limit for the bitmaps of one image. Returns this image if it is small
    /// enough.
    package func limited(toBytes limit: Int, stop: CancellationToken) throws(ImageError) -> Image {
        let count = max(1, metadata.frameCount)
        let perPixel = pixels.format.bytesPerPixel
        // Fewer bytes than one pixel for each frame cannot be met at any size.
        guard limit / count >= perPixel else {
            throw ImageError(.invalidArgument, "image: \(limit) bytes hold no pixel of each of \(count) frames")
        }
        guard size.width * size.height > limit / count / perPixel else { return self }
        // A remaining orientation is applied before the image is resized.
        let displayed = metadata.orientation.swapsAxes ? size.swapped : size
        var box = displayed.limited(toBytes: limit, bytesPerPixel: perPixel, frames: count)
        // A very long or flat image keeps one pixel on its short side.
        if box.width * box.height > limit / count / perPixel {
            box =
                displayed.width > displayed.height
                ? PixelSize(width: limit / count / perPixel, height: 1) : PixelSize(width: 1, height: limit / count / perPixel)
        }
        // `fill`, because the box was rounded and its aspect ratio may differ slightly.
        let resize = try ResizeTransformer(
            width: Double(box.width) / metadata.scale, height: Double(box.height) / metadata.scale, mode: .fill)
        // Frames are resized on request, so that an animation is not decoded as a whole.
        return frames == nil
            ? try transformed(by: resize, stop: stop) : try framesTransformed(by: resize, stop: stop)
    }
}
