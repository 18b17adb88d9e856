/// The frames of an animation, decoded on demand within bounded memory.
///
/// Frames are composed to the whole canvas and may be requested in any order, from several threads.
/// Implemented by decoders, by frames in memory, by transformed frames, and by tables of the host.
package protocol FrameProvider: AnyObject, Sendable {
    /// Increases while `isGrowing`.
    var frameCount: Int { get }
    /// Number of loops; 0 = endless.
    var loopCount: Int { get }
    /// True when more frames may arrive.
    var isGrowing: Bool { get }
    /// The encoded bytes of all frames; nil when there are none.
    /// Lets a store write the bytes of an animation without encoding it.
    var encoded: Bytes? { get }
    /// Identity of the frame content: two providers with the same origin return the same frames.
    /// `FramePool` shares the frames of providers with equal origins.
    var origin: AnyObject { get }
    /// Identity of the source below all transformations; the partial images of one progressive load share it.
    /// Transformed frames have another origin and the same root.
    var root: AnyObject { get }
    /// Duration of a frame during playback; 0 for an invalid index.
    func durationMilliseconds(at index: Int) -> Int
    /// Decodes a frame. A damaged frame throws its error; later frames are composed as if it had drawn nothing.
    func frame(at index: Int, stop: CancellationToken) throws(ImageError) -> Image
    /// Decodes a frame for a cache, which holds it for repeated use.
    /// A provider may leave the frame in a form that takes less memory.
    func cachedFrame(at index: Int, stop: CancellationToken) throws(ImageError) -> CachedFrame
    /// Releases memory that only serves to decode the next frame. Called when no player is left.
    func rest()
}

/// Defaults for providers without caches.
extension FrameProvider {
    package var isGrowing: Bool { false }
    package var encoded: Bytes? { nil }
    package var origin: AnyObject { self }
    package var root: AnyObject { origin }
    package func rest() {}

    package func cachedFrame(at index: Int, stop: CancellationToken) throws(ImageError) -> CachedFrame {
        CachedFrame(try frame(at: index, stop: stop))
    }

    /// Duration of one loop.
    package var durationMilliseconds: Int {
        (0..<frameCount).reduce(0) { $0.addingSaturated(durationMilliseconds(at: $1)) }
    }
}

/// Error of every provider for an index that does not exist.
extension ImageError {
    package static func noFrame(_ index: Int, of count: Int) -> ImageError {
        ImageError(.invalidArgument, "frame: index \(index) is out of range (count \(count))")
    }
}

/// The frames of another provider, each transformed by a function.
/// Frames are transformed when they are requested, on the thread of the caller.
package final class MappedFrames: FrameProvider {
    private let base: any FrameProvider
    private let keepsEncoded: Bool
    private let change: @Sendable (Image, CancellationToken) throws(ImageError) -> Image

    /// `keepsEncoded`: the encoded bytes still represent the frames, because their pixels do not change.
    package init(
        _ base: any FrameProvider, keepsEncoded: Bool = false,
        _ change: @escaping @Sendable (Image, CancellationToken) throws(ImageError) -> Image
    ) {
        self.base = base
        self.keepsEncoded = keepsEncoded
        self.change = change
    }

    package var frameCount: Int { base.frameCount }
    package var loopCount: Int { base.loopCount }
    package var isGrowing: Bool { base.isGrowing }
    package var encoded: Bytes? { keepsEncoded ? base.encoded : nil }
    package var root: AnyObject { base.root }
    package func durationMilliseconds(at index: Int) -> Int { base.durationMilliseconds(at: index) }
    package func rest() { base.rest() }

    package func frame(at index: Int, stop: CancellationToken) throws(ImageError) -> Image {
        try change(try base.frame(at: index, stop: stop), stop)
    }

    package func cachedFrame(at index: Int, stop: CancellationToken) throws(ImageError) -> CachedFrame {
        let frame = try base.cachedFrame(at: index, stop: stop)
        return CachedFrame(try change(try frame.image(), stop), from: frame)
    }
}
