/// The frames of an animated image, from a coder or the host. All of them can be loaded into memory and unloaded again.
/// Part of each animated `Image`, so that all users of the image share the loaded frames. Calls may come from several
/// threads.
package final class AnimationFrames: FrameProvider {
    /// The provider, which decodes on demand.
    private let base: any FrameProvider
    /// All frames in order; nil while they are decoded on demand.
    private let loaded = Monitor<[Image]?>(nil)

    private init(_ base: any FrameProvider) { self.base = base }

    /// Wraps a provider, unless it already is an `AnimationFrames`.
    package static func of(_ frames: any FrameProvider) -> AnimationFrames {
        frames as? AnimationFrames ?? AnimationFrames(frames)
    }

    package var frameCount: Int { base.frameCount }
    package var loopCount: Int { base.loopCount }
    package var isGrowing: Bool { base.isGrowing }
    package var encoded: Bytes? { base.encoded }
    package var origin: AnyObject { base.origin }
    package var root: AnyObject { base.root }
    package func durationMilliseconds(at index: Int) -> Int { base.durationMilliseconds(at: index) }

    package func frame(at index: Int, stop: CancellationToken) throws(ImageError) -> Image {
        if let image = loaded(index) { return image }
        return try base.frame(at: index, stop: stop)
    }

    package func cachedFrame(at index: Int, stop: CancellationToken) throws(ImageError) -> CachedFrame {
        if let image = loaded(index) { return CachedFrame(image) }
        return try base.cachedFrame(at: index, stop: stop)
    }

    package func rest() { base.rest() }

    /// nil for a frame that is not held.
    private func loaded(_ index: Int) -> Image? {
        loaded.withLock { frames in frames.flatMap { $0.indices.contains(index) ? $0[index] : nil } }
    }

    /// True while all frames are held in memory.
    package var isLoaded: Bool { loaded.withLock { $0 != nil } }

    /// Decodes and holds all frames. Throws when they exceed `limit` bytes.
    /// Decodes on the calling thread, without a lock: two callers may both decode.
    package func load(limit: Int, stop: CancellationToken) throws(ImageError) {
        guard !isLoaded else { return }
        var frames: [Image] = []
        var bytes = 0
        for index in 0..<base.frameCount {
            let frame = try base.frame(at: index, stop: stop)
            bytes += frame.pixels.heldBytes
            guard bytes <= limit else { throw .tooLarge("animation: size of all frames in bytes", limit: limit) }
            frames.append(frame)
        }
        loaded.withLock { $0 = frames }
    }

    /// Frames that players hold stay valid.
    package func unload() {
        let frames = loaded.withLock { frames in
            defer { frames = nil }
            return frames
        }
        withExtendedLifetime(frames) {}
    }
}
