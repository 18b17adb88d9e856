import SDImage
import SDImagePixels

/// Writes stills and animations. Each frame has its own palette and draws only what changed.
///
/// Holds three frames and the memory of a quantizer. The LZW encoder and decoder are part of this project. `GIFCoder` makes one
/// for each encode, on its thread.
struct GIFEncoder {
    private let options: EncodeOptions
    private let stop: CancellationToken
    private let account: WorkingMemory

    init(_ options: EncodeOptions, stop: CancellationToken) {
        self.options = options
        self.stop = stop
        account = options.account
    }

    /// Throws `tooLarge` for sides beyond 65,535 pixels, `invalidArgument` for a frame of another size than the image.
    func encode(_ original: Image) throws(ImageError) -> Bytes {
        guard max(original.size.width, original.size.height) <= UInt16.max else {
            throw .tooLarge(
                "gif: longer side of \(original.size.width)x\(original.size.height) pixels", limit: Int(UInt16.max))
        }
        // GIF stores neither orientation nor color space.
        var fitting = DecodeOptions()
        // Rows of stills without alpha are converted one by one, without a bitmap of four times their size.
        let isPlain = original.frames == nil && (original.pixels.format == .gray8 || original.pixels.format == .rgb8)
        fitting.pixelFormat = isPlain ? nil : .rgba8
        let image = try original.convertedToSRGB(fitting, stop: stop)
        let count = image.frames.map { max(1, $0.frameCount) } ?? 1
        let quantizer = try GIFQuantizer(width: image.size.width, options, account: account)
        var delays = GIFDelay()
        // The disposal of a frame depends on the next one, so each is planned with the next at hand.
        var following = try shown(image, at: 1, of: count)
        var plan = try GIFFrameDelta(try opaque(image), before: nil, after: following, account: account)
        var palette = try palette(of: plan, quantizer)
        // The palette of the first frame becomes the global one.
        var file = try GIFWriter(image.size, palette: palette.entries)
        if count > 1 { try file.loops(options.loopCount ?? image.metadata.loopCount) }
        for index in 0..<count {
            let delay = count > 1 ? delays.centiseconds(of: image.frames?.durationMilliseconds(at: index) ?? 0) : 0
            try file.control(centiseconds: delay, disposal: plan.disposal, clearIndex: palette.clearIndex)
            try write(plan, palette, quantizer, to: &file)
            guard let next = following else { break }
            following = try shown(image, at: index + 2, of: count)
            plan = try GIFFrameDelta(next, before: plan.rest, after: following, account: account)
            palette = try self.palette(of: plan, quantizer)
        }
        return try file.finish()
    }

    // MARK: Frames

    /// Returns a frame; nil after the last.
    private func shown(_ image: Image, at index: Int, of count: Int) throws(ImageError) -> PixelBuffer? {
        guard index < count else { return nil }
        let frame = try image.frame(at: index, stop: stop)
        guard frame.size == image.size else {
            throw ImageError(
                .invalidArgument, "gif: frame \(index) is \(frame.size.width)x\(frame.size.height) pixels, unlike the first")
        }
        return try opaque(frame)
    }

    /// Returns pixels with an alpha of at least one half as opaque, and 0 for the others.
    private func opaque(_ frame: Image) throws(ImageError) -> PixelBuffer {
        let rows = try ImageRows(frame.withoutIdleAlpha().pixels, as: .rgba8)
        let buffer = try PixelBuffer(size: frame.size, format: .rgba8, limit: Int.max, account: account)
        for y in 0..<frame.size.height {
            guard let to = unsafe buffer.mutableRow(y)?.assumingMemoryBound(to: UInt32.self).baseAddress,
                let row = unsafe rows.row(y)?.assumingMemoryBound(to: UInt8.self).baseAddress
            else { continue }
            unsafe sdpx_threshold_alpha(to, row, frame.size.width)
        }
        return buffer
    }

    // MARK: Colors and data

    /// The colors of a frame.
    private struct Palette {
        /// Colors of opaque pixels.
        let colors: [UInt8]
        /// The index of transparent pixels; nil when there are none.
        let clearIndex: UInt8?

        /// The palette to store; the entry for transparent pixels comes last.
        var entries: [UInt8] { clearIndex == nil ? colors : colors + [0, 0, 0] }
    }

    /// Chooses the colors of a frame, at most those of the options. Transparent pixels need one entry.
    private func palette(of plan: GIFFrameDelta, _ quantizer: GIFQuantizer) throws(ImageError) -> Palette {
        let isClear = plan.hasClearPixels
        let most = options.maxColors - (isClear ? 1 : 0)
        let found = try quantizer.palette(plan.pixels, colors: max(1, most), stop: stop)
        let colors = found.isEmpty ? [0, 0, 0] : found
        return Palette(colors: colors, clearIndex: isClear ? UInt8(truncatingIfNeeded: colors.count / 3) : nil)
    }

    /// Writes the image of a frame: its pixels become indices, which are compressed row by row.
    private func write(
        _ plan: GIFFrameDelta, _ palette: Palette, _ quantizer: GIFQuantizer, to file: inout GIFWriter
    ) throws(ImageError) {
        let memory = try ScratchMemory(sdpx_lzw_writer_size(), zeroed: false)
        let writer = unsafe OpaquePointer(memory.bytes.baseAddress)
        let bits = try file.frame(plan.area, palette: palette.entries)
        unsafe sdpx_lzw_writer_start(writer, UInt32(bits))
        let width = plan.area.size.width
        // Without transparent pixels, the clear index is never used.
        quantizer.start(palette.colors, clearIndex: palette.clearIndex ?? 0)
        for y in 0..<plan.area.size.height {
            if y % 64 == 0 { try stop.check() }
            guard let indices = unsafe quantizer.map(plan.pixels, y) else { continue }
            unsafe try file.data(upTo: sdpx_lzw_writer_bound(width)) { room in
                guard let to = room.baseAddress else { return 0 }
                return unsafe sdpx_lzw_write(writer, to, indices, width)
            }
        }
        unsafe try file.data(upTo: sdpx_lzw_writer_bound(0)) { room in
            guard let to = room.baseAddress else { return 0 }
            return unsafe sdpx_lzw_writer_finish(writer, to)
        }
        withExtendedLifetime(memory) {}
    }
}

/// Converts durations to hundredths of a second. Rounding errors carry over to the following frames, so that frames keep their
/// start times.
private struct GIFDelay {
    /// Milliseconds of the frames so far.
    private var elapsed = 0
    /// Hundredths of a second of the frames so far.
    private var stored = 0

    /// Minimum duration: players display shorter frames ten times as long.
    private static let shortest = 2

    /// Returns the delay to store for the next frame.
    mutating func centiseconds(of milliseconds: Int) -> Int {
        elapsed += min(max(0, milliseconds), Int(Int32.max))
        let delay = min(max((elapsed + 5) / 10 - stored, GIFDelay.shortest), Int(UInt16.max))
        stored += delay
        return delay
    }
}
