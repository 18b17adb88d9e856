/// One request and its answer within a load: redirects and retries add more.
package struct LoadTransaction: Sendable {
    /// Without user and password.
    package var url = CString.empty
    /// 0 when no answer came.
    package var httpStatus: Int32 = 0
    /// "HTTP/1.1", "HTTP/2"; empty when no answer came.
    package var protocolName: StaticString = ""
    /// "192.0.2.1:443", "[2001:db8::1]:443"; empty when nothing was connected to.
    package var remoteAddress = CString.empty
    /// The request went over a connection that an earlier one had opened.
    package var isConnectionReused = false
    /// As they came: heads, and the body before its encoding was undone.
    package var wireBytes: UInt64 = 0
    /// With the encoding undone.
    package var bodyBytes: UInt64 = 0

    /// Nanoseconds from the start of the transaction to the end of each phase; 0 where it did not run.
    package var nameLookup: UInt64 = 0
    package var connect: UInt64 = 0
    package var tls: UInt64 = 0
    package var firstByte: UInt64 = 0
    package var total: UInt64 = 0

    package init() {}
}
