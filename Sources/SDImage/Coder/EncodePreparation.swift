extension Image {
    /// Returns the image to encode: still or downscaled if the options require it. The orientation is kept.
    package func prepared(_ options: EncodeOptions, stop: CancellationToken) throws(ImageError) -> Image {
        let image = options.firstFrameOnly && frames != nil ? still : self
        guard let box = options.maxPixelSize, !box.isEmpty else { return image }
        var fitting = DecodeOptions()
        fitting.thumbnailSize = box
        fitting.pixelFormat = pixels.format
        fitting.applyOrientation = false
        return try image.fitted(fitting, stop: stop)
    }

    /// Returns the image with its orientation applied, for formats that cannot store one.
    package func upright(stop: CancellationToken) throws(ImageError) -> Image {
        let orientation = metadata.orientation
        guard orientation != .up else { return self }
        var metadata = metadata
        metadata.orientation = .up
        metadata.gainMap = try metadata.gainMap?.turned(orientation, stop: stop)
        // The size as displayed. The orientation of host pixels may have been set after the source size.
        if metadata.sourceSize == size, orientation.swapsAxes { metadata.sourceSize = size.swapped }
        let frames = frames.map { MappedFrames($0) { frame, stop throws(ImageError) in try frame.upright(stop: stop) } }
        return Image(pixels: try pixels.turned(orientation, stop: stop), metadata: metadata, frames: frames, vector: vector)
    }
}
