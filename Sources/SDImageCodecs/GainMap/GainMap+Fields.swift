import SDImage

extension GainMap {
    /// A map from its samples, and its parameters in binary form.
    package convenience init(samples: Image, fields: Bytes) throws(ImageError) {
        guard let parameters = GainMapFields.read(fields) else {
            throw ImageError(.badData, "gain map: parameters are damaged or those of a later version")
        }
        try self.init(samples: samples, parameters)
    }

    /// A map of Apple's format, with the EXIF block of the base image.
    package convenience init(samples: Image, appleExif exif: Bytes) throws(ImageError) {
        let parameters = AppleMakerNote.headroom(exif).map(GainMap.Parameters.init(linearWith:))
        guard let parameters, parameters.isValid else {
            throw ImageError(.badData, "gain map: no headroom in a maker note of Apple")
        }
        try self.init(samples: samples, parameters)
    }

    private convenience init(samples: Image, _ parameters: Parameters) throws(ImageError) {
        let format = samples.pixels.format
        guard format == .gray8 || format == .rgb8 else {
            throw ImageError(.invalidArgument, "gain map: samples are neither GRAY8 nor RGB8")
        }
        // Channels with different parameters need RGB samples.
        let isGray = Set(parameters.channels).count == 1
        self.init(parameters, image: isGray ? samples : try samples.still.converted(to: .rgb8))
    }

    /// The parameters in binary form.
    package func fields() throws(ImageError) -> Bytes {
        guard !parameters.isLinear else { throw ImageError(.unsupported, "gain map: Apple's format has no fields") }
        return try .copying(GainMapFields.write(parameters))
    }
}
