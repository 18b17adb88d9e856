/// Frames as a player takes them.
package final class FrameSource: Sendable {
    package let frames: any FrameProvider
    package let identity: FrameIdentity
    private let poster: Lock<Poster>

    /// The first frame, where it is there already: held until somebody has taken it, then as long as others have its pixels.
    private struct Poster {
        var pixels: PixelBuffer?
        weak var shared: PixelBuffer?
        var metadata: ImageMetadata?
    }

    private init(_ frames: any FrameProvider, _ identity: FrameIdentity, poster: Image?) {
        self.frames = frames
        self.identity = identity
        self.poster = Lock(Poster(pixels: poster?.pixels, shared: poster?.pixels, metadata: poster?.metadata))
    }

    /// The first frame, where it is there already; `isShort`: as indices, unless its pixels are there anyway.
    package func takePoster(isShort: Bool) -> CachedFrame? {
        let (own, shared, metadata) = poster.withLock { poster in
            defer { poster.pixels = nil }
            return (poster.pixels, poster.shared, poster.metadata)
        }
        guard var pixels = own ?? shared, let metadata else { return nil }
        _ = consume own
        _ = consume shared
        if isShort, isKnownUniquelyReferenced(&pixels), let indices = IndexedPixels.of(pixels) {
            return CachedFrame(indices, metadata)
        }
        return CachedFrame(Image(pixels: pixels, metadata: metadata))
    }

    package convenience init(_ frames: any FrameProvider) { self.init(frames, FrameIdentity(frames), poster: nil) }

    /// Of an animated image; of a still, no frames.
    package convenience init(_ image: Image) {
        let frames: any FrameProvider = if let own = image.frames { own } else { NoFrames() }
        self.init(frames, FrameIdentity(frames), poster: image.frames == nil ? nil : image.still)
    }

    /// A frame, made by the calling thread.
    package func make(_ index: Int) throws(ImageError) -> Image {
        let count = frames.frameCount
        guard index >= 0, index < count else { throw .noFrame(index, of: count) }
        let stop = StopSignal()
        stop.allow(nanoseconds: CallTimeLimits.frame)
        return try Engine.helped { () throws(ImageError) in try frames.frame(at: index, stop: stop) }
    }

    /// The same frames, each changed when it is asked for.
    package func changed(by change: FrameChange) -> FrameSource {
        FrameSource(MappedFrames(frames, change.apply), identity.transformed(by: change.key), poster: nil)
    }
}

/// What a still offers to a player.
private final class NoFrames: FrameProvider {
    let frameCount = 0
    let loopCount = 0
    func durationMilliseconds(at index: Int) -> Int { 0 }
    func frame(at index: Int, stop: StopSignal) throws(ImageError) -> Image { throw .noFrame(index, of: 0) }
}
