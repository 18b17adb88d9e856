/// Response of a server, which hooks can read and change.
package struct DownloadResponse: Sendable {
    /// URL after redirects, without user and password.
    package let url: CString
    package var status: Int32
    /// Fields in their received order; a name may occur more than once.
    package var headers: [HeaderField]

    package init(url: CString, status: Int32, headers: [HeaderField]) {
        self.url = url
        self.status = status
        self.headers = headers
    }
}
