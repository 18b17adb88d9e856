// The functions of include/sdimage/downloader.h that make and change downloaders: `sdimage_downloader_config` is a
// `DownloaderConfigObject`, and a downloader is a `LoaderObject` with a `CurlLoader`.

import CSDImage
import SDImage
import SDImageCurl
import SDImageHost

typealias DownloaderConfigObject = Box<DownloaderConfiguration>

extension DownloaderConfiguration: ForkRuled {
    package static var forkRule: ForkRule { .usable }
}

/// The downloader behind a pointer; nil for any other loader.
func downloader(_ pointer: Object) -> CurlLoader? {
    unsafe Handle.find(pointer, as: LoaderObject.self)?.loader as? CurlLoader
}

@_cdecl("sdimage_downloader_config_new") @implementation
public func sdimage_downloader_config_new() -> Object {
    unsafe Handle.own(DownloaderConfigObject(DownloaderConfiguration()))
}

@_cdecl("sdimage_downloader_config_ref") @implementation
public func sdimage_downloader_config_ref(_ config: Object) -> Object {
    unsafe Handle.ref(config, as: DownloaderConfigObject.self)
}

@_cdecl("sdimage_downloader_config_unref") @implementation
public func sdimage_downloader_config_unref(_ config: Object) {
    unsafe Handle.unref(config, as: DownloaderConfigObject.self)
}

@_cdecl("sdimage_downloader_config_set_max_per_host") @implementation
public func sdimage_downloader_config_set_max_per_host(_ config: Object, _ count: UInt32) {
    unsafe change(config, DownloaderConfigObject.self) {
        $0.maxPerHost = count > 0 ? Int(count) : DownloaderConfiguration().maxPerHost
    }
}

@_cdecl("sdimage_downloader_config_set_max_total") @implementation
public func sdimage_downloader_config_set_max_total(_ config: Object, _ count: UInt32) {
    unsafe change(config, DownloaderConfigObject.self) {
        $0.maxTotal = count > 0 ? Int(count) : DownloaderConfiguration().maxTotal
    }
}

@_cdecl("sdimage_downloader_config_set_max_retries") @implementation
public func sdimage_downloader_config_set_max_retries(_ config: Object, _ count: UInt32) {
    unsafe change(config, DownloaderConfigObject.self) { $0.maxRetries = count }
}

@_cdecl("sdimage_downloader_config_set_retry_delay_ms") @implementation
public func sdimage_downloader_config_set_retry_delay_ms(_ config: Object, _ firstMs: UInt32, _ longestMs: UInt32) {
    unsafe change(config, DownloaderConfigObject.self) { config in
        let standard = DownloaderConfiguration()
        config.retryDelayMilliseconds = firstMs > 0 ? firstMs : standard.retryDelayMilliseconds
        config.longestRetryDelayMilliseconds = longestMs > 0 ? longestMs : standard.longestRetryDelayMilliseconds
    }
}

@_cdecl("sdimage_downloader_config_set_max_retry_after_ms") @implementation
public func sdimage_downloader_config_set_max_retry_after_ms(_ config: Object, _ retryAfterMs: UInt32) {
    unsafe change(config, DownloaderConfigObject.self) {
        $0.longestRetryAfterMilliseconds =
            retryAfterMs > 0 ? retryAfterMs : DownloaderConfiguration().longestRetryAfterMilliseconds
    }
}

@_cdecl("sdimage_downloader_config_set_execution_order") @implementation
public func sdimage_downloader_config_set_execution_order(_ config: Object, _ order: sdimage_execution_order) {
    unsafe change(config, DownloaderConfigObject.self) {
        $0.executionOrder = order == .SDIMAGE_EXECUTION_ORDER_LIFO ? .lifo : .fifo
    }
}

@_cdecl("sdimage_downloader_config_set_connect_timeout_ms") @implementation
public func sdimage_downloader_config_set_connect_timeout_ms(_ config: Object, _ timeoutMs: UInt32) {
    unsafe change(config, DownloaderConfigObject.self) { config in
        config.connectTimeoutMilliseconds = timeoutMs > 0 ? timeoutMs : DownloaderConfiguration().connectTimeoutMilliseconds
    }
}

@_cdecl("sdimage_downloader_config_set_inactivity_timeout_ms") @implementation
public func sdimage_downloader_config_set_inactivity_timeout_ms(_ config: Object, _ timeoutMs: UInt32) {
    unsafe change(config, DownloaderConfigObject.self) { config in
        config.inactivityTimeoutMilliseconds = timeoutMs > 0 ? timeoutMs : DownloaderConfiguration().inactivityTimeoutMilliseconds
    }
}

@_cdecl("sdimage_downloader_config_set_total_timeout_ms") @implementation
public func sdimage_downloader_config_set_total_timeout_ms(_ config: Object, _ timeoutMs: UInt32) {
    unsafe change(config, DownloaderConfigObject.self) { config in
        config.totalTimeoutMilliseconds = timeoutMs > 0 ? timeoutMs : DownloaderConfiguration().totalTimeoutMilliseconds
    }
}

@_cdecl("sdimage_downloader_config_set_max_body_bytes") @implementation
public func sdimage_downloader_config_set_max_body_bytes(_ config: Object, _ bytes: Int) {
    unsafe change(config, DownloaderConfigObject.self) {
        $0.maxBodyBytes = bytes == 0 ? DownloaderConfiguration().maxBodyBytes : Input.size(bytes)
    }
}

@_cdecl("sdimage_downloader_config_set_max_redirects") @implementation
public func sdimage_downloader_config_set_max_redirects(_ config: Object, _ count: UInt32) {
    unsafe change(config, DownloaderConfigObject.self) { $0.maxRedirects = Int(count) }
}

@_cdecl("sdimage_downloader_config_set_address_policy") @implementation
public func sdimage_downloader_config_set_address_policy(_ config: Object, _ policy: sdimage_address_policy) {
    unsafe change(config, DownloaderConfigObject.self) { config in
        config.addressPolicy = policy == .SDIMAGE_ADDRESS_POLICY_ANY ? .any : .publicOnly
    }
}

@_cdecl("sdimage_downloader_config_add_allowed_address") @implementation
public func sdimage_downloader_config_add_allowed_address(_ config: Object, _ range: Text, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let config = unsafe try Handle.borrow(config, as: DownloaderConfigObject.self)
        let text = unsafe try Input.text(range, named: "address range")
        config.value.allowedAddresses.append(try AddressRange(text))
    }
}

@_cdecl("sdimage_downloader_config_clear_allowed_addresses") @implementation
public func sdimage_downloader_config_clear_allowed_addresses(_ config: Object) {
    unsafe change(config, DownloaderConfigObject.self) { $0.allowedAddresses = [] }
}

@_cdecl("sdimage_downloader_config_allowed_address") @implementation
public func sdimage_downloader_config_allowed_address(_ config: Object, _ index: Int) -> Text {
    guard let box = unsafe Handle.find(config, as: DownloaderConfigObject.self),
        box.value.allowedAddresses.indices.contains(index)
    else { return nil }
    return unsafe box.value.allowedAddresses[index].text.pointer
}

@_cdecl("sdimage_downloader_config_clear_acceptable_statuses") @implementation
public func sdimage_downloader_config_clear_acceptable_statuses(_ config: Object) {
    unsafe change(config, DownloaderConfigObject.self) { $0.acceptableStatuses = nil }
}

@_cdecl("sdimage_downloader_config_add_acceptable_statuses") @implementation
public func sdimage_downloader_config_add_acceptable_statuses(_ config: Object, _ first: Int32, _ last: Int32) {
    unsafe change(config, DownloaderConfigObject.self) { config in
        if first <= last { config.acceptableStatuses = (config.acceptableStatuses ?? []) + [first...last] }
    }
}

@_cdecl("sdimage_downloader_config_add_acceptable_type") @implementation
public func sdimage_downloader_config_add_acceptable_type(_ config: Object, _ mediaType: Text) {
    unsafe change(config, DownloaderConfigObject.self) { config in
        let type = unsafe Input.text(mediaType).map { Set([$0.lowercased()]) }
        config.acceptableContentTypes = type?.union(config.acceptableContentTypes ?? [])
    }
}

@_cdecl("sdimage_downloader_config_set_min_progress_interval") @implementation
public func sdimage_downloader_config_set_min_progress_interval(_ config: Object, _ fraction: Double) {
    unsafe change(config, DownloaderConfigObject.self) { $0.minProgressInterval = fraction > 0 ? min(fraction, 1) : 0 }
}

@_cdecl("sdimage_downloader_config_set_user_agent") @implementation
public func sdimage_downloader_config_set_user_agent(_ config: Object, _ text: Text) {
    unsafe change(config, DownloaderConfigObject.self) { config in
        config.fields.userAgent = unsafe Input.text(text) ?? DownloaderConfiguration.defaultUserAgent
    }
}

@_cdecl("sdimage_downloader_config_set_credential") @implementation
public func sdimage_downloader_config_set_credential(_ config: Object, _ user: Text, _ password: Text) {
    let password = unsafe Input.text(password) ?? ""
    unsafe change(config, DownloaderConfigObject.self) { config in
        config.credential = unsafe Input.text(user).map { Credential(user: $0, password: password) }
    }
}

@_cdecl("sdimage_downloader_config_set_bearer_token") @implementation
public func sdimage_downloader_config_set_bearer_token(_ config: Object, _ token: Text) {
    unsafe change(config, DownloaderConfigObject.self) { $0.bearerToken = unsafe Input.text(token) }
}

@_cdecl("sdimage_downloader_config_set_client_certificate") @implementation
public func sdimage_downloader_config_set_client_certificate(
    _ config: Object, _ certificateFile: Text, _ keyFile: Text, _ keyPassword: Text
) {
    let (key, password) = unsafe (Input.text(keyFile), Input.text(keyPassword))
    unsafe change(config, DownloaderConfigObject.self) { config in
        config.clientCertificate = unsafe Input.text(certificateFile).map {
            ClientCertificate(certificateFile: $0, keyFile: key, keyPassword: password)
        }
    }
}

@_cdecl("sdimage_downloader_config_set_proxy") @implementation
public func sdimage_downloader_config_set_proxy(_ config: Object, _ url: Text, _ except: Text) {
    unsafe change(config, DownloaderConfigObject.self) { config in
        config.proxy = unsafe Input.text(url)
        config.proxyExceptions = unsafe Input.text(except) ?? ""
    }
}

@_cdecl("sdimage_downloader_config_set_unix_socket") @implementation
public func sdimage_downloader_config_set_unix_socket(_ config: Object, _ path: Text) {
    unsafe change(config, DownloaderConfigObject.self) { $0.unixSocketPath = unsafe Input.text(path) }
}

@_cdecl("sdimage_downloader_config_set_http_version") @implementation
public func sdimage_downloader_config_set_http_version(_ config: Object, _ version: sdimage_http_version) {
    unsafe change(config, DownloaderConfigObject.self) {
        $0.httpVersion = version == .SDIMAGE_HTTP_VERSION_1_1 ? .http1 : .automatic
    }
}

@_cdecl("sdimage_downloader_config_set_header") @implementation
public func sdimage_downloader_config_set_header(_ config: Object, _ name: Text, _ value: Text) {
    guard let field = unsafe Input.text(name) else { return }
    unsafe change(config, DownloaderConfigObject.self) { config in
        unsafe config.fields.set(field, Input.text(value))
    }
}

@_cdecl("sdimage_downloader_config_set_ca_file") @implementation
public func sdimage_downloader_config_set_ca_file(_ config: Object, _ path: Text) {
    unsafe change(config, DownloaderConfigObject.self) { $0.certificateAuthorityFile = unsafe Input.text(path) }
}

@_cdecl("sdimage_downloader_new") @implementation
public func sdimage_downloader_new(_ config: Object, _ loader: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(loader)
        let lease = try Engine.acquire()
        let configuration =
            unsafe config == nil ? DownloaderConfiguration() : try Handle.borrow(config, as: DownloaderConfigObject.self).value
        unsafe try give(LoaderObject(try CurlLoader(configuration, lease: lease)), loader)
    }
}

@_cdecl("sdimage_downloader_set_max_per_host") @implementation
public func sdimage_downloader_set_max_per_host(_ downloader: Object, _ count: UInt32) {
    unsafe SDImageABI.downloader(downloader)?.changeLimits {
        $0.maxPerHost = count > 0 ? Int(count) : DownloaderConfiguration().maxPerHost
    }
}

@_cdecl("sdimage_downloader_set_max_total") @implementation
public func sdimage_downloader_set_max_total(_ downloader: Object, _ count: UInt32) {
    unsafe SDImageABI.downloader(downloader)?.changeLimits {
        $0.maxTotal = count > 0 ? Int(count) : DownloaderConfiguration().maxTotal
    }
}

@_cdecl("sdimage_downloader_set_execution_order") @implementation
public func sdimage_downloader_set_execution_order(_ downloader: Object, _ order: sdimage_execution_order) {
    unsafe SDImageABI.downloader(downloader)?.changeLimits {
        $0.executionOrder = order == .SDIMAGE_EXECUTION_ORDER_LIFO ? .lifo : .fifo
    }
}

@_cdecl("sdimage_downloader_set_suspended") @implementation
public func sdimage_downloader_set_suspended(_ downloader: Object, _ suspended: Bool) {
    unsafe SDImageABI.downloader(downloader)?.changeLimits { $0.isSuspended = suspended }
}

@_cdecl("sdimage_downloader_is_suspended") @implementation
public func sdimage_downloader_is_suspended(_ downloader: Object) -> Bool {
    unsafe SDImageABI.downloader(downloader)?.limits.isSuspended ?? false
}

@_cdecl("sdimage_downloader_transfer_count") @implementation
public func sdimage_downloader_transfer_count(_ downloader: Object) -> Int {
    unsafe SDImageABI.downloader(downloader)?.transferCount ?? 0
}

@_cdecl("sdimage_downloader_cancel_all") @implementation
public func sdimage_downloader_cancel_all(_ downloader: Object) {
    unsafe SDImageABI.downloader(downloader)?.cancelAll()
}

@_cdecl("sdimage_downloader_invalidate") @implementation
public func sdimage_downloader_invalidate(_ downloader: Object, _ cancel: Bool) {
    unsafe SDImageABI.downloader(downloader)?.invalidate(cancelling: cancel)
}

@_cdecl("sdimage_downloader_set_header") @implementation
public func sdimage_downloader_set_header(_ downloader: Object, _ name: Text, _ value: Text, _ error: ObjectOut) -> sdimage_status
{
    unsafe attempt(error) { () throws(ImageError) in
        guard let loader = unsafe try Handle.borrow(downloader, as: LoaderObject.self).loader as? CurlLoader else {
            throw ImageError(.invalidArgument, "downloader: loader of another kind")
        }
        let name = unsafe try Input.text(name, named: "name of a header field")
        try loader.setField(name, unsafe Input.text(value))
    }
}
