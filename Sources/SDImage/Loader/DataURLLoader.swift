/// Loads `data:` URLs, which contain their content (RFC 2397).
/// Runs its decodes on the workers that may block. Images are stored in memory, but not on disk.
package final class DataURLLoader: ImageLoader {
    package let name = "data"
    package let number = UniqueNumber.next()
    private let pool: WorkPool
    /// Keeps the pool's threads running.
    private let lease: EngineLease?
    /// Largest decoded content in bytes, unless the request sets a limit.
    private let maxBodyBytes: Int

    /// `pool` runs the decoding.
    package init(pool: WorkPool, maxBodyBytes: Int = 64 << 20, lease: EngineLease? = nil) {
        self.lease = lease
        self.pool = pool
        self.maxBodyBytes = maxBodyBytes
    }

    package var isQuick: Bool { true }

    package func canLoad(_ request: ImageRequest) -> Bool { request.urlText.hasScheme("data") }

    /// nil: comparing data URLs costs as much as decoding them.
    package func sharingKey(_ request: ImageRequest) -> SharingKey? { nil }

    /// nil: a failure costs no transfer, and the URL that would be remembered is as large as its content.
    package func failureKey(_ request: ImageRequest) -> [UInt8]? { nil }

    package func load(_ request: ImageRequest, progress: LoadProgress) async throws(ImageError) -> LoadedData {
        let url = request.urlText
        let limit = request.maxBodyBytes > 0 ? request.maxBodyBytes : maxBodyBytes
        do throws(ImageError) {
            var data = try await pool.run(request.priority) { () throws(ImageError) in
                try DataURLLoader.decode(url, limit: limit)
            }
            // Decoding a URL is short; the cancellation is checked once.
            if Task.isCancelled { throw .cancelled }
            data.finalURL = request.url
            data.isWorthKeeping = false
            progress(Int64(data.bytes.count), Int64(data.bytes.count))
            return data
        } catch { throw error.about(url: url.redacted) }
    }

    /// Splits `data:[<media type>][;base64],<data>` and decodes the data.
    static func decode(_ url: URLText, limit: Int) throws(ImageError) -> LoadedData {
        try url.validate()
        // A question mark is ordinary data here, so the components of a hierarchical URL do not apply.
        let whole = url.withoutFragment.dropFirst("data:".utf8.count)
        guard let comma = whole.firstIndex(of: Byte.comma) else { throw ImageError(.invalidURL, "data url: no comma") }
        let parameters = whole[..<comma]
        let text = whole[(comma + 1)...]
        // Only the last parameter can be "base64" (RFC 2397, section 3).
        let isBase64 = lastParameter(of: parameters) == "base64"
        var data = LoadedData(bytes: isBase64 ? try Base64.decode(text, limit: limit) : try unescape(text, limit: limit))
        guard !data.bytes.isEmpty else { throw ImageError(.emptyData, "data url: no data") }
        data.mediaType = mediaType(of: parameters)
        return data
    }

    /// Longest type and subtype together (RFC 6838, section 4.2), plus a slash.
    private static let longestMediaType = 255

    /// The text before the first semicolon. Parameters may be as long as the URL and are not parsed.
    private static func mediaType(of parameters: ArraySlice<UInt8>) -> String {
        let type = word(parameters.prefix { $0 != Byte.semicolon })
        return type.isEmpty ? "text/plain" : type
    }

    /// The text after the last semicolon; nil without one.
    private static func lastParameter(of parameters: ArraySlice<UInt8>) -> String? {
        parameters.lastIndex(of: Byte.semicolon).map { word(parameters[($0 + 1)...]) }
    }

    /// Lowercase text without surrounding white space; empty when it is longer than `longestMediaType`.
    private static func word(_ bytes: ArraySlice<UInt8>) -> String {
        let bare = bytes.drop(while: Byte.isSpace)
        let end = bare.lastIndex { !Byte.isSpace($0) }.map { $0 + 1 } ?? bare.startIndex
        guard end - bare.startIndex <= longestMediaType else { return "" }
        return String(decoding: bare[..<end].map(Byte.lowercased), as: UTF8.self)
    }

    /// Decodes percent-encoded data. Throws `tooLarge` above `limit` bytes.
    private static func unescape(_ text: ArraySlice<UInt8>, limit: Int) throws(ImageError) -> Bytes {
        var output = ByteBuilder(limit: limit)
        try output.reserve(text.count)
        var start = text.startIndex
        // Decodes in pieces, so that no array grows with the input.
        while start < text.endIndex {
            var end = min(start + Base64.piece, text.endIndex)
            // Keeps an escape within one piece.
            if end < text.endIndex, let percent = text[max(start, end - 2)..<end].lastIndex(of: Byte.percent) { end = percent }
            if end == start { end = min(start + 3, text.endIndex) }
            let piece = PercentEncoding.decode(text[start..<end])
            try output.append(piece)
            start = end
        }
        return output.finish()
    }
}
