import SDImage
import SDImagePixels

/// Brings frames down to a palette each.
@safe final class GIFQuantizer {
    private let memory: ScratchMemory
    /// Of error diffusion, for a row of the canvas.
    private let errors: ScratchMemory
    private let indices: ScratchMemory
    private let options: EncodeOptions
    private var clearIndex: UInt8 = 0

    private static let standardEffort = 5

    /// For frames of at most this width.
    init(width: Int, _ options: EncodeOptions, account: WorkingMemory) throws(ImageError) {
        memory = try ScratchMemory(sdpx_quantizer_size(), zeroed: false)
        errors = try ScratchMemory(
            sdpx_quantizer_errors(width) * MemoryLayout<Int16>.stride, zeroed: false, account: account)
        indices = try ScratchMemory(width, zeroed: false, account: account)
        self.options = options
    }

    private var quantizer: OpaquePointer? { unsafe OpaquePointer(memory.bytes.baseAddress) }

    /// Red, green and blue of the colours of opaque pixels, at most `colors`; none where all are clear.
    func palette(_ pixels: PixelBuffer, colors: Int, stop: StopSignal) throws(ImageError) -> [UInt8] {
        unsafe sdpx_quantizer_start(quantizer)
        for y in 0..<pixels.size.height {
            if y % 64 == 0 { try stop.check() }
            guard let row = unsafe pixels.row(y)?.assumingMemoryBound(to: UInt8.self).baseAddress else { continue }
            unsafe sdpx_quantizer_add(quantizer, row, pixels.size.width, 1)
        }
        var palette = [UInt8](repeating: 0, count: 3 * 256)
        // With effort it is improved more often.
        let rounds = Int32((options.effort ?? GIFQuantizer.standardEffort) - 1)
        let count = unsafe sdpx_quantizer_palette(quantizer, &palette, colors, rounds)
        return Array(palette.prefix(3 * count))
    }

    /// Before the rows of a frame, which then come in their order.
    func start(_ palette: [UInt8], clearIndex: UInt8) {
        self.clearIndex = clearIndex
        unsafe sdpx_quantizer_use(quantizer, palette, palette.count / 3)
        unsafe sdpx_quantizer_diffuse(quantizer, options.dithering)
        unsafe errors.bytes.initializeMemory(as: UInt8.self, repeating: 0)
    }

    /// The indices of a row, valid until the next one; those of clear pixels are `clearIndex`.
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
