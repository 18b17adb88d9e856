import Glibc

/// file: URLs (RFC 8089) of paths.
/// Requests for paths are made from these URLs, which the file loader opens.
package enum FileURL {
    /// The URL of a path, which may be relative to the working directory. Empty for an empty path, and if the working directory
    /// no longer exists.
    package static func of(_ path: [UInt8]) -> [UInt8] {
        guard let first = path.first, let absolute = first == Byte.slash ? path : workingDirectory.map({ $0 + path }) else {
            return []
        }
        // Everything but unreserved characters and "/" is escaped, so that "?" and "#" in a name stay part of the
        // path.
        return Array("file://".utf8) + PercentEncoding.encode(absolute) { $0 == Byte.slash || PercentEncoding.isUnreserved($0) }
    }

    /// With a slash at its end.
    private static var workingDirectory: [UInt8]? {
        guard let path = unsafe getcwd(nil, 0) else { return nil }
        defer { unsafe free(path) }
        let bytes = unsafe Array(UnsafeRawBufferPointer(start: path, count: strlen(path)))
        return bytes.last == Byte.slash ? bytes : bytes + [Byte.slash]
    }
}
