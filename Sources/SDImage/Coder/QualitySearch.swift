extension EncodeOptions {
    /// Encodes with the best quality whose file does not exceed `maxFileSize`, if that is set; with the lowest quality if none
    /// fits.
    /// Tries the best quality first, then searches by bisection.
    package func keepingFileSize(_ encode: (Double) throws(ImageError) -> Bytes) throws(ImageError) -> Bytes {
        if maxFileSize > 0, isLossless {
            throw ImageError(.invalidArgument, "encoder: a maximum file size requires lossy encoding")
        }
        let first = try encode(maxFileSize > 0 ? 1 : quality)
        guard maxFileSize > 0, first.count > maxFileSize else { return first }
        // Steps of 1/100, as fine as the quality scales of the codecs.
        var best: Bytes?
        var low = 0
        var high = 99
        while low <= high {
            let middle = (low + high) / 2
            let file = try encode(Double(middle) / 100)
            if file.count <= maxFileSize {
                best = file
                low = middle + 1
            } else {
                high = middle - 1
            }
        }
        if let best { return best }
        return try encode(0)
    }
}
