import CCurl
import SDImage

extension EasyHandle {
    /// Measurements of libcurl for the hop that has just ended.
    /// Must be called before the handle is used for another hop.
    func transaction(of transfer: Transfer) -> LoadTransaction {
        var made = LoadTransaction()
        made.url = transfer.url.redacted
        made.httpStatus = unsafe Int32(truncatingIfNeeded: ccurl_info_long(curl, CURLINFO_RESPONSE_CODE))
        if made.httpStatus > 0 { made.protocolName = protocolName }
        made.remoteAddress = remoteAddress
        // A hop that failed before its connection counts as new.
        made.isConnectionReused = unsafe transfer.hop.isConnected && ccurl_info_long(curl, CURLINFO_NUM_CONNECTS) == 0
        // Received bytes of head and body, before their content coding is decoded.
        made.wireBytes = count(CURLINFO_SIZE_DOWNLOAD_T) &+ UInt64(max(0, unsafe ccurl_info_long(curl, CURLINFO_HEADER_SIZE)))
        made.bodyBytes = UInt64(transfer.hopBytes)
        made.nameLookup = nanoseconds(CURLINFO_NAMELOOKUP_TIME_T)
        made.connect = nanoseconds(CURLINFO_CONNECT_TIME_T)
        made.tls = nanoseconds(CURLINFO_APPCONNECT_TIME_T)
        made.firstByte = nanoseconds(CURLINFO_STARTTRANSFER_TIME_T)
        made.total = nanoseconds(CURLINFO_TOTAL_TIME_T)
        return made
    }

    /// "" for a version that libcurl cannot name here.
    private var protocolName: StaticString {
        switch unsafe UInt32(truncatingIfNeeded: ccurl_info_long(curl, CURLINFO_HTTP_VERSION)) {
        case UInt32(CURL_HTTP_VERSION_1_0): "HTTP/1.0"
        case UInt32(CURL_HTTP_VERSION_1_1): "HTTP/1.1"
        case UInt32(CURL_HTTP_VERSION_2_0): "HTTP/2"
        default: ""
        }
    }

    /// Address and port in the form of a URL authority; empty without a connection.
    private var remoteAddress: CString {
        let address = unsafe String(cString: ccurl_info_string(curl, CURLINFO_PRIMARY_IP))
        guard !address.isEmpty else { return .empty }
        let port = unsafe ccurl_info_long(curl, CURLINFO_PRIMARY_PORT)
        guard port > 0 else { return CString(address) }
        return CString(address.utf8.contains(Byte.colon) ? "[\(address)]:\(port)" : "\(address):\(port)")
    }

    /// 0 for a number that libcurl does not know.
    private func count(_ info: CURLINFO) -> UInt64 { UInt64(max(0, unsafe ccurl_info_offset(curl, info))) }

    /// Converts a time from the microseconds of libcurl.
    private func nanoseconds(_ info: CURLINFO) -> UInt64 { Durations.nanoseconds(microseconds: count(info)) }
}
