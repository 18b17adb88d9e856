import CSDImage
import SDImage
import SDImageCurl

typealias DownloaderConfigObject = Box<DownloaderConfiguration>

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
        $0.maxBodyBytes = bytes > 0 ? bytes : DownloaderConfiguration().maxBodyBytes
    }
}

@_cdecl("sdimage_downloader_config_set_max_redirects") @implementation
public func sdimage_downloader_config_set_max_redirects(_ config: Object, _ count: UInt32) {
    unsafe change(config, DownloaderConfigObject.self) { $0.maxRedirects = Int(count) }
}

@_cdecl("sdimage_downloader_config_set_address_policy") @implementation
public func sdimage_downloader_config_set_address_policy(_ config: Object, _ policy: sdimage_address_policy) {
    unsafe change(config, DownloaderConfigObject.self) { config in
        config.addressPolicy = policy == .SDIMAGE_ADDRESS_POLICY_PUBLIC_ONLY ? .publicOnly : .any
    }
}

@_cdecl("sdimage_downloader_config_set_header") @implementation
public func sdimage_downloader_config_set_header(_ config: Object, _ name: Text, _ value: Text) {
    guard let field = unsafe Input.text(name) else { return }
    unsafe change(config, DownloaderConfigObject.self) { config in
        if field.lowercased() == "user-agent" {
            config.userAgent = unsafe Input.text(value) ?? ""
        } else {
            unsafe config.headers.set(field, Input.text(value))
        }
    }
}

@_cdecl("sdimage_downloader_config_set_ca_file") @implementation
public func sdimage_downloader_config_set_ca_file(_ config: Object, _ path: Text) {
    unsafe change(config, DownloaderConfigObject.self) { $0.certificateAuthorityFile = unsafe Input.text(path) }
}

@_cdecl("sdimage_downloader_new") @implementation
public func sdimage_downloader_new(_ config: Object, _ loader: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requirePlace(loader)
        let lease = try Engine.acquire()
        let configuration =
            unsafe config == nil ? DownloaderConfiguration() : try Handle.borrow(config, as: DownloaderConfigObject.self).value
        unsafe try give(LoaderObject(try CurlLoader(configuration, lease: lease)), loader)
    }
}
