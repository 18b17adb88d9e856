import CSDImage
import SDImage

extension DecodeOptions {
    /// Sets the thumbnail box; a zero side removes it.
    mutating func setThumbnail(_ width: UInt32, _ height: UInt32, _ preserveAspectRatio: Bool) {
        let box = PixelSize(width: Int(width), height: Int(height))
        thumbnailSize = box.isEmpty ? nil : box
        thumbnailMode = preserveAspectRatio ? .aspectFit : .fill
    }

    /// Sets the mode; unknown modes change nothing.
    mutating func setThumbnailMode(_ mode: sdimage_scale_mode) {
        thumbnailMode = ScaleMode(rawValue: Int32(bitPattern: mode.rawValue)) ?? thumbnailMode
    }
}

extension EncodeOptions {
    /// Sets the box; a zero side removes it.
    mutating func setMaxPixelSize(_ width: UInt32, _ height: UInt32) {
        let box = PixelSize(width: Int(width), height: Int(height))
        maxPixelSize = box.isEmpty ? nil : box
    }

    /// Sets a parameter. Encoding reports values out of range; unknown parameters change nothing.
    mutating func setWebP(_ parameter: sdimage_webp_parameter, _ value: Double) {
        guard let known = WebPParameter(rawValue: Int32(bitPattern: parameter.rawValue)) else { return }
        webP[known] = value
    }
}

extension DecodeLimits {
    /// 0 restores both limits of the area.
    mutating func setPixels(_ pixels: UInt64) {
        streamedPixels = pixels > 0 ? Int(clamping: pixels) : DecodeLimits.standard.streamedPixels
        heldPixels = pixels > 0 ? Int(clamping: pixels) : DecodeLimits.standard.heldPixels
    }
}

extension [HeaderField] {
    /// Replaces the field of that name (case-insensitive); nil removes it.
    mutating func set(_ name: String, _ value: String?) {
        removeAll { $0.name.lowercased() == name.lowercased() }
        if let value { append(HeaderField(name: name, value: value)) }
    }
}

extension ImageRequest {
    mutating func setHeader(_ name: String, _ value: String?) { self.headers.set(name, value) }
}

extension RequestObject {
    /// The request as a load takes it: checked for errors that no loader could handle, and with the option values for coders.
    func submitted() throws(ImageError) -> ImageRequest { try preparation().request }

    /// The same with the data that loads derive from it once; reused until the next change.
    func preparation() throws(ImageError) -> PreparedRequest {
        if let prepared { return prepared }
        guard String(validating: value.url, as: UTF8.self) != nil else {
            throw ImageError(.invalidArgument, "url: not valid UTF-8")
        }
        var request = value
        if request.options.count > 0 { request.decodeOptions.bag = FrozenOptions(request.options) }
        let made = PreparedRequest(request)
        prepared = made
        return made
    }
}
