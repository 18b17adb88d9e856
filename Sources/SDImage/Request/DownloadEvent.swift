/// A state change of a download.
/// Sent to the hook `event` of a download, and to nothing else.
package final class DownloadEvent: Sendable {
    /// Kinds in order of occurrence; `finished` follows `stopped` only after success.
    /// Raw values are those of the C interface.
    package enum Kind: Int32, Sendable {
        /// The request is about to be sent.
        case started = 1
        /// The head of a response has arrived.
        case responded = 2
        /// The transfer has ended, with or without an error.
        case stopped = 3
        /// The response was accepted.
        case finished = 4
    }

    package let kind: Kind
    /// The requested URL, without user and password.
    package let url: CString
    /// 0 before a response.
    package let httpStatus: Int32
    /// Bytes of the body so far.
    package let received: Int64
    /// Bytes announced by the response; -1 = unknown.
    package let expected: Int64
    /// Time since the download started.
    package let nanoseconds: UInt64
    /// The reason for stopping; nil on success.
    package let error: ImageError?

    /// `nanoseconds`: on the monotonic clock.
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
