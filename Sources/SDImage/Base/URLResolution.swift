extension URLText {
    /// Resolves `reference`, found in the response to this URL, to a complete URL (RFC 3986, section 5.2).
    ///
    /// Spaces and bytes outside ASCII are escaped, as browsers do for the field `Location`. The fragment is that of the
    /// reference, or else inherited (RFC 9110, section 10.2.2).
    /// The downloader resolves the field `Location` with it, and checks the result like any other URL.
    package func resolving(_ reference: [UInt8]) -> URLText {
        let reference = URLText(PercentEncoding.encode(reference) { $0 > Byte.space && $0 < Byte.delete })
        var result: [UInt8] = []
        // Unlike section 5.2.2, dot segments of a complete reference stay: the server sees the path as it was sent.
        if !reference.scheme.isEmpty {
            result = Array(reference.withoutFragment)
        } else if reference.hasAuthority {
            result = Array(scheme.utf8) + [Byte.colon] + reference.withoutFragment
        } else {
            result = Array(bytes[..<path.startIndex]) + mergedPath(reference)
            // An empty reference keeps the query of the base.
            if let query = reference.query ?? (reference.path.isEmpty ? query : nil) { result += [Byte.question] + query }
        }
        if let fragment = reference.fragment ?? fragment { result += [Byte.hash] + fragment }
        return URLText(result)
    }

    /// The path of the result (RFC 3986, sections 5.2.2 and 5.2.3).
    private func mergedPath(_ reference: URLText) -> [UInt8] {
        if reference.path.isEmpty { return Array(path) }
        if reference.path.first == Byte.slash { return URLText.removingDotSegments(reference.path) }
        // A base with an authority and an empty path counts as "/".
        let folder = path.lastIndex(of: Byte.slash).map { path[...$0] } ?? [Byte.slash]
        return URLText.removingDotSegments((Array(folder) + reference.path)[...])
    }

    /// Removes dot segments (RFC 3986, section 5.2.4) from a path that begins with "/".
    private static func removingDotSegments(_ path: ArraySlice<UInt8>) -> [UInt8] {
        let dot = [Byte.dot][...]
        let segments = path.dropFirst().split(separator: Byte.slash, omittingEmptySubsequences: false)
        var output: [ArraySlice<UInt8>] = []
        for (index, segment) in segments.enumerated() {
            let isParent = segment == [Byte.dot, Byte.dot][...]
            // ".." above the root has no effect.
            if isParent { _ = output.popLast() }
            if !isParent, segment != dot {
                output.append(segment)
            } else if index == segments.count - 1 {
                output.append([])  // a final dot segment names a folder
            }
        }
        return [Byte.slash] + output.joined(separator: [Byte.slash])
    }
}
