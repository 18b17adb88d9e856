/// Frames of a provider with their identity, as used by players.
/// Made from an image, a decoder or frames of the host.
package final class FrameSource: Sendable {
    package let frames: any FrameProvider
    package let identity: FrameIdentity
    private let poster: Lock<Poster>

    /// The first frame, if it is already available. Held until it is taken, then weakly, as long as others hold its pixels.
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

    /// The first frame, if it is already available. `isShort`: as indices, unless its pixels are held elsewhere.
    package func takePoster(isShort: Bool) -> CachedFrame? {
        // Only the first call gets a poster that nothing else holds.
        let (own, shared, metadata) = poster.withLock { poster in
            defer { poster.pixels = nil }
            return (poster.pixels, poster.shared, poster.metadata)
        }
        guard var pixels = own ?? shared, let metadata else { return nil }
        _ = consume own
        _ = consume shared
        // Pixels without another owner are worth converting; shared ones cost nothing.
        if isShort, isKnownUniquelyReferenced(&pixels), let indices = IndexedPixels.of(pixels) {
            return CachedFrame(indices, metadata)
        }
        return CachedFrame(Image(pixels: pixels, metadata: metadata))
    }

    package convenience init(_ frames: any FrameProvider) { self.init(frames, FrameIdentity(frames), poster: nil) }

    /// Frames of an animated image; none for a still.
    package convenience init(_ image: Image) {
        let frames: any FrameProvider = if let own = image.frames { own } else { NoFrames() }
        self.init(frames, FrameIdentity(frames), poster: image.frames == nil ? nil : image.still)
    }

    /// Makes a frame on the calling thread.
    /// For hosts that ask for single frames, without a pool. Throws for an invalid index.
    package func make(_ index: Int) throws(ImageError) -> Image {
        let count = frames.frameCount
        guard index >= 0, index < count else { throw .noFrame(index, of: count) }
        let stop = CancellationToken()
        stop.allow(nanoseconds: CallTimeLimits.frame)
        return try Engine.helped { () throws(ImageError) in try frames.frame(at: index, stop: stop) }
    }

    /// Source of the same frames, each transformed on request.
    /// The key of the change becomes part of the identity.
    package func changed(by change: FrameChange) -> FrameSource {
        FrameSource(MappedFrames(frames, change.apply), identity.transformed(by: change.key), poster: nil)
    }
}

/// Provider without frames, used for stills.
private final class NoFrames: FrameProvider {
    let frameCount = 0
    let loopCount = 0
    func durationMilliseconds(at index: Int) -> Int { 0 }
    func frame(at index: Int, stop: CancellationToken) throws(ImageError) -> Image { throw .noFrame(index, of: 0) }
}
