import SDImage

extension Image {
    /// Where only code points say what the samples mean, the picture in sRGB: for files that have no place for them.
    func withoutCodePoints(stop: StopSignal) throws(ImageError) -> Image {
        guard metadata.cicp != nil else { return self }
        return try inSRGB(stop: stop)
    }

    /// The picture in sRGB as it lies, and in the same pixel format.
    func inSRGB(stop: StopSignal) throws(ImageError) -> Image {
        guard metadata.cicp != nil || metadata.colorProfile != nil else { return self }
        var options = DecodeOptions()
        options.applyOrientation = false
        options.pixelFormat = pixels.format
        return try convertedToSRGB(options, stop: stop)
    }

    /// The picture without an alpha channel that it has no use for: what lies there may be anything.
    func withoutIdleAlpha() throws(ImageError) -> Image {
        guard pixels.format.hasAlpha, !metadata.hasAlpha else { return self }
        return try still.converted(to: pixels.format.bytesPerChannel == 1 ? .rgb8 : .rgb16)
    }

    /// A preview for a file, of at most 320 by 320 pixels, as the picture lies.
    func preview(stop: StopSignal) throws(ImageError) -> Image {
        var options = DecodeOptions()
        options.thumbnailSize = PixelSize(width: 320, height: 320)
        options.applyOrientation = false
        options.pixelFormat = pixels.format
        let small = try still.fitted(options, stop: stop)
        var metadata = small.metadata
        metadata.orientation = .up
        metadata.colorProfile = nil
        return small.with(metadata)
    }
}
