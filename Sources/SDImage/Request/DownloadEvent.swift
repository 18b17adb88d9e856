/// A state change of a download.
package final class DownloadEvent: Sendable {
    /// Kinds in order of occurrence; `finished` follows `stopped` only after success.
    package enum Kind: Int32, Sendable {
        case started = 1
        case responded = 2
        case stopped = 3
        case finished = 4
    }

    package let kind: Kind
    /// The requested URL, without user and password.
    package let url: CString
    /// 0 before a response.
    package let httpStatus: Int32
    package let received: Int64
    /// -1 = unknown.
    package let expected: Int64
    /// Time since the download started.
    package let nanoseconds: UInt64
    /// The reason for stopping; nil on success.
    package let error: ImageError?

    package init(
        _ kind: Kind, url: CString, httpStatus: Int32, received: Int64, expected: Int64, nanoseconds: UInt64, error: ImageError?
    ) {
        self.kind = kind
        self.url = url
        self.httpStatus = httpStatus
        self.received = received
        self.expected = expected
        self.nanoseconds = nanoseconds
        self.error = error
    }
}
