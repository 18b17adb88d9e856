/// Processing of decoded images that a request specifies.
extension ImageRequest {
    /// The image as it is delivered, if it satisfies the request; with all frames decoded if the request preloads them.
    /// Throws `unsupported` if the request requires an animation and the image has one frame.
    func checked(_ image: Image, _ stop: CancellationToken) throws(ImageError) -> Image {
        guard let frames = image.frames else {
            if self.requiresAnimation {
                throw ImageError(.unsupported, "request: animation required, but the image has one frame")
            }
            return image
        }
        return self.preloadsFrames ? try image.holding(frames, within: self.decodeOptions.limits.outputBytes, stop) : image
    }

    /// The request with the scale of the key, unless it sets one.
    /// A value in the request takes precedence over "@2x" in the name.
    func scaled(for key: CacheKey) -> ImageRequest {
        guard self.decodeOptions.scale == nil, let scale = key.scale else { return self }
        var request = self
        request.decodeOptions.scale = scale
        return request
    }
}

extension Image {
    /// The image with all frames decoded; unchanged if they would take more than `limit` bytes.
    fileprivate func holding(_ frames: any FrameProvider, within limit: Int, _ stop: CancellationToken) throws(ImageError)
        -> Image
    {
        let (cost, overflow) = pixels.heldBytes.multipliedReportingOverflow(by: frames.frameCount)
        // Above the limit, frames stay encoded and are decoded when they are shown.
        guard !overflow, cost <= limit else { return self }
        var images: [Image] = [], durations: [Int] = []
        for index in 0..<frames.frameCount {
            try stop.check()
            images.append(try frame(at: index, stop: stop))
            durations.append(frames.durationMilliseconds(at: index))
        }
        let held = try HeldFrames(images, durations: durations, loopCount: frames.loopCount, encoded: frames.encoded)
        var metadata = metadata
        // The cost includes every frame that the image holds.
        metadata.memoryCost = metadata.memoryCost ?? cost
        return Image(pixels: pixels, metadata: metadata, frames: held, vector: vector)
    }
}

extension CacheKey {
    /// Pixels per point of the image that a key names: "@2x." anywhere in it, or "%402x." in a URL; nil if it names none.
    package var scale: Double? {
        guard bytes.count >= 8, bytes.contains(where: { $0 == Byte.at || $0 == Byte.percent }) else { return nil }
        // In URLs "@" may be percent-encoded; in other keys "%40" is literal text.
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
