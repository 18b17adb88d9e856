// The getters of include/sdimage/downloader.h, for configurations and for running downloaders.

import CSDImage
import SDImage
import SDImageCurl
import SDImageHost

/// The value of an option of a running downloader; nil for any other loader.
private func limit<Value>(_ downloader: Object, _ value: (QueueLimits) -> Value) -> Value? {
    (unsafe Handle.find(downloader, as: LoaderObject.self)?.loader as? CurlLoader).map { value($0.limits) }
}

extension ExecutionOrder {
    fileprivate var code: sdimage_execution_order {
        self == .lifo ? .SDIMAGE_EXECUTION_ORDER_LIFO : .SDIMAGE_EXECUTION_ORDER_FIFO
    }
}

extension DownloaderConfiguration {
    /// The URL of the proxy without user and password, which may come first when it has no scheme.
    fileprivate var publicProxy: [UInt8]? {
        guard let bytes = proxy.map({ Array($0.utf8) }) else { return nil }
        guard let end = bytes.lastIndex(of: Byte.at) else { return bytes }
        let separator = Array("://".utf8)
        let scheme = bytes.prefix { $0 != Byte.colon }.count
        let start = bytes[scheme...].starts(with: separator) ? scheme + separator.count : 0
        return Array(bytes[..<start] + bytes[(end + 1)...])
    }
}

@_cdecl("sdimage_downloader_config_max_per_host") @implementation
public func sdimage_downloader_config_max_per_host(_ config: Object) -> UInt32 {
    unsafe read(config, DownloaderConfigObject.self, 0) { UInt32(clamping: $0.value.maxPerHost) }
}

@_cdecl("sdimage_downloader_config_max_total") @implementation
public func sdimage_downloader_config_max_total(_ config: Object) -> UInt32 {
    unsafe read(config, DownloaderConfigObject.self, 0) { UInt32(clamping: $0.value.maxTotal) }
}

@_cdecl("sdimage_downloader_config_max_retries") @implementation
public func sdimage_downloader_config_max_retries(_ config: Object) -> UInt32 {
    unsafe read(config, DownloaderConfigObject.self, 0) { UInt32(clamping: $0.value.maxRetries) }
}

@_cdecl("sdimage_downloader_config_get_retry_delay_ms") @implementation
public func sdimage_downloader_config_get_retry_delay_ms(
    _ config: Object, _ firstMs: UnsafeMutablePointer<UInt32>?, _ longestMs: UnsafeMutablePointer<UInt32>?
) {
    let value = unsafe Handle.find(config, as: DownloaderConfigObject.self)?.value
    unsafe firstMs?.pointee = value.map { $0.retryDelayMilliseconds } ?? 0
    unsafe longestMs?.pointee = value.map { $0.longestRetryDelayMilliseconds } ?? 0
}

@_cdecl("sdimage_downloader_config_max_retry_after_ms") @implementation
public func sdimage_downloader_config_max_retry_after_ms(_ config: Object) -> UInt32 {
    unsafe read(config, DownloaderConfigObject.self, 0) { UInt32(clamping: $0.value.longestRetryAfterMilliseconds) }
}

@_cdecl("sdimage_downloader_config_execution_order") @implementation
public func sdimage_downloader_config_execution_order(_ config: Object) -> sdimage_execution_order {
    unsafe read(config, DownloaderConfigObject.self, .SDIMAGE_EXECUTION_ORDER_FIFO) { $0.value.executionOrder.code }
}

@_cdecl("sdimage_downloader_config_connect_timeout_ms") @implementation
public func sdimage_downloader_config_connect_timeout_ms(_ config: Object) -> UInt32 {
    unsafe read(config, DownloaderConfigObject.self, 0) { UInt32(clamping: $0.value.connectTimeoutMilliseconds) }
}

@_cdecl("sdimage_downloader_config_inactivity_timeout_ms") @implementation
public func sdimage_downloader_config_inactivity_timeout_ms(_ config: Object) -> UInt32 {
    unsafe read(config, DownloaderConfigObject.self, 0) { UInt32(clamping: $0.value.inactivityTimeoutMilliseconds) }
}

@_cdecl("sdimage_downloader_config_total_timeout_ms") @implementation
public func sdimage_downloader_config_total_timeout_ms(_ config: Object) -> UInt32 {
    unsafe read(config, DownloaderConfigObject.self, 0) { UInt32(clamping: $0.value.totalTimeoutMilliseconds) }
}

@_cdecl("sdimage_downloader_config_max_body_bytes") @implementation
public func sdimage_downloader_config_max_body_bytes(_ config: Object) -> Int {
    unsafe read(config, DownloaderConfigObject.self, 0) { $0.value.maxBodyBytes }
}

@_cdecl("sdimage_downloader_config_max_redirects") @implementation
public func sdimage_downloader_config_max_redirects(_ config: Object) -> UInt32 {
    unsafe read(config, DownloaderConfigObject.self, 0) { UInt32(clamping: $0.value.maxRedirects) }
}

@_cdecl("sdimage_downloader_config_address_policy") @implementation
public func sdimage_downloader_config_address_policy(_ config: Object) -> sdimage_address_policy {
    unsafe read(config, DownloaderConfigObject.self, .SDIMAGE_ADDRESS_POLICY_ANY) {
        $0.value.addressPolicy == .publicOnly ? .SDIMAGE_ADDRESS_POLICY_PUBLIC_ONLY : .SDIMAGE_ADDRESS_POLICY_ANY
    }
}

@_cdecl("sdimage_downloader_config_get_acceptable_statuses") @implementation
public func sdimage_downloader_config_get_acceptable_statuses(
    _ config: Object, _ index: Int, _ first: UnsafeMutablePointer<Int32>?, _ last: UnsafeMutablePointer<Int32>?
) -> Bool {
    let ranges = unsafe read(config, DownloaderConfigObject.self, []) { $0.value.acceptableStatuses ?? [] }
    let range = ranges.indices.contains(index) ? ranges[index] : nil
    unsafe first?.pointee = range?.lowerBound ?? 0
    unsafe last?.pointee = range?.upperBound ?? 0
    return range != nil
}

@_cdecl("sdimage_downloader_config_acceptable_type") @implementation
public func sdimage_downloader_config_acceptable_type(_ config: Object, _ index: Int) -> Text {
    unsafe read(config, DownloaderConfigObject.self, nil) { config in
        let types = (config.value.acceptableContentTypes ?? []).sorted()
        return unsafe config.lent.text("type \(index)", types.indices.contains(index) ? types[index] : nil)?.pointer
    }
}

@_cdecl("sdimage_downloader_config_min_progress_interval") @implementation
public func sdimage_downloader_config_min_progress_interval(_ config: Object) -> Double {
    unsafe read(config, DownloaderConfigObject.self, 0) { $0.value.minProgressInterval }
}

@_cdecl("sdimage_downloader_config_user_agent") @implementation
public func sdimage_downloader_config_user_agent(_ config: Object) -> Text {
    unsafe read(config, DownloaderConfigObject.self, CString.empty.pointer) {
        unsafe $0.lent.text("user_agent", $0.value.fields.userAgent)?.pointer
    }
}

@_cdecl("sdimage_downloader_config_has_credential") @implementation
public func sdimage_downloader_config_has_credential(_ config: Object) -> Bool {
    unsafe read(config, DownloaderConfigObject.self, false) { $0.value.credential != nil }
}

@_cdecl("sdimage_downloader_config_credential_user") @implementation
public func sdimage_downloader_config_credential_user(_ config: Object) -> Text {
    unsafe read(config, DownloaderConfigObject.self, nil) {
        unsafe $0.lent.text("credential_user", $0.value.credential?.user)?.pointer
    }
}

@_cdecl("sdimage_downloader_config_has_bearer_token") @implementation
public func sdimage_downloader_config_has_bearer_token(_ config: Object) -> Bool {
    unsafe read(config, DownloaderConfigObject.self, false) { $0.value.bearerToken != nil }
}

@_cdecl("sdimage_downloader_config_has_client_certificate") @implementation
public func sdimage_downloader_config_has_client_certificate(_ config: Object) -> Bool {
    unsafe read(config, DownloaderConfigObject.self, false) { $0.value.clientCertificate != nil }
}

@_cdecl("sdimage_downloader_config_client_certificate_file") @implementation
public func sdimage_downloader_config_client_certificate_file(_ config: Object) -> Text {
    unsafe read(config, DownloaderConfigObject.self, nil) {
        unsafe $0.lent.text("client_certificate_file", $0.value.clientCertificate?.certificateFile)?.pointer
    }
}

@_cdecl("sdimage_downloader_config_client_key_file") @implementation
public func sdimage_downloader_config_client_key_file(_ config: Object) -> Text {
    unsafe read(config, DownloaderConfigObject.self, nil) {
        unsafe $0.lent.text("client_key_file", $0.value.clientCertificate?.keyFile)?.pointer
    }
}

@_cdecl("sdimage_downloader_config_proxy") @implementation
public func sdimage_downloader_config_proxy(_ config: Object) -> Text {
    unsafe read(config, DownloaderConfigObject.self, nil) { config in
        return unsafe config.lent.text("proxy", config.value.publicProxy)?.pointer
    }
}

@_cdecl("sdimage_downloader_config_proxy_exceptions") @implementation
public func sdimage_downloader_config_proxy_exceptions(_ config: Object) -> Text {
    unsafe read(config, DownloaderConfigObject.self, CString.empty.pointer) {
        unsafe $0.lent.text("proxy_exceptions", $0.value.proxyExceptions)?.pointer
    }
}

@_cdecl("sdimage_downloader_config_unix_socket") @implementation
public func sdimage_downloader_config_unix_socket(_ config: Object) -> Text {
    unsafe read(config, DownloaderConfigObject.self, nil) { unsafe $0.lent.text("unix_socket", $0.value.unixSocketPath)?.pointer }
}

@_cdecl("sdimage_downloader_config_http_version") @implementation
public func sdimage_downloader_config_http_version(_ config: Object) -> sdimage_http_version {
    unsafe read(config, DownloaderConfigObject.self, .SDIMAGE_HTTP_VERSION_AUTOMATIC) {
        $0.value.httpVersion == .http1 ? .SDIMAGE_HTTP_VERSION_1_1 : .SDIMAGE_HTTP_VERSION_AUTOMATIC
    }
}

@_cdecl("sdimage_downloader_config_header") @implementation
public func sdimage_downloader_config_header(_ config: Object, _ name: Text) -> Text {
    guard let name = unsafe Input.text(name)?.lowercased() else { return nil }
    return unsafe read(config, DownloaderConfigObject.self, nil) { config in
        let field = config.value.fields.all.first { $0.name.lowercased() == name }
        return unsafe config.lent.text("header \(name)", field?.value)?.pointer
    }
}

@_cdecl("sdimage_downloader_config_header_at") @implementation
public func sdimage_downloader_config_header_at(_ config: Object, _ index: Int, _ value: UnsafeMutablePointer<Text>?) -> Text {
    let config = unsafe Handle.find(config, as: DownloaderConfigObject.self)
    let fields = config?.value.fields.all ?? []
    let field = fields.indices.contains(index) ? fields[index] : nil
    unsafe value?.pointee = unsafe config?.lent.text("value \(index)", field?.value)?.pointer
    return unsafe config?.lent.text("name \(index)", field?.name)?.pointer
}

@_cdecl("sdimage_downloader_config_ca_file") @implementation
public func sdimage_downloader_config_ca_file(_ config: Object) -> Text {
    unsafe read(config, DownloaderConfigObject.self, nil) {
        unsafe $0.lent.text("ca_file", $0.value.certificateAuthorityFile)?.pointer
    }
}

@_cdecl("sdimage_downloader_max_per_host") @implementation
public func sdimage_downloader_max_per_host(_ downloader: Object) -> UInt32 {
    UInt32(clamping: unsafe limit(downloader, { $0.maxPerHost }) ?? 0)
}

@_cdecl("sdimage_downloader_max_total") @implementation
public func sdimage_downloader_max_total(_ downloader: Object) -> UInt32 {
    UInt32(clamping: unsafe limit(downloader, { $0.maxTotal }) ?? 0)
}

@_cdecl("sdimage_downloader_execution_order") @implementation
public func sdimage_downloader_execution_order(_ downloader: Object) -> sdimage_execution_order {
    (unsafe limit(downloader) { $0.executionOrder } ?? .fifo).code
}

@_cdecl("sdimage_downloader_get_header") @implementation
public func sdimage_downloader_get_header(_ downloader: Object, _ name: Text, _ value: ObjectOut) {
    guard let value = unsafe value else { return }
    let name = unsafe Input.text(name) ?? ""
    let field = unsafe SDImageABI.downloader(downloader)?.fields.all.first { $0.isNamed(name) }
    unsafe value.pointee = field.map { unsafe Handle.own(Bytes(CString($0.value))) } ?? nil
}

@_cdecl("sdimage_downloader_get_header_at") @implementation
public func sdimage_downloader_get_header_at(_ downloader: Object, _ index: Int, _ name: ObjectOut, _ value: ObjectOut) -> Bool {
    let fields = unsafe SDImageABI.downloader(downloader)?.fields.all ?? []
    let field = fields.indices.contains(index) ? fields[index] : nil
    if let name = unsafe name { unsafe name.pointee = field.map { unsafe Handle.own(Bytes(CString($0.name))) } ?? nil }
    if let value = unsafe value { unsafe value.pointee = field.map { unsafe Handle.own(Bytes(CString($0.value))) } ?? nil }
    return field != nil
}
