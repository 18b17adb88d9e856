/// Response of a server, which hooks can read and change.
/// Made by the HTTP engine if hooks need the fields, by transports of the host, and by `ReceivedHead`.
package struct DownloadResponse: Sendable {
    /// URL after redirects, without user and password.
    package let url: CString
    /// HTTP status; 0 in a response that only describes changes of fields.
    package var status: Int32
    /// Fields in their received order; a name may occur more than once.
    package var headers: [HeaderField]

    package init(url: CString, status: Int32, headers: [HeaderField]) {
        self.url = url
        self.status = status
        self.headers = headers
    }
}
