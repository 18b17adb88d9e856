/// The frames of an animation, each made when asked for within bounded memory.
///
/// Frames are composed to the whole canvas and may be asked for in any order. Called from several threads.
package protocol FrameProvider: AnyObject, Sendable {
    var frameCount: Int { get }
    /// 0 = for ever.
    var loopCount: Int { get }
    /// More frames may come.
    var isGrowing: Bool { get }
    /// The bytes that all frames are decoded from, where there are any.
    var encoded: Bytes? { get }
    /// What makes the frames: two providers of the same origin give the same.
    var origin: AnyObject { get }
    /// What the frames come from below all changes: the parts of one growing picture have the same.
    var root: AnyObject { get }
    /// As played; 0 outside the frames.
    func durationMilliseconds(at index: Int) -> Int
    /// A frame that cannot be decoded throws its error; those after it are composed as if it had drawn nothing.
    func frame(at index: Int, stop: StopSignal) throws(ImageError) -> Image
    /// The same for one who keeps it for a while, and looks at it now and then.
    func keptFrame(at index: Int, stop: StopSignal) throws(ImageError) -> CachedFrame
    /// Nobody plays them any more: lets go of the memory that serves nothing but the next frame.
    func rest()
}

extension FrameProvider {
    package var isGrowing: Bool { false }
    package var encoded: Bytes? { nil }
    package var origin: AnyObject { self }
    package var root: AnyObject { origin }
    package func rest() {}

    package func keptFrame(at index: Int, stop: StopSignal) throws(ImageError) -> CachedFrame {
        CachedFrame(try frame(at: index, stop: stop))
    }

    /// One round of all frames.
    package var durationMilliseconds: Int {
        (0..<frameCount).reduce(0) { $0.addingSaturated(durationMilliseconds(at: $1)) }
    }
}

extension ImageError {
    package static func noFrame(_ index: Int, of count: Int) -> ImageError {
        ImageError(.invalidArgument, "frame \(index) of \(count)")
    }
}

/// The frames of another provider, each changed by a function of one image.
package final class MappedFrames: FrameProvider {
    private let base: any FrameProvider
    private let change: @Sendable (Image, StopSignal) throws(ImageError) -> Image

    package init(_ base: any FrameProvider, _ change: @escaping @Sendable (Image, StopSignal) throws(ImageError) -> Image) {
        self.base = base
        self.change = change
    }

    package var frameCount: Int { base.frameCount }
    package var loopCount: Int { base.loopCount }
    package var isGrowing: Bool { base.isGrowing }
    package var root: AnyObject { base.root }
    package func durationMilliseconds(at index: Int) -> Int { base.durationMilliseconds(at: index) }
    package func rest() { base.rest() }

    package func frame(at index: Int, stop: StopSignal) throws(ImageError) -> Image {
        try change(try base.frame(at: index, stop: stop), stop)
    }

    package func keptFrame(at index: Int, stop: StopSignal) throws(ImageError) -> CachedFrame {
        let frame = try base.keptFrame(at: index, stop: stop)
        return CachedFrame(try change(try frame.image(), stop), from: frame)
    }
}
