import CWebP
import SDImage

/// A WebP container (RFC 9649) and the properties of its images, as far as received. libwebp's demuxer validates it; a new one is
/// made whenever more bytes are parsed. Used by one thread.
@safe final class WebPContainer {
    /// One image of the container: a still, or a frame of an animation.
    struct Frame {
        /// Location of the bitstream in the file.
        let data: Range<Int>
        let size: PixelSize
        let hasAlpha: Bool
        let isLossless: Bool
    }

    /// Owns the memory that the demuxer points to.
    private let bytes: Bytes
    /// nil when only the header of a truncated still is available.
    private let demuxer: OpaquePointer?
    /// Size of the image, or of the canvas of an animation.
    let canvas: PixelSize
    let isAnimated: Bool
    let hasAlpha: Bool
    let isLossless: Bool
    /// True when the container is complete.
    let isComplete: Bool

    static var libraryVersion: String {
        let version = WebPGetDecoderVersion()
        return "libwebp \(version >> 16).\(version >> 8 & 255).\(version & 255)"
    }

    /// Throws `truncated` if more bytes are needed, `tooLarge` if there are too many chunks.
    init(_ bytes: Bytes, stop: CancellationToken) throws(ImageError) {
        guard !bytes.isEmpty else { throw ImageError(.emptyData, "webp: data is 0 bytes long") }
        let features = try WebPContainer.features(bytes)
        // libwebp allocates an entry for each chunk, and cannot be cancelled.
        try WebPChunkReader.checkCount(bytes, stop: stop)
        self.bytes = bytes
        var data = unsafe WebPData(bytes: bytes.pointer?.assumingMemoryBound(to: UInt8.self), size: bytes.count)
        var state = WEBP_DEMUX_PARSING_HEADER
        unsafe demuxer = WebPDemuxPartial(&data, &state)
        canvas = WebPContainer.size(features)
        isAnimated = features.has_animation != 0
        hasAlpha = features.has_alpha != 0
        // 1 is lossy, 0 undefined or mixed.
        isLossless = features.format == 2
        isComplete = state == WEBP_DEMUX_DONE
        if isAnimated, unsafe demuxer == nil {
            throw ImageError(state == WEBP_DEMUX_PARSE_ERROR ? .badData : .truncated, "webp: animation cannot be parsed")
        }
    }

    deinit { unsafe WebPDemuxDelete(demuxer) }

    var frameCount: Int { isAnimated ? unsafe Int(WebPDemuxGetI(demuxer, WEBP_FF_FRAME_COUNT)) : 1 }
    /// 0 = forever; also 0 for stills.
    var loopCount: Int { isAnimated ? unsafe Int(WebPDemuxGetI(demuxer, WEBP_FF_LOOP_COUNT)) : 0 }

    /// The image of a still, from the available bytes.
    var still: Frame { Frame(data: 0..<bytes.count, size: canvas, hasAlpha: hasAlpha, isLossless: isLossless) }

    /// Returns the frames of an animation from `first` on, at most `limit` of them, with their location on the canvas. Only the
    /// last can be incomplete. `chunks` belongs to the same bytes.
    func frames(
        _ chunks: WebPChunkReader, from first: Int, limit: Int
    ) throws(ImageError) -> [(frame: Frame, layout: FrameLayout, isWhole: Bool)] {
        var result: [(frame: Frame, layout: FrameLayout, isWhole: Bool)] = []
        guard isAnimated, limit > 0, first >= 0 else { return result }
        // Limited to the frames that libwebp has validated.
        for content in chunks.contents.prefix(frameCount).dropFirst(first).prefix(limit) {
            guard let (frame, layout) = try frame(content, isWhole: true) else {
                throw ImageError(.badData, "webp: frame has no image data")
            }
            result.append((frame, layout, true))
        }
        // The properties of a frame that has just started may still be unknown.
        if result.count < limit, let content = chunks.beginning, chunks.frames < frameCount, chunks.frames >= first,
            let (frame, layout) = try frame(content, isWhole: false)
        {
            result.append((frame, layout, false))
        }
        return result
    }

    /// Returns the image of a frame and its layout (RFC 9649, section 2.7.1); nil when it has no image, or not yet.
    private func frame(_ content: Range<Int>, isWhole: Bool) throws(ImageError) -> (Frame, FrameLayout)? {
        var reader = bytes.reader
        // Skips width and height, which the bitstream has, too.
        guard reader.seek(to: content.lowerBound), let left = reader.u24(), let top = reader.u24(), reader.skip(6),
            let duration = reader.u24(), let flags = reader.u8(), let range = imageRange(content.dropFirst(16)),
            let part = bytes.slice(range)
        else { return nil }
        let features: WebPBitstreamFeatures
        do throws(ImageError) { features = try WebPContainer.features(part) } catch {
            guard isWhole else { return nil }
            throw error
        }
        let frame = Frame(
            data: range, size: WebPContainer.size(features), hasAlpha: features.has_alpha != 0, isLossless: features.format == 2)
        var layout = FrameLayout(size: frame.size)
        // Offsets are stored in units of two pixels.
        (layout.left, layout.top) = (left * 2, top * 2)
        layout.blend = flags & 2 != 0 ? .source : .over
        // As in browsers, disposal to background makes the rectangle transparent whatever the background color, and up to 10 ms
        // means 100 ms.
        layout.disposal = flags & 1 != 0 ? .background : .none
        layout.durationMilliseconds = duration <= 10 ? 100 : duration
        layout.isOpaque = !frame.hasAlpha
        return (frame, layout)
    }

    /// Returns the location of the bitstream in the chunks of a frame, including the preceding alpha chunk.
    private func imageRange(_ chunks: Range<Int>) -> Range<Int>? {
        var reader = bytes.reader
        guard reader.seek(to: chunks.lowerBound) else { return nil }
        if reader.matches("ALPH", at: reader.offset) {
            guard reader.skip(4), let size = reader.u32(bigEndian: false), reader.skip(Int(size) + Int(size % 2)) else {
                return nil
            }
        }
        let start = reader.offset
        guard start + 8 <= chunks.upperBound, reader.matches("VP8 ", at: start) || reader.matches("VP8L", at: start),
            reader.skip(4), let size = reader.u32(bigEndian: false)
        else { return nil }
        return chunks.lowerBound..<min(reader.offset + Int(size), chunks.upperBound)
    }

    /// Returns the orientation of the Exif block, else of the XMP packet; upright when there is none.
    func orientation(limit: Int) -> Orientation {
        chunk("EXIF", limit: limit).flatMap(ExifOrientation.find) ?? chunk("XMP ", limit: limit).flatMap(XMPOrientation.read)
            ?? .up
    }

    /// Returns a metadata chunk of at most `limit` bytes, e.g. "ICCP".
    func chunk(_ name: StaticString, limit: Int) -> Bytes? {
        guard unsafe demuxer != nil else { return nil }
        var iterator = unsafe WebPChunkIterator()
        let text = unsafe UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
        guard unsafe WebPDemuxGetChunk(demuxer, text, 1, &iterator) != 0 else { return nil }
        defer { unsafe WebPDemuxReleaseChunkIterator(&iterator) }
        return unsafe iterator.chunk.size <= limit ? slice(iterator.chunk) : nil
    }

    private func slice(_ data: WebPData) -> Bytes? { unsafe range(data).flatMap { bytes.slice($0) } }

    /// The location in the file of data that libwebp points to.
    private func range(_ data: WebPData) -> Range<Int>? {
        guard let start = unsafe data.bytes, let base = unsafe bytes.pointer else { return nil }
        let offset = unsafe UnsafeRawPointer(start) - base
        let (end, overflow) = unsafe offset.addingReportingOverflow(data.size)
        return overflow || offset < 0 || end < offset || end > bytes.count ? nil : offset..<end
    }

    /// Returns the canvas size from the first header, which is the only one read for an animation.
    static func canvas(of bytes: Bytes) throws(ImageError) -> PixelSize { size(try features(bytes)) }

    private static func size(_ features: WebPBitstreamFeatures) -> PixelSize {
        PixelSize(width: Int(features.width), height: Int(features.height))
    }

    /// Reads the header of a file or of a frame's chunks. Throws `truncated` if it is incomplete.
    static func features(_ bytes: Bytes) throws(ImageError) -> WebPBitstreamFeatures {
        var features = WebPBitstreamFeatures()
        let code = unsafe WebPGetFeatures(bytes.pointer?.assumingMemoryBound(to: UInt8.self), bytes.count, &features)
        try check(code)
        guard features.width > 0, features.height > 0 else {
            throw ImageError(.badData, "webp: empty size \(features.width)x\(features.height)")
        }
        return features
    }

    /// Converts a status of libwebp to an error.
    static func check(_ code: VP8StatusCode) throws(ImageError) {
        switch code {
        case VP8_STATUS_OK: return
        case VP8_STATUS_OUT_OF_MEMORY: throw ImageError(.noMemory, "webp: no memory for the decoder", libraryCode: 1)
        case VP8_STATUS_NOT_ENOUGH_DATA, VP8_STATUS_SUSPENDED: throw ImageError(.truncated, "webp: data ends early")
        case VP8_STATUS_UNSUPPORTED_FEATURE: throw ImageError(.unsupported, "webp: bitstream has an unknown feature")
        default: throw ImageError(.badData, "webp: bitstream is damaged", libraryCode: Int32(bitPattern: code.rawValue))
        }
    }
}

extension ByteReader {
    /// Reads a little-endian integer of three bytes.
    fileprivate mutating func u24() -> Int? {
        guard remaining >= 3, let low = u16(bigEndian: false), let high = u8() else { return nil }
        return Int(high) << 16 | Int(low)
    }
}
