/// Progressive and animated decoding of one image (docs/decisions.md, "Progressive and animated decoding share one
/// interface").
///
/// Called from several threads, except that calls of `update` are serialized.
/// Made by `ImageCoder.open`. Frames are requested by players through `FrameProvider`.
package protocol ImageDecoder: FrameProvider {
    /// Size of the decoded images in pixels; empty until the header is available.
    var size: PixelSize { get }
    /// True when further bytes would change nothing.
    /// The remaining bytes need not be downloaded for this image.
    var isSatisfied: Bool { get }
    /// Takes all bytes so far, including those of earlier calls. Throws when the bytes are known to be invalid; throws for
    /// missing bytes only if `isFinished`. All updates together stay within the budget of `stop`.
    /// `bytes` begins with the bytes of earlier calls, in the same or another object.
    func update(_ bytes: Bytes, isFinished: Bool, stop: CancellationToken) throws(ImageError)
    /// The best image so far, marked incremental; nil when there is none yet. After the last update, returns or throws exactly
    /// what one decode of all bytes does.
    func image(stop: CancellationToken) throws(ImageError) -> Image?
}

/// Properties of a decoder, available at any time, including while a frame is being decoded.
/// Copied out of the stream after each call, under the lock of `StreamDecoder.properties`.
package struct StreamProperties: Sendable {
    /// Size of the decoded images; empty until known.
    package var size = PixelSize(width: 0, height: 0)
    /// Number of complete frames; 1 for a still once its header is available.
    package var frameCount = 0
    /// Number of plays; 0 = endless.
    package var loopCount = 0
    /// Playback duration of each frame in milliseconds; empty for stills.
    package var durations: [Int32] = []
    /// True when further bytes would change nothing.
    package var isSatisfied = false
    /// The complete encoded bytes of an animation; nil until it is complete.
    package var encoded: Bytes?

    package init() {}
}

/// Progressive and frame-by-frame decoding by a built-in coder; used by one thread at a time.
/// Implemented by coders of the library; `StreamDecoder` adds the locks.
package protocol ImageStream {
    var properties: StreamProperties { get }
    /// As `ImageDecoder.update`; calls are never concurrent with others of the stream.
    mutating func update(_ bytes: Bytes, isFinished: Bool, stop: CancellationToken) throws(ImageError)
    mutating func image(stop: CancellationToken) throws(ImageError) -> Image?
    /// `isCached`: the caller keeps the frame for a while and reads it occasionally.
    /// Throws `noFrame` for an index that does not exist.
    mutating func frame(at index: Int, isCached: Bool, stop: CancellationToken) throws(ImageError) -> CachedFrame
    /// See `FrameProvider`.
    mutating func rest()
}

extension ImageStream {
    package mutating func rest() {}

    /// Default for stills, whose only frame is the image.
    package mutating func frame(at index: Int, isCached: Bool, stop: CancellationToken) throws(ImageError) -> CachedFrame {
        guard index == 0, let image = try image(stop: stop) else { throw .noFrame(index, of: properties.frameCount) }
        return CachedFrame(image)
    }
}

/// Makes a stream a decoder. One lock guards the work, another the properties, which never wait for the work.
package final class StreamDecoder<Stream: ImageStream>: ImageDecoder {
    /// Held during a whole decode, so it may be waited for long.
    private let work: Monitor<Stream>
    /// Held for moments only; players read durations while a frame is decoded.
    private let properties: Monitor<StreamProperties>

    package init(_ stream: Stream) {
        properties = Monitor(stream.properties)
        work = Monitor(stream)
    }

    package var size: PixelSize { properties.withLock { $0.size } }
    package var frameCount: Int { properties.withLock { $0.frameCount } }
    package var loopCount: Int { properties.withLock { $0.loopCount } }
    package var isSatisfied: Bool { properties.withLock { $0.isSatisfied } }
    package var encoded: Bytes? { properties.withLock { $0.encoded } }

    /// 0 for an index that does not exist.
    package func durationMilliseconds(at index: Int) -> Int {
        properties.withLock { $0.durations.indices.contains(index) ? Int($0.durations[index]) : 0 }
    }

    package func update(_ bytes: Bytes, isFinished: Bool, stop: CancellationToken) throws(ImageError) {
        try use { stream throws(ImageError) in try stream.update(bytes, isFinished: isFinished, stop: stop) }
    }

    package func image(stop: CancellationToken) throws(ImageError) -> Image? {
        try use { stream throws(ImageError) in try stream.image(stop: stop) }
    }

    package func frame(at index: Int, stop: CancellationToken) throws(ImageError) -> Image {
        try frame(at: index, isCached: false, stop: stop).image()
    }

    package func cachedFrame(at index: Int, stop: CancellationToken) throws(ImageError) -> CachedFrame {
        try frame(at: index, isCached: true, stop: stop)
    }

    private func frame(at index: Int, isCached: Bool, stop: CancellationToken) throws(ImageError) -> CachedFrame {
        // Checked with the copied properties, so that a wrong index does not wait for the stream.
        let count = frameCount
        guard index >= 0, index < count else { throw .noFrame(index, of: count) }
        return try use { stream throws(ImageError) in try stream.frame(at: index, isCached: isCached, stop: stop) }
    }

    /// Skipped while another thread is decoding, because it may need the next frame.
    package func rest() { work.withLockIfFree { $0.rest() } }

    /// Runs `body` on the stream, and copies its properties afterwards, after an error too.
    private func use<R>(_ body: (inout Stream) throws(ImageError) -> R) throws(ImageError) -> R {
        try work.withLock { stream throws(ImageError) in
            defer {
                let now = stream.properties
                properties.withLock { $0 = now }
            }
            return try body(&stream)
        }
    }
}
