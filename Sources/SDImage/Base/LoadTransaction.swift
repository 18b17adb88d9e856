/// One exchange (request and response) of a load; redirects and retries add more.
/// The loader of HTTP measures it; results and errors list all of them for the metrics of the host.
package struct LoadTransaction: Sendable {
    /// Requested URL, without user and password.
    package var url = CString.empty
    /// 0 if no response arrived.
    package var httpStatus: Int32 = 0
    /// "HTTP/1.1", "HTTP/2"; empty if no response arrived.
    package var protocolName: StaticString = ""
    /// "192.0.2.1:443", "[2001:db8::1]:443"; empty if no connection was made.
    package var remoteAddress = CString.empty
    /// True if the request used an existing connection.
    package var isConnectionReused = false
    /// Bytes as received: header sections, and bodies with their content coding.
    package var wireBytes: UInt64 = 0
    /// Bytes of the body after content decoding.
    package var bodyBytes: UInt64 = 0

    /// Nanoseconds from the start of the exchange to the end of each phase; 0 for a phase that did not run.
    package var nameLookup: UInt64 = 0
    package var connect: UInt64 = 0
    package var tls: UInt64 = 0
    package var firstByte: UInt64 = 0
    package var total: UInt64 = 0

    package init() {}
}
