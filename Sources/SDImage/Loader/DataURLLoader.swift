/// Loads `data:` URLs, which carry their content in themselves (RFC 2397).
package final class DataURLLoader: ImageLoader {
    package let name = "data"
    private let pool: WorkPool
    /// Keeps the pool's threads running.
    private let lease: EngineLease?
    private let maxBodyBytes: Int

    /// `pool` is where decoding computes.
    package init(pool: WorkPool, maxBodyBytes: Int = 64 << 20, lease: EngineLease? = nil) {
        self.lease = lease
        self.pool = pool
        self.maxBodyBytes = maxBodyBytes
    }

    package var isQuick: Bool { true }

    package func canLoad(_ request: ImageRequest) -> Bool { URLText(request.url).scheme == "data" }

    /// Never: comparing them costs as much as decoding them.
    package func sharingKey(_ request: ImageRequest) -> [UInt8]? { nil }

    package func load(_ request: ImageRequest, progress: LoadProgress) async throws(ImageError) -> LoadedData {
        let url = URLText(request.url)
        let limit = request.maxBodyBytes > 0 ? request.maxBodyBytes : maxBodyBytes
        do throws(ImageError) {
            var data = try await pool.run(request.priority) { () throws(ImageError) in
                try DataURLLoader.decode(url, limit: limit)
            }
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
        // A question mark is data like any other here, so the parts of a hierarchical URL do not apply.
        let whole = url.withoutFragment.dropFirst("data:".utf8.count)
        guard let comma = whole.firstIndex(of: Byte.comma) else { throw ImageError(.invalidURL, "data URL has no comma") }
        let parameters = String(decoding: whole[..<comma], as: UTF8.self).lowercased()
            .split(separator: ";", omittingEmptySubsequences: false).map { String($0).trimmedASCII }
        let text = whole[(comma + 1)...]
        let isBase64 = parameters.count > 1 && parameters.last == "base64"
        var data = LoadedData(bytes: isBase64 ? try Base64.decode(text, limit: limit) : try unescape(text, limit: limit))
        guard !data.bytes.isEmpty else { throw ImageError(.emptyData, "data URL carries no data") }
        data.mediaType = parameters.first.flatMap { $0.isEmpty ? nil : $0 } ?? "text/plain"
        return data
    }

    private static func unescape(_ text: ArraySlice<UInt8>, limit: Int) throws(ImageError) -> Bytes {
        var output = ByteBuilder(limit: limit)
        try output.reserve(text.count)
        var start = text.startIndex
        // In pieces, so that no array grows with the input.
        while start < text.endIndex {
            var end = min(start + Base64.piece, text.endIndex)
            // An escape is not cut in two.
            if end < text.endIndex, let percent = text[max(start, end - 2)..<end].lastIndex(of: Byte.percent) { end = percent }
            if end == start { end = min(start + 3, text.endIndex) }
            let piece = PercentEncoding.decode(text[start..<end])
            try output.append(piece)
            start = end
        }
        return output.finish()
    }
}
