import SDImage

extension FrameCompositor {
    /// Composes a frame and returns it as the image that the output describes. `metadata` is that of all frames.
    ///
    /// Call it on the stored property: a copy of the compositor would be a second owner, and every kept canvas would be copied.
    package mutating func frame(
        at index: Int, painter: some FramePainter, output: CanvasOutput, metadata: ImageMetadata, isCached: Bool,
        stop: CancellationToken
    ) throws(ImageError) -> CachedFrame {
        let canvas = try canvas(at: index, painter: painter, stop: stop)
        for opaque in painter.opaqueFrames { setOpaque(at: opaque) }
        var metadata = metadata
        metadata.hasAlpha = metadata.hasAlpha && !isOpaque(at: index)
        return try output.frame(canvas, isCached ? indices(of: canvas, at: index) : nil, metadata, stop: stop)
    }

    /// Appends the frames that were found since the last call; `all` contains the layouts of all frames. Does not visit the
    /// others: a file of many frames may arrive in as many pieces.
    package mutating func append(newOf all: some RandomAccessCollection<FrameLayout>) {
        for layout in all.dropFirst(layouts.count) { append(layout) }
    }
}
