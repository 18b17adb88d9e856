import SDImage

extension Input {
    /// The caller's bytes, borrowed for the duration of a call.
    package static func callersBytes(_ bytes: UnsafeRawPointer?, _ length: Int) throws(ImageError) -> Bytes {
        let view = unsafe try content(bytes, length)
        return unsafe Bytes(lending: view.baseAddress, count: view.count)
    }
}

extension CoderRegistry {
    /// Decodes the caller's bytes.
    package func decodeCallersBytes(
        _ bytes: UnsafeRawPointer?, _ length: Int, _ options: DecodeOptions
    ) throws(ImageError) -> Image {
        let bytes = unsafe try Input.callersBytes(bytes, length)
        return try decode(bytes, options: options, stop: CancellationToken()).detached()
    }
}

extension Image {
    /// The image without references into the bytes it was decoded from: they belong to the caller and are valid during the call
    /// only.
    fileprivate func detached() throws(ImageError) -> Image {
        // The pixels are copies in any case; only the profile may be a slice.
        guard let profile = metadata.colorProfile else { return self }
        var metadata = metadata
        metadata.colorProfile = try profile.copiedIfLent()
        return with(metadata)
    }
}
