import CCurl

extension CurlLoader {
    /// For `doctor`: libcurl and what it was built with.
    package static var libraryVersion: String {
        guard let version = unsafe curl_version() else { return "libcurl" }
        return unsafe String(cString: version)
    }
}
