import CCurl

extension CurlLoader {
    /// Versions of libcurl and the libraries it was built with, printed by `doctor`.
    package static var libraryVersion: String {
        guard let version = unsafe curl_version() else { return "libcurl" }
        return unsafe String(cString: version)
    }
}
