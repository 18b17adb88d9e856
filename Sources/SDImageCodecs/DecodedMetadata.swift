import SDImage

extension DecodePlan {
    /// What is known about a picture decoded by this plan. `hasAlpha`: the source can be transparent.
    func metadata(
        format: ImageFormat, pixels: PixelFormat, hasAlpha: Bool, orientation: Orientation, options: DecodeOptions
    ) -> ImageMetadata {
        var metadata = ImageMetadata()
        metadata.format = format
        metadata.scale = max(1, options.scale)
        metadata.orientation = tag
        metadata.hasAlpha = hasAlpha && pixels.hasAlpha
        metadata.isThumbnail = options.wantsThumbnail && options.limitBytes == 0
        metadata.sourceSize = orientation.swapsAxes ? storedSize.swapped : storedSize
        return metadata
    }
}
