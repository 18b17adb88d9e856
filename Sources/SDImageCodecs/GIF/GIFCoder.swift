import SDImage

/// The first picture of a GIF by giflib, composed on the whole canvas as browsers do: the canvas starts clear, the
/// background colour is not used, a frame is clipped to the canvas.
package final class GIFCoder: ImageCoder {
    package init() {}

    package var name: String { "gif" }
    package var libraryVersion: String { GIFReader.libraryVersion }
    package var decodableFormats: [ImageFormat] { [.gif] }

    package func canDecode(_ bytes: Bytes) -> Bool { FormatSniffer.format(of: bytes) == .gif }

    package func info(_ bytes: Bytes, options: DecodeOptions) throws(ImageError) -> ImageInfo {
        let structure = GIFStructure(bytes, frameLimit: options.limits.frames)
        let frame = try GIFCoder.firstFrame(of: structure)
        var info = ImageInfo()
        info.format = .gif
        info.storedSize = structure.canvas
        info.frameCount = structure.frameCount
        info.loopCount = structure.loopCount
        info.durationMilliseconds = structure.durationMilliseconds
        info.hasAlpha = GIFCoder.hasAlpha(frame, canvas: structure.canvas)
        info.channels = info.hasAlpha ? 4 : 3
        info.isProgressive = frame.isInterlaced
        GIFMetadata(bytes, limits: options.limits).found.fill(&info)
        return info
    }

    package func decode(_ bytes: Bytes, options: DecodeOptions, stop: StopSignal) throws(ImageError) -> Image {
        let structure = GIFStructure(bytes, frameLimit: 1)
        let frame = try GIFCoder.firstFrame(of: structure)
        let plan = try DecodePlan(storedSize: structure.canvas, orientation: .up, options: options)
        let hasAlpha = GIFCoder.hasAlpha(frame, canvas: structure.canvas)
        let output = PixelFormat.resolved(source: hasAlpha ? .rgba8 : .rgb8, wanted: options.pixelFormat)
        let run = try GIFRun(
            bytes: bytes, frame: frame, plan: plan, hasAlpha: hasAlpha, output: output, options: options, stop: stop)
        let pixels = try run.decode()
        return Image(
            pixels: pixels,
            metadata: plan.metadata(format: .gif, pixels: output, hasAlpha: hasAlpha, orientation: .up, options: options))
    }

    private static func firstFrame(of structure: GIFStructure) throws(ImageError) -> GIFFrame {
        guard let frame = structure.firstFrame else { throw ImageError(.truncated, "gif: no picture in the bytes") }
        return frame
    }

    /// False when the frame paints every pixel of the canvas.
    private static func hasAlpha(_ frame: GIFFrame, canvas: PixelSize) -> Bool {
        let covers =
            frame.left == 0 && frame.top == 0 && frame.size.width >= canvas.width && frame.size.height >= canvas.height
        return !covers || frame.transparentIndex != nil
    }
}
