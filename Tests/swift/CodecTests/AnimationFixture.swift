import SDImage
import TestSupport
import Testing

/// Animations made for encoders, and their frames after a round trip.
enum AnimationFixture {
    /// An animation of frames of one size, with durations in milliseconds.
    static func image(_ frames: [Image], _ durations: [Int]? = nil, loops: Int = 0) throws -> Image {
        let first = try #require(frames.first)
        let held = try HeldFrames(frames, durations: durations ?? frames.map { _ in 40 }, loopCount: loops)
        return first.with(frames: held)
    }

    /// RectanglePainter of a few colors that appear and disappear, some of them transparent or translucent; some frames equal the
    /// previous one.
    static func sprites(
        _ count: Int, _ width: Int = 37, _ height: Int = 23, format: PixelFormat = .rgba8, alphas: [UInt8], seed: UInt64
    ) throws -> [Image] {
        var randoms = Randoms(seed: seed)
        var canvas = [[UInt8]](repeating: [0, 0, 0, 0], count: width * height)
        if randoms.below(2) == 0 { canvas = canvas.map { _ in [9, 120, 30, 255] } }
        return try (0..<count).map { _ in
            for _ in 0..<randoms.below(4) {
                let (left, top) = (randoms.below(width), randoms.below(height))
                let alpha = alphas[randoms.below(alphas.count)]
                let level = UInt8(randoms.below(5) * 60)
                let color = alpha == 0 ? [0, 0, 0, 0] : [level, 255 - level, UInt8(randoms.below(4) * 80), alpha]
                for y in top..<min(height, top + 1 + randoms.below(height)) {
                    for x in left..<min(width, left + 1 + randoms.below(width)) { canvas[y * width + x] = color }
                }
            }
            let shown = canvas
            return try TestImage.image(width, height, format) { x, y in shown[y * width + x] }
        }
    }

    static func frames(_ image: Image) throws -> [Image] {
        try (0..<image.metadata.frameCount).map { try image.frame(at: $0, stop: CancellationToken()) }
    }

    static func durations(_ image: Image) -> [Int] {
        (0..<image.metadata.frameCount).map { image.frames?.durationMilliseconds(at: $0) ?? 0 }
    }
}
