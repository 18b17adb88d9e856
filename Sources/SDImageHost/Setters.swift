import CSDImage
import SDImage

extension DecodeOptions {
    /// Sets the thumbnail box; a zero side removes it. An unknown mode counts as `aspectFit`.
    package mutating func setThumbnail(_ width: UInt32, _ height: UInt32, _ mode: sdimage_scale_mode) {
        let box = PixelSize(width: Int(width), height: Int(height))
        thumbnailSize = box.isEmpty ? nil : box
        thumbnailMode = (try? ScaleMode(mode)) ?? .aspectFit
    }
}

extension EncodeOptions {
    /// Sets the box; a zero side removes it.
    package mutating func setMaxPixelSize(_ width: UInt32, _ height: UInt32) {
        let box = PixelSize(width: Int(width), height: Int(height))
        maxPixelSize = box.isEmpty ? nil : box
    }

    /// Sets a parameter. Encoding reports values out of range; unknown parameters change nothing.
    package mutating func setWebP(_ parameter: sdimage_webp_parameter, _ value: Double) {
        guard let known = WebPParameter(rawValue: Int32(bitPattern: parameter.rawValue)) else { return }
        webP[known] = value
    }
}

extension DecodeOptions {
    /// Sets the format; AUTOMATIC and unknown numbers leave the choice to the decode, and NATIVE keeps the depth of the file.
    package mutating func setPixelFormat(_ format: sdimage_pixel_format) {
        pixelFormat = PixelFormat(rawValue: Int32(bitPattern: format.rawValue))
        keepsDepth = format == .SDIMAGE_PIXEL_FORMAT_NATIVE
    }

    /// The number that `setPixelFormat` takes for these options.
    package var pixelFormatCode: sdimage_pixel_format {
        pixelFormat?.code ?? (keepsDepth ? .SDIMAGE_PIXEL_FORMAT_NATIVE : .SDIMAGE_PIXEL_FORMAT_AUTOMATIC)
    }
}

extension DecodeLimits {
    /// 0 restores both limits of the area.
    package mutating func setPixels(_ pixels: UInt64) {
        streamedPixels = pixels > 0 ? Int(clamping: pixels) : DecodeLimits.standard.streamedPixels
        heldPixels = pixels > 0 ? Int(clamping: pixels) : DecodeLimits.standard.heldPixels
    }
}

extension [HeaderField] {
    /// Replaces the field of that name (case-insensitive); nil removes it.
    package mutating func set(_ name: String, _ value: String?) {
        removeAll { $0.name.lowercased() == name.lowercased() }
        if let value { append(HeaderField(name: name, value: value)) }
    }
}

extension ImageRequest {
    /// Sets a header field; nil omits it.
    package mutating func setHeader(_ name: String, _ value: String?) {
        resetHeader(name)
        if let value { self.headers.append(HeaderField(name: name, value: value)) } else { self.omittedHeaders.append(name) }
    }

    /// Restores the header field of the loader.
    package mutating func resetHeader(_ name: String) {
        self.headers.set(name, nil)
        self.omittedHeaders.removeAll { $0.lowercased() == name.lowercased() }
    }
}
