extension Image {
    /// The picture as it is to be written: a still, or shrunk, where the options want it. The orientation stays.
    package func prepared(_ options: EncodeOptions, stop: StopSignal) throws(ImageError) -> Image {
        let image = options.firstFrameOnly && frames != nil ? still : self
        guard let box = options.maxPixelSize, !box.isEmpty else { return image }
        var fitting = DecodeOptions()
        fitting.thumbnailSize = box
        fitting.pixelFormat = pixels.format
        fitting.applyOrientation = false
        return try image.fitted(fitting, stop: stop)
    }

    /// Turned as its orientation says, for formats that cannot tell it.
    package func upright(stop: StopSignal) throws(ImageError) -> Image {
        let orientation = metadata.orientation
        guard orientation != .up else { return self }
        var metadata = metadata
        metadata.orientation = .up
        // As displayed; pixels of a host may have been told of a turn later.
        if metadata.sourceSize == size, orientation.swapsAxes { metadata.sourceSize = size.swapped }
        let frames = frames.map { MappedFrames($0) { frame, stop throws(ImageError) in try frame.upright(stop: stop) } }
        return Image(pixels: try pixels.turned(orientation, stop: stop), metadata: metadata, frames: frames, vector: vector)
    }
}
