import SDImage

extension ImageMetadata {
    /// Sets the color space of pixels decoded with these options; none for sRGB. Headrooms are in stops.
    mutating func setColor(profile: Bytes?, codePoints: CodePoints? = nil, options: DecodeOptions) {
        colorProfile = options.convertToSRGB ? nil : profile
        cicp = options.convertToSRGB ? nil : codePoints
        // Conversion to sRGB leaves light above white only in floats.
        let isBright = codePoints?.isHighDynamicRange ?? false
        isHighDynamicRange = isBright && (!options.convertToSRGB || options.pixelFormat == .rgbaFloat)
        contentHeadroom = codePoints?.headroom ?? 0
        headroom = isHighDynamicRange ? contentHeadroom : 0
    }
}

extension DecodePlan {
    /// Returns the metadata of an image decoded with this plan. `hasAlpha` means that the source can be transparent.
    func metadata(
        format: ImageFormat, pixels: PixelFormat, hasAlpha: Bool, orientation: Orientation, options: DecodeOptions
    ) -> ImageMetadata {
        var metadata = ImageMetadata()
        metadata.format = format
        metadata.scale = max(1, options.scale ?? 1)
        metadata.orientation = tag
        metadata.hasAlpha = hasAlpha && pixels.hasAlpha
        // A limit of bytes overrides the thumbnail, and may leave the full size.
        metadata.isThumbnail = options.wantsThumbnail && options.limitBytes == 0
        // As displayed, also if the orientation is not applied.
        metadata.sourceSize = orientation.swapsAxes ? storedSize.swapped : storedSize
        return metadata
    }
}
