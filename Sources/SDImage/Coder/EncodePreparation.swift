/// Steps between an image and the coder that encodes it.
extension CoderRegistry {
    /// Returns the image to encode: still or downscaled, and in the transfer and depth that the options require.
    /// Throws for options that the format cannot fulfill.
    func prepared(
        _ image: Image, format: ImageFormat, options: EncodeOptions, stop: CancellationToken
    ) throws(ImageError) -> Image {
        try format.check(options)
        let image = try image.prepared(options, stop: stop)
        var converted = image.withOneColorDescription
        let codes = converted.metadata.cicp
        let isNarrow = codes?.hasNarrowPixels ?? false && format.assumesFullRange
        let transfer = options.transfer ?? (isNarrow ? codes.flatMap { HDRTransfer(rawValue: $0.transfer) } : nil)
        // A conversion goes through linear light, which all transfers have in common.
        if let transfer, !converted.isSignal(of: transfer) {
            converted = try toSRGB(converted, .rgbaFloat, stop).signal(transfer, stop: stop)
        } else if isNarrow || format.lacksCodePoints, codes != nil {
            converted = try toSRGB(converted, image.pixels.format, stop)
        }
        // Coders that write 8 bits only convert the pixels themselves.
        return format.depths == [8] ? converted : try converted.withDepth(options.bitsPerChannel)
    }

    /// Returns the image in sRGB or, as float, in linear light, with the same orientation.
    /// Used before a conversion, and for formats without color spaces.
    private func toSRGB(_ image: Image, _ format: PixelFormat, _ stop: CancellationToken) throws(ImageError) -> Image {
        var options = DecodeOptions()
        options.pixelFormat = format
        options.applyOrientation = false
        // The gain map of a base image is applied.
        if format == .rgbaFloat { options.dynamicRange = .hdr }
        options.limits = .ofExistingBitmap
        return try fit(image, options: options, stop: stop)
    }
}

/// Properties of formats that matter for encoding.
extension ImageFormat {
    /// Bits per channel that files of the format may have; nil for formats that only coders of the host write.
    fileprivate var depths: [Int]? {
        switch self {
        case .jpeg, .webp, .gif, .bmp, .ico: [8]
        case .png: [8, 16]
        case .heic, .heif, .avif: [8, 10, 12]
        case .jxl: [8, 10, 12, 16]
        case .unknown, .tiff, .svg, .pdf, .raw: nil
        }
    }

    /// True for built-in formats that can describe no color space. The coders of JPEG and WebP convert colors themselves.
    fileprivate var lacksCodePoints: Bool { [.gif, .bmp, .ico].contains(self) }

    /// True for formats whose coders are not told of samples from 16 to 235. PNG stores the range; formats of 8 bits store no
    /// code points.
    fileprivate var assumesFullRange: Bool { self != .png && depths != [8] }

    /// Throws for options that files of the format cannot fulfill.
    /// Formats of the host are not checked.
    fileprivate func check(_ options: EncodeOptions) throws(ImageError) {
        guard let depths else { return }
        let bits = options.bitsPerChannel
        guard bits == 0 || depths.contains(bits) else {
            throw ImageError(.unsupported, "encoder: \(name) cannot have \(bits) bits per channel")
        }
        guard options.transfer == nil || depths != [8] else {
            throw ImageError(.unsupported, "encoder: \(name) cannot have samples in PQ or HLG")
        }
    }
}

extension Image {
    /// Returns the image to encode: still or downscaled if the options require it. The orientation is kept.
    /// Returns this image if nothing has to change.
    package func prepared(_ options: EncodeOptions, stop: CancellationToken) throws(ImageError) -> Image {
        let image = options.firstFrameOnly && frames != nil ? still : self
        // Only a bounding box requires scaling.
        guard let box = options.maxPixelSize, !box.isEmpty else { return image }
        // The scaler weighs colors by alpha, and the content of an unused channel is undefined.
        let source = image.frames == nil && image.pixels.format != .rgbaFloat ? try image.withoutIdleAlpha() : image
        var fitting = DecodeOptions()
        fitting.thumbnailSize = box
        fitting.pixelFormat = source.pixels.format
        fitting.applyOrientation = false
        return try source.fitted(fitting, stop: stop)
    }

    /// The image with code points or a profile, but not both: coders write what they find. Known code points take precedence.
    fileprivate var withOneColorDescription: Image {
        guard let codes = metadata.cicp, metadata.colorProfile != nil else { return self }
        var metadata = metadata
        if codes.isKnown { metadata.colorProfile = nil } else { metadata.cicp = nil }
        return with(metadata)
    }

    /// Returns the image with 8 or 16 bits per channel, for files of `bits` bits; 0 leaves it unchanged.
    fileprivate func withDepth(_ bits: Int) throws(ImageError) -> Image {
        switch (bits, pixels.format.bytesPerChannel) {
        case (0, _), (8, 1), (9..., 2): self
        case (8, _): try converted(to: pixels.format.with8Bits(hasAlpha: metadata.hasAlpha))
        default: try converted(to: pixels.format.channels == 1 ? .gray16 : metadata.hasAlpha ? .rgba16 : .rgb16)
        }
    }

    /// Returns the image with its orientation applied, for formats that cannot store one.
    /// Returns this image if it is upright.
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
