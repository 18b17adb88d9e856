import CWebP
import SDImage

/// The container around WebP pictures (RFC 9649) and the decoding of one of its bitstreams: the only user of libwebp.
@safe final class WebPStream {
    /// One picture of the container: a still, or a frame of an animation with its place on the canvas.
    struct Frame {
        let bytes: Bytes
        let x: Int
        let y: Int
        let size: PixelSize
        let hasAlpha: Bool
        let isLossless: Bool
    }

    /// Where libwebp writes pixels: rows of `stride` bytes, of the size given to `decode`.
    @unsafe struct Target {
        let base: UnsafeMutableRawPointer
        let stride: Int
        let size: PixelSize
        let format: PixelFormat
        /// False: colour is not multiplied by alpha whatever the format, because alpha means nothing.
        let hasAlpha: Bool
    }

    private let bytes: Bytes
    /// Nil where only the header of a truncated still is there.
    private let demuxer: OpaquePointer?
    let canvas: PixelSize
    let isAnimated: Bool
    let hasAlpha: Bool
    let isLossless: Bool
    /// The container is there to its end.
    let isComplete: Bool

    static var libraryVersion: String {
        let version = WebPGetDecoderVersion()
        return "libwebp \(version >> 16).\(version >> 8 & 255).\(version & 255)"
    }

    init(_ bytes: Bytes) throws(ImageError) {
        guard !bytes.isEmpty else { throw ImageError(.emptyData, "no data") }
        let features = try WebPStream.features(bytes)
        self.bytes = bytes
        var data = unsafe WebPData(bytes: bytes.pointer?.assumingMemoryBound(to: UInt8.self), size: bytes.count)
        var state = WEBP_DEMUX_PARSING_HEADER
        unsafe demuxer = WebPDemuxPartial(&data, &state)
        canvas = PixelSize(width: Int(features.width), height: Int(features.height))
        isAnimated = features.has_animation != 0
        hasAlpha = features.has_alpha != 0
        isLossless = features.format == 2
        isComplete = state == WEBP_DEMUX_DONE
        if isAnimated, unsafe demuxer == nil {
            throw ImageError(state == WEBP_DEMUX_PARSE_ERROR ? .badData : .truncated, "unreadable WebP animation")
        }
    }

    deinit { unsafe WebPDemuxDelete(demuxer) }

    var frameCount: Int { isAnimated ? unsafe Int(WebPDemuxGetI(demuxer, WEBP_FF_FRAME_COUNT)) : 1 }
    /// 0 = for ever; 0 for stills too.
    var loopCount: Int { isAnimated ? unsafe Int(WebPDemuxGetI(demuxer, WEBP_FF_LOOP_COUNT)) : 0 }

    /// The still, or the first frame.
    func firstFrame() throws(ImageError) -> Frame {
        guard isAnimated else {
            return Frame(bytes: bytes, x: 0, y: 0, size: canvas, hasAlpha: hasAlpha, isLossless: isLossless)
        }
        var iterator = unsafe WebPIterator()
        guard unsafe WebPDemuxGetFrame(demuxer, 1, &iterator) != 0 else {
            throw ImageError(.truncated, "WebP animation without a frame")
        }
        defer { unsafe WebPDemuxReleaseIterator(&iterator) }
        guard let part = unsafe slice(iterator.fragment) else { throw ImageError(.badData, "WebP frame outside its file") }
        let features = try WebPStream.features(part)
        return unsafe Frame(
            bytes: part, x: Int(iterator.x_offset), y: Int(iterator.y_offset),
            size: PixelSize(width: Int(features.width), height: Int(features.height)), hasAlpha: features.has_alpha != 0,
            isLossless: features.format == 2)
    }

    /// Durations as stored, of at most `limit` frames.
    func durations(limit: Int) -> [Int] {
        guard isAnimated else { return [] }
        var result: [Int] = []
        var iterator = unsafe WebPIterator()
        var more = unsafe WebPDemuxGetFrame(demuxer, 1, &iterator)
        while more != 0, result.count < limit {
            unsafe result.append(Int(iterator.duration))
            more = unsafe WebPDemuxNextFrame(&iterator)
        }
        unsafe WebPDemuxReleaseIterator(&iterator)
        return result
    }

    /// A metadata chunk of at most `limit` bytes, e.g. "ICCP".
    func chunk(_ name: StaticString, limit: Int) -> Bytes? {
        guard unsafe demuxer != nil else { return nil }
        var iterator = unsafe WebPChunkIterator()
        let text = unsafe UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
        guard unsafe WebPDemuxGetChunk(demuxer, text, 1, &iterator) != 0 else { return nil }
        defer { unsafe WebPDemuxReleaseChunkIterator(&iterator) }
        return unsafe iterator.chunk.size <= limit ? slice(iterator.chunk) : nil
    }

    private func slice(_ data: WebPData) -> Bytes? {
        guard let start = unsafe data.bytes, let base = unsafe bytes.pointer else { return nil }
        let offset = unsafe UnsafeRawPointer(start) - base
        let (end, overflow) = unsafe offset.addingReportingOverflow(data.size)
        return overflow || offset < 0 || end < offset ? nil : bytes.slice(offset..<end)
    }

    private static func features(_ bytes: Bytes) throws(ImageError) -> WebPBitstreamFeatures {
        var features = WebPBitstreamFeatures()
        let code = unsafe WebPGetFeatures(bytes.pointer?.assumingMemoryBound(to: UInt8.self), bytes.count, &features)
        try check(code)
        guard features.width > 0, features.height > 0 else { throw ImageError(.badData, "picture without pixels") }
        return features
    }

    static func check(_ code: VP8StatusCode) throws(ImageError) {
        switch code {
        case VP8_STATUS_OK: return
        case VP8_STATUS_OUT_OF_MEMORY: throw ImageError(.noMemory, "libwebp was refused memory", libraryCode: 1)
        case VP8_STATUS_NOT_ENOUGH_DATA, VP8_STATUS_SUSPENDED: throw ImageError(.truncated, "WebP data end early")
        case VP8_STATUS_UNSUPPORTED_FEATURE: throw ImageError(.unsupported, "WebP feature not supported")
        default: throw ImageError(.badData, "bad WebP data", libraryCode: Int32(bitPattern: code.rawValue))
        }
    }
}

extension WebPStream {
    /// Bytes given to the decoder between two looks at the stop signal: not fewer than a sixteenth of all, because a
    /// lossless decoder that has to wait repeats up to eight rows.
    private static func step(of total: Int) -> Int { max(1 << 16, total / 16 + 1) }
    /// From this many pixels on the filter may run on a thread of its own; it loses below.
    private static let threadsFrom = 500_000

    /// Decodes a frame, scaled to the target's size, and gives the rows that are there: all, unless `tolerant`.
    static func decode(_ frame: Frame, to target: Target, tolerant: Bool, stop: StopSignal) throws(ImageError) -> Int {
        var config = unsafe WebPDecoderConfig()
        guard unsafe WebPInitDecoderConfig(&config) != 0, let mode = unsafe mode(target.format, hasAlpha: target.hasAlpha) else {
            throw ImageError(.internalError, "libwebp of another version")
        }
        let size = unsafe target.size
        // Where all processors compute already, handing rows over costs a seventh and gains nothing. Large pictures are
        // too rare to be what keeps them busy.
        let pixels = frame.size.pixelCount ?? Int.max
        let mayThread = pixels >= 8 * threadsFrom || pixels >= threadsFrom && RunQueue.hasIdleProcessor
        unsafe config.options.use_threads = mayThread ? 1 : 0
        if size != frame.size {
            unsafe config.options.use_scaling = 1
            unsafe config.options.scaled_width = Int32(clamping: size.width)
            unsafe config.options.scaled_height = Int32(clamping: size.height)
            // Each pixel of the result is the mean of many: what these passes would change cannot be seen.
            if frame.size.width / size.width >= 4, frame.size.height / size.height >= 4 {
                unsafe config.options.bypass_filtering = 1
                unsafe config.options.no_fancy_upsampling = 1
            }
        }
        unsafe config.output.colorspace = mode
        unsafe config.output.is_external_memory = 1
        unsafe config.output.u.RGBA.rgba = target.base.assumingMemoryBound(to: UInt8.self)
        unsafe config.output.u.RGBA.stride = Int32(clamping: target.stride)
        unsafe config.output.u.RGBA.size = target.stride * (size.height - 1) + size.width * target.format.bytesPerPixel
        return unsafe try run(&config, frame.bytes, rows: size.height, tolerant: tolerant, stop: stop)
    }

    private static func run(
        _ config: inout WebPDecoderConfig, _ bytes: Bytes, rows: Int, tolerant: Bool, stop: StopSignal
    ) throws(ImageError) -> Int {
        guard let base = unsafe bytes.pointer?.assumingMemoryBound(to: UInt8.self) else {
            throw ImageError(.emptyData, "no data")
        }
        guard let decoder = unsafe WebPIDecode(nil, 0, &config) else { throw .noMemory(bytes.count) }
        defer { unsafe WebPIDelete(decoder) }
        let step = step(of: bytes.count)
        var given = 0
        var code = VP8_STATUS_SUSPENDED
        while code == VP8_STATUS_SUSPENDED, given < bytes.count {
            try stop.check()
            given = min(bytes.count, given + step)
            code = unsafe WebPIUpdate(decoder, base, given)
        }
        if code == VP8_STATUS_OK { return rows }
        guard tolerant, code == VP8_STATUS_SUSPENDED || code == VP8_STATUS_NOT_ENOUGH_DATA else {
            try check(code)
            return rows
        }
        var last: Int32 = 0
        return unsafe WebPIDecGetRGB(decoder, &last, nil, nil, nil) == nil ? 0 : min(rows, max(0, Int(last)))
    }

    private static func mode(_ format: PixelFormat, hasAlpha: Bool) -> WEBP_CSP_MODE? {
        switch format {
        case .rgb8: MODE_RGB
        case .rgba8: MODE_RGBA
        case .rgba8Premultiplied: hasAlpha ? MODE_rgbA : MODE_RGBA
        case .bgra8Premultiplied: hasAlpha ? MODE_bgrA : MODE_BGRA
        default: nil
        }
    }
}
