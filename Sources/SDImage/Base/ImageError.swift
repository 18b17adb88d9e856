/// Reason for the failure of an operation: a stable code, one line of text, and the underlying error code.
///
/// A class, because results and callbacks lend it by reference to the C caller.
/// Every function of the engine that can fail throws it; the C interface hands it out as an error object.
@usableFromInline package final class ImageError: Error, Sendable {
    /// The reason that programs compare; texts may change.
    package let status: Status
    /// One line, impersonal, without facts that the caller already knows; NUL-terminated for lending.
    package let message: CString
    /// HTTP status code, or 0.
    package let httpStatus: Int32
    /// `errno` of the failed call, or 0.
    package let systemError: Int32
    /// Code of the codec, transport or database library, or 0.
    package let libraryCode: Int32
    /// The URL being loaded, without user and password; empty if no URL was involved.
    package let url: CString
    /// The error that caused this one, if any.
    /// Set for errors that repeat another one, such as `failedURL`.
    package let cause: ImageError?
    /// HTTP exchanges before the failure.
    /// In order, including redirects and retries.
    package let transactions: [LoadTransaction]

    package init(
        _ status: Status, _ message: String, httpStatus: Int32 = 0, systemError: Int32 = 0, libraryCode: Int32 = 0,
        url: CString = .empty, cause: ImageError? = nil, transactions: [LoadTransaction] = []
    ) {
        self.status = status
        self.message = CString(ImageError.line(message))
        self.httpStatus = httpStatus
        self.systemError = systemError
        self.libraryCode = libraryCode
        self.url = url
        self.cause = cause
        self.transactions = transactions
    }

    /// The text with question marks for line ends: names and paths of the host may contain some, and would forge lines of a log.
    static func line(_ text: String) -> String {
        let ends = [Byte.newline, Byte.carriageReturn]
        guard text.utf8.contains(where: ends.contains) else { return text }
        return String(decoding: text.utf8.map { ends.contains($0) ? Byte.question : $0 }, as: UTF8.self)
    }

    /// The same error with `url`, unless it already has one.
    /// The first URL wins: it is the one where the failure happened.
    package func about(url: CString) -> ImageError {
        guard self.url.isEmpty else { return self }
        return ImageError(
            status, message.string, httpStatus: httpStatus, systemError: systemError, libraryCode: libraryCode, url: url,
            cause: cause, transactions: transactions)
    }

    /// The same error with the exchanges before it, unless it already has some.
    package func after(_ transactions: [LoadTransaction]) -> ImageError {
        guard self.transactions.isEmpty, !transactions.isEmpty else { return self }
        return ImageError(
            status, message.string, httpStatus: httpStatus, systemError: systemError, libraryCode: libraryCode, url: url,
            cause: cause, transactions: transactions)
    }

    /// The message includes the exceeded limit, so that the user can raise it.
    /// `what`: the exceeded quantity, after the part of the library that limits it.
    package static func tooLarge(_ what: String, limit: Int) -> ImageError {
        ImageError(.tooLarge, "\(what) exceeds the limit of \(limit)")
    }

    /// `bytes`: the size that was refused, for the message.
    package static func noMemory(_ bytes: Int) -> ImageError {
        ImageError(.noMemory, "memory: allocation of \(bytes) bytes failed")
    }

    /// Shared instances: these errors carry no facts of a single load.
    package static let cancelled = ImageError(.cancelled, "task: cancelled")
    package static let shutdown = ImageError(.shutdown, "library: closed or shut down")
    package static let forked = ImageError(.forked, "library: not available in a forked child")
}
