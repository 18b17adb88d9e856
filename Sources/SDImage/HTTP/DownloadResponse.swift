/// The answer of a server, as hooks see and change it.
package struct DownloadResponse: Sendable {
    /// After redirects, without user and password.
    package let url: CString
    package var status: Int32
    /// In their order; a name may come more than once.
    package var headers: [HeaderField]

    package init(url: CString, status: Int32, headers: [HeaderField]) {
        self.url = url
        self.status = status
        self.headers = headers
    }
}
