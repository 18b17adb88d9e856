/// The frames of an animation, all of them held in memory.
/// For requests that preload frames, and for animations that the host makes of images.
package final class HeldFrames: FrameProvider {
    private let images: [Image]
    private let durations: [Int]
    package let loopCount: Int
    package let encoded: Bytes?

    /// Creates an animation of at least one image; all have the same size. `durations`: milliseconds, one per image. `encoded`:
    /// the bytes that the frames were decoded from.
    /// Throws `invalidArgument` otherwise.
    package init(_ images: [Image], durations: [Int], loopCount: Int, encoded: Bytes? = nil) throws(ImageError) {
        guard let first = images.first, images.count == durations.count else {
            throw ImageError(.invalidArgument, "animation: \(images.count) frames with \(durations.count) durations")
        }
        guard images.allSatisfy({ $0.size == first.size }) else {
            throw ImageError(.invalidArgument, "animation: frames differ in size")
        }
        self.images = images
        self.durations = durations
        self.loopCount = loopCount
        self.encoded = encoded
    }

    package var frameCount: Int { images.count }

    package func durationMilliseconds(at index: Int) -> Int { durations.indices.contains(index) ? durations[index] : 0 }

    package func frame(at index: Int, stop: CancellationToken) throws(ImageError) -> Image {
        guard images.indices.contains(index) else { throw .noFrame(index, of: images.count) }
        return images[index].still
    }
}
