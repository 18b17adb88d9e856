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
        guard metadata.orientation != .up else { return self }
        var fitting = DecodeOptions()
        fitting.pixelFormat = pixels.format
        return try fitted(fitting, stop: stop)
    }
}
