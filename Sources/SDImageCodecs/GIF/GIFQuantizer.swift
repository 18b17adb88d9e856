import SDImage
import SDImagePixels

/// Reduces each frame to a palette. libimagequant has another license (docs/decisions.md, "Colors of GIF are quantized here").
/// Used by one thread, for one frame after another: `palette`, `start`, then `map` for each row.
@safe final class GIFQuantizer {
    /// State of the kernel.
    private let memory: ScratchMemory
    /// Errors of error diffusion, for one row of the canvas.
    private let errors: ScratchMemory
    /// One row of indices.
    private let indices: ScratchMemory
    private let options: EncodeOptions
    private var clearIndex: UInt8 = 0

    /// Effort, 1 to 9, when the options give none.
    private static let standardEffort = 5

    /// Creates a quantizer for frames of at most this width.
    init(width: Int, _ options: EncodeOptions, account: WorkingMemory) throws(ImageError) {
        memory = try ScratchMemory(sdpx_quantizer_size(), zeroed: false)
        errors = try ScratchMemory(
            sdpx_quantizer_errors(width) * MemoryLayout<Int16>.stride, zeroed: false, account: account)
        indices = try ScratchMemory(width, zeroed: false, account: account)
        self.options = options
    }

    private var quantizer: OpaquePointer? { unsafe OpaquePointer(memory.bytes.baseAddress) }

    /// Returns red, green and blue of at most `colors` colors of opaque pixels; empty when all pixels are transparent.
    func palette(_ pixels: PixelBuffer, colors: Int, stop: CancellationToken) throws(ImageError) -> [UInt8] {
        unsafe sdpx_quantizer_start(quantizer)
        for y in 0..<pixels.size.height {
            if y % 64 == 0 { try stop.check() }
            guard let row = unsafe pixels.row(y)?.assumingMemoryBound(to: UInt8.self).baseAddress else { continue }
            unsafe sdpx_quantizer_add(quantizer, row, pixels.size.width, 1)
        }
        var palette = [UInt8](repeating: 0, count: 3 * 256)
        // A higher effort means more rounds of improvement.
        let rounds = Int32((options.effort ?? GIFQuantizer.standardEffort) - 1)
        let count = unsafe sdpx_quantizer_palette(quantizer, &palette, colors, rounds)
        return Array(palette.prefix(3 * count))
    }

    /// Starts a frame. Its rows must then be mapped in order.
    func start(_ palette: [UInt8], clearIndex: UInt8) {
        self.clearIndex = clearIndex
        unsafe sdpx_quantizer_use(quantizer, palette, palette.count / 3)
        unsafe sdpx_quantizer_diffuse(quantizer, options.dithering)
        unsafe errors.bytes.initializeMemory(as: UInt8.self, repeating: 0)
    }

    /// Returns the indices of a row, valid until the next call; transparent pixels become `clearIndex`.
    func map(_ pixels: PixelBuffer, _ y: Int) -> UnsafePointer<UInt8>? {
        guard let to = unsafe indices.bound(to: UInt8.self).baseAddress, pixels.size.width <= indices.count,
            let row = unsafe pixels.row(y)?.assumingMemoryBound(to: UInt8.self).baseAddress
        else { return nil }
        let dither = options.dithering > 0 ? SDPX_DITHER_DIFFUSION : SDPX_DITHER_NONE
        unsafe sdpx_quantizer_map(
            quantizer, to, row, pixels.size.width, y, 1, clearIndex, Int32(dither),
            errors.bound(to: Int16.self).baseAddress)
        return unsafe UnsafePointer(to)
    }
}
