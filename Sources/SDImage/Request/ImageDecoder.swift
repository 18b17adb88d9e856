/// One picture that grows while its bytes arrive, or moves: progressive and animated decoding in one (docs/decisions.md,
/// "Progressive and animated decoding share one interface").
///
/// Called from several threads, except that `update` is called by one at a time.
package protocol ImageDecoder: FrameProvider {
    /// Size in pixels of the pictures it makes; empty until the header is there.
    var size: PixelSize { get }
    /// More bytes would change nothing.
    var isSatisfied: Bool { get }
    /// Takes all bytes so far, not the last piece alone. Throws once they are known to be bad, and for what is
    /// missing only when `isFinished`. All updates together stay within the amount of `stop`.
    func update(_ bytes: Bytes, isFinished: Bool, stop: StopSignal) throws(ImageError)
    /// The best picture so far, marked incremental; nil when there is none yet. After the last update exactly what one
    /// decode of all bytes gives, or throws.
    func image(stop: StopSignal) throws(ImageError) -> Image?
}

/// What a growing picture says of itself at any time, while a frame is being decoded too.
package struct StreamFacts: Sendable {
    /// Of the pictures as they are made; empty until known.
    package var size = PixelSize(width: 0, height: 0)
    /// Frames that are whole; 1 for a still once its header is there.
    package var frameCount = 0
    package var loopCount = 0
    /// Milliseconds of each frame as played; empty for stills.
    package var durations: [Int32] = []
    package var isSatisfied = false
    /// All bytes, of an animation that is complete.
    package var encoded: Bytes?

    package init() {}
}

/// What a built-in coder implements to decode progressively and frame by frame; used by one thread at a time.
package protocol PictureStream {
    var facts: StreamFacts { get }
    mutating func update(_ bytes: Bytes, isFinished: Bool, stop: StopSignal) throws(ImageError)
    mutating func image(stop: StopSignal) throws(ImageError) -> Image?
    /// `isKept`: for one who keeps it for a while, and looks at it now and then.
    mutating func frame(at index: Int, isKept: Bool, stop: StopSignal) throws(ImageError) -> CachedFrame
    /// See `FrameProvider`.
    mutating func rest()
}

extension PictureStream {
    package mutating func rest() {}

    /// For stills: the one picture.
    package mutating func frame(at index: Int, isKept: Bool, stop: StopSignal) throws(ImageError) -> CachedFrame {
        guard index == 0, let image = try image(stop: stop) else { throw .noFrame(index, of: facts.frameCount) }
        return CachedFrame(image)
    }
}

/// Makes a decoder of a stream: one lock for the work, another for what is known, which never waits for the work.
package final class StreamDecoder<Stream: PictureStream>: ImageDecoder {
    private let work: Monitor<Stream>
    private let facts: Monitor<StreamFacts>

    package init(_ stream: Stream) {
        facts = Monitor(stream.facts)
        work = Monitor(stream)
    }

    package var size: PixelSize { facts.withLock { $0.size } }
    package var frameCount: Int { facts.withLock { $0.frameCount } }
    package var loopCount: Int { facts.withLock { $0.loopCount } }
    package var isSatisfied: Bool { facts.withLock { $0.isSatisfied } }
    package var encoded: Bytes? { facts.withLock { $0.encoded } }

    package func durationMilliseconds(at index: Int) -> Int {
        facts.withLock { $0.durations.indices.contains(index) ? Int($0.durations[index]) : 0 }
    }

    package func update(_ bytes: Bytes, isFinished: Bool, stop: StopSignal) throws(ImageError) {
        try use { stream throws(ImageError) in try stream.update(bytes, isFinished: isFinished, stop: stop) }
    }

    package func image(stop: StopSignal) throws(ImageError) -> Image? {
        try use { stream throws(ImageError) in try stream.image(stop: stop) }
    }

    package func frame(at index: Int, stop: StopSignal) throws(ImageError) -> Image {
        try frame(at: index, isKept: false, stop: stop).image()
    }

    package func keptFrame(at index: Int, stop: StopSignal) throws(ImageError) -> CachedFrame {
        try frame(at: index, isKept: true, stop: stop)
    }

    private func frame(at index: Int, isKept: Bool, stop: StopSignal) throws(ImageError) -> CachedFrame {
        let count = frameCount
        guard index >= 0, index < count else { throw .noFrame(index, of: count) }
        return try use { stream throws(ImageError) in try stream.frame(at: index, isKept: isKept, stop: stop) }
    }

    /// Who is making a frame wants another one, perhaps.
    package func rest() { work.withLockIfFree { $0.rest() } }

    private func use<R>(_ body: (inout Stream) throws(ImageError) -> R) throws(ImageError) -> R {
        try work.withLock { stream throws(ImageError) in
            defer {
                let now = stream.facts
                facts.withLock { $0 = now }
            }
            return try body(&stream)
        }
    }
}
