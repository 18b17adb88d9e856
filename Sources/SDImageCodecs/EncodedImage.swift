import SDImage

extension Image {
    /// Converts an image with code points to sRGB, for formats that cannot store code points.
    func withoutCodePoints(stop: CancellationToken) throws(ImageError) -> Image {
        guard metadata.cicp != nil else { return self }
        return try inSRGB(stop: stop)
    }

    /// Returns the image in sRGB, with the same orientation and pixel format.
    func inSRGB(stop: CancellationToken) throws(ImageError) -> Image {
        guard metadata.cicp != nil || metadata.colorProfile != nil else { return self }
        var options = DecodeOptions()
        // The pixels stay as stored, because the file stores their orientation.
        options.applyOrientation = false
        options.pixelFormat = pixels.format
        return try convertedToSRGB(options, stop: stop)
    }

    /// Tone-maps light above white to 8 bits, for formats that store SDR.
    func inStandardRange() throws(ImageError) -> Image {
        guard metadata.isHighDynamicRange, pixels.format == .rgbaFloat else { return self }
        return try still.converted(to: metadata.hasAlpha ? .rgba8 : .rgb8)
    }

    /// Returns a preview to embed, of at most 320 by 320 pixels, in the stored orientation.
    func preview(stop: CancellationToken) throws(ImageError) -> Image {
        var options = DecodeOptions()
        options.thumbnailSize = PixelSize(width: 320, height: 320)
        options.applyOrientation = false
        options.pixelFormat = pixels.format
        let small = try still.fitted(options, stop: stop)
        var metadata = small.metadata
        // Readers turn the preview like the image; a tag of its own would turn it twice.
        metadata.orientation = .up
        metadata.colorProfile = nil
        return small.with(metadata)
    }
}
