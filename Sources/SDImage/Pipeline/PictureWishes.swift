/// Processing of decoded images that a request specifies.
extension ImageRequest {
    /// The picture as it is delivered, where it is what the request takes: its frames at hand where they are wanted so.
    func taken(_ image: Image, _ stop: StopSignal) throws(ImageError) -> Image {
        guard let frames = image.frames else {
            if self.requiresAnimation {
                throw ImageError(.unsupported, "a picture that does not move, where only an animation will do")
            }
            return image
        }
        return self.preloadsFrames ? try image.holding(frames, within: self.decodeOptions.limits.outputBytes, stop) : image
    }

    /// With the scale that the key tells, where the request does not say.
    func scaled(for key: CacheKey) -> ImageRequest {
        guard self.decodeOptions.scale == nil, key.scale != 1 else { return self }
        var request = self
        request.decodeOptions.scale = key.scale
        return request
    }
}

extension Image {
    /// With all frames decoded; as it is where they would take more than `limit` bytes.
    fileprivate func holding(_ frames: any FrameProvider, within limit: Int, _ stop: StopSignal) throws(ImageError) -> Image {
        let (cost, overflow) = pixels.heldBytes.multipliedReportingOverflow(by: frames.frameCount)
        guard !overflow, cost <= limit else { return self }
        var images: [Image] = [], durations: [Int] = []
        for index in 0..<frames.frameCount {
            try stop.check()
            images.append(try frame(at: index, stop: stop))
            durations.append(frames.durationMilliseconds(at: index))
        }
        let held = try HeldFrames(images, durations: durations, loopCount: frames.loopCount)
        var metadata = metadata
        // Each frame counts where it is held.
        metadata.memoryCost = metadata.memoryCost ?? cost
        return Image(pixels: pixels, metadata: metadata, frames: held, vector: vector)
    }
}

extension CacheKey {
    /// Pixels per point of the picture that a key names: "@2x." is anywhere in it, or "%402x." in one of a URL; nil where it
    /// says nothing.
    package var scale: Double? {
        guard bytes.count >= 8, bytes.contains(where: { $0 == Byte.at || $0 == Byte.percent }) else { return nil }
        let isURL = bytes.starts(with: Array("http://".utf8)) || bytes.starts(with: Array("https://".utf8))
        for scale in [2, 3] {
            if contains("@\(scale)x.") || isURL && contains("%40\(scale)x.") { return Double(scale) }
        }
        return nil
    }

    private func contains(_ text: String) -> Bool {
        let mark = Array(text.utf8)
        return bytes.count >= mark.count
            && (0...bytes.count - mark.count).contains { bytes[$0..<$0 + mark.count].elementsEqual(mark) }
    }
}
