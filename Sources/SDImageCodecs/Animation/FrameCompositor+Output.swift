import SDImage

extension FrameCompositor {
    /// Composes a frame and returns it as the image that the output describes. `metadata` is that of all frames.
    ///
    /// Call it on the stored property: a copy of the compositor would be a second owner, and every kept canvas would be copied.
    package mutating func frame(
        at index: Int, painter: any FramePainter, output: CanvasOutput, metadata: ImageMetadata, isCached: Bool,
        stop: CancellationToken
    ) throws(ImageError) -> CachedFrame {
        let canvas = try canvas(at: index, painter: painter, isPaced: isCached, stop: stop)
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

    /// Returns the byte count of a canvas; refuses one beyond the limits.
    package static func byteCount(_ size: PixelSize, limits: DecodeLimits) throws(ImageError) -> Int {
        guard !size.isEmpty else { throw ImageError(.badData, "animation: empty canvas \(size.width)x\(size.height)") }
        guard let area = size.pixelCount, area <= limits.heldPixels else {
            throw .tooLarge("animation: canvas of \(size.width)x\(size.height) pixels", limit: limits.heldPixels)
        }
        let stride = try PixelBuffer.stride(width: size.width, format: .rgba8)
        let (bytes, overflow) = stride.multipliedReportingOverflow(by: size.height)
        guard !overflow, bytes <= limits.workingBytes else {
            throw .tooLarge("animation: working memory in bytes", limit: limits.workingBytes)
        }
        return bytes
    }
}
