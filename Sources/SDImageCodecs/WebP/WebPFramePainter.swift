import Glibc
import SDImage
import SDImagePixels

/// Draws the frames of a WebP animation, with the same pixels as libwebp's own animation decoder. `FrameCompositor` calls it,
/// under the lock of the decoder; functions that `decoder` returned run on any thread (`FramesAhead`).
@safe struct WebPFramePainter: FramePainter {
    /// Properties of frames found while drawing.
    private final class Findings: Sendable {
        let opaque = Lock<[Int]>([])
    }

    /// The file.
    let bytes: Bytes
    /// Complete frames; those before the drawn one determine what it is drawn on.
    let frames: [WebPFrame]
    /// Format of the canvas: straight or premultiplied.
    let format: PixelFormat
    let limits: DecodeLimits
    /// Shared by copies of this painter.
    private let findings = Findings()

    init(bytes: Bytes, frames: [WebPFrame], format: PixelFormat, limits: DecodeLimits) {
        self.bytes = bytes
        self.frames = frames
        self.format = format
        self.limits = limits
    }

    /// Frames without a transparent pixel although they have an alpha channel.
    var opaqueFrames: [Int] { findings.opaque.withLock { $0 } }

    func paint(_ index: Int, onto canvas: FrameCanvas, stop: CancellationToken) throws(ImageError) -> Bool {
        guard frames.indices.contains(index) else { throw .noFrame(index, of: frames.count) }
        let frame = frames[index]
        try frame.coded.checkLimits(limits)
        if frame.isKey || frame.layout.overwrites {
            try replace(frame, on: canvas, tolerant: false, stop: stop)
        } else {
            blend(index, try decode(frame, stop), onto: canvas)
        }
        return true
    }

    func decoder(of index: Int) -> (@Sendable (CancellationToken) -> PixelBuffer?)? {
        guard frames.indices.contains(index) else { return nil }
        // The closure keeps a painter of this frame only.
        let painter = WebPFramePainter(bytes: bytes, frames: [frames[index]], format: format, limits: limits)
        // The calling thread decodes the frame again and reports the error.
        return { stop in try? painter.decode(painter.frames[0], stop) }
    }

    func paint(_ index: Int, from pixels: PixelBuffer, onto canvas: FrameCanvas) throws(ImageError) {
        let frame = frames[index]
        // Blending with a transparent canvas gives the frame itself.
        guard frame.isKey || frame.layout.overwrites else { return blend(index, pixels, onto: canvas) }
        for y in 0..<pixels.size.height {
            guard let from = unsafe pixels.row(y), let to = unsafe canvas.row(y), to.count == from.count else {
                throw .outsideOfCanvas
            }
            unsafe to.copyMemory(from: from)
        }
    }

    /// Decodes directly into the canvas. With `tolerant`, missing rows stay unchanged.
    func replace(
        _ frame: WebPFrame, on canvas: FrameCanvas, tolerant: Bool, stop: CancellationToken
    ) throws(ImageError) {
        let size = frame.layout.size
        // libwebp cannot clip: the frame must lie inside the canvas, as the format requires.
        guard canvas.visibleColumns == size.width, unsafe canvas.row(size.height - 1) != nil,
            let base = unsafe canvas.row(0)?.baseAddress
        else { throw .outsideOfCanvas }
        // libwebp writes the frame itself; the rows around it must be copied from the base before.
        canvas.settle()
        let target = unsafe WebPRowDecoder.Target(base: base, stride: canvas.stride, size: size, format: format)
        unsafe try decode(frame, into: target, tolerant: tolerant, stop: stop)
    }

    /// Decodes a frame into a buffer of its own.
    private func decode(_ frame: WebPFrame, _ stop: CancellationToken) throws(ImageError) -> PixelBuffer {
        try frame.coded.checkLimits(limits)
        let size = frame.layout.size
        let buffer = try PixelBuffer(size: size, format: format, limit: limits.workingBytes, account: limits.account)
        let target = unsafe WebPRowDecoder.Target(
            base: buffer.mutablePixels, stride: buffer.stride, size: size, format: format)
        unsafe try decode(frame, into: target, tolerant: false, stop: stop)
        return buffer
    }

    /// Blends a frame, and records if all of its pixels are opaque.
    private func blend(_ index: Int, _ pixels: PixelBuffer, onto canvas: FrameCanvas) {
        var isOpaque = true
        for y in 0..<pixels.size.height {
            guard let from = unsafe pixels.row(y), let to = unsafe canvas.row(y), to.count == from.count,
                let base = unsafe from.baseAddress?.assumingMemoryBound(to: UInt8.self)
            else { continue }
            isOpaque = unsafe isOpaque && sdpx_is_opaque(base, pixels.size.width) != 0
            unsafe blend(from, over: to, cleared: frames[index].clearedColumns(y))
        }
        if isOpaque { findings.opaque.withLock { $0.append(index) } }
    }

    private func decode(
        _ frame: WebPFrame, into target: WebPRowDecoder.Target, tolerant: Bool, stop: CancellationToken
    ) throws(ImageError) {
        guard let part = bytes.slice(frame.coded.data) else { throw ImageError(.truncated, "webp: data ends early") }
        let decoder = unsafe try WebPRowDecoder(frame.coded, into: target, hasAlpha: frame.coded.hasAlpha)
        try decoder.feed(part, stop: stop)
        let rows = try decoder.finish(tolerant: tolerant)
        guard frame.coded.isLossless, !frame.coded.hasAlpha else { return }
        // Lossless data contain alpha values even if the header declares them meaningless.
        for y in 0..<rows {
            let row = unsafe target.base + y * target.stride
            unsafe sdpx_make_opaque(row.assumingMemoryBound(to: UInt8.self), target.size.width)
        }
    }

    /// Blends a row. Pixels are copied where the canvas was cleared, because the arithmetic of blending is not exact there.
    private func blend(
        _ from: UnsafeRawBufferPointer, over to: UnsafeMutableRawBufferPointer, cleared: Range<Int>
    ) {
        guard let source = unsafe from.baseAddress?.assumingMemoryBound(to: UInt8.self),
            let target = unsafe to.baseAddress?.assumingMemoryBound(to: UInt8.self)
        else { return }
        let function = unsafe format.isPremultiplied ? sdpx_webp_over_row_premultiplied : sdpx_webp_over_row
        let (start, end) = (cleared.lowerBound * 4, cleared.upperBound * 4)
        unsafe function(target, source, cleared.lowerBound)
        unsafe memcpy(target + start, source + start, end - start)
        unsafe function(target + end, source + end, (to.count - end) / 4)
    }
}

extension ImageError {
    fileprivate static let outsideOfCanvas = ImageError(.badData, "webp: frame is outside of its canvas")
}
