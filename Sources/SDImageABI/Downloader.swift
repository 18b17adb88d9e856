import CSDImage
import SDImage
import SDImageCurl

typealias DownloaderConfigObject = Box<DownloaderConfiguration>

@_cdecl("sdimage_downloader_config_new") @implementation
public func sdimage_downloader_config_new() -> Object {
    Handle.own(DownloaderConfigObject(DownloaderConfiguration()))
}

@_cdecl("sdimage_downloader_config_ref") @implementation
public func sdimage_downloader_config_ref(_ config: Object) -> Object {
    Handle.ref(config, as: DownloaderConfigObject.self)
}

@_cdecl("sdimage_downloader_config_unref") @implementation
public func sdimage_downloader_config_unref(_ config: Object) {
    Handle.unref(config, as: DownloaderConfigObject.self)
}

@_cdecl("sdimage_downloader_config_set_max_per_host") @implementation
public func sdimage_downloader_config_set_max_per_host(_ config: Object, _ count: UInt32) {
    change(config, DownloaderConfigObject.self) { $0.maxPerHost = count > 0 ? Int(count) : DownloaderConfiguration().maxPerHost }
}

@_cdecl("sdimage_downloader_config_set_max_total") @implementation
public func sdimage_downloader_config_set_max_total(_ config: Object, _ count: UInt32) {
    change(config, DownloaderConfigObject.self) { $0.maxTotal = count > 0 ? Int(count) : DownloaderConfiguration().maxTotal }
}

@_cdecl("sdimage_downloader_config_set_execution_order") @implementation
public func sdimage_downloader_config_set_execution_order(_ config: Object, _ order: sdimage_execution_order) {
    change(config, DownloaderConfigObject.self) { $0.executionOrder = order == .SDIMAGE_EXECUTION_ORDER_LIFO ? .lifo : .fifo }
}

@_cdecl("sdimage_downloader_config_set_connect_timeout_ms") @implementation
public func sdimage_downloader_config_set_connect_timeout_ms(_ config: Object, _ timeoutMs: UInt32) {
    change(config, DownloaderConfigObject.self) { config in
        config.connectTimeoutMilliseconds = timeoutMs > 0 ? timeoutMs : DownloaderConfiguration().connectTimeoutMilliseconds
    }
}

@_cdecl("sdimage_downloader_config_set_inactivity_timeout_ms") @implementation
public func sdimage_downloader_config_set_inactivity_timeout_ms(_ config: Object, _ timeoutMs: UInt32) {
    change(config, DownloaderConfigObject.self) { config in
        config.inactivityTimeoutMilliseconds = timeoutMs > 0 ? timeoutMs : DownloaderConfiguration().inactivityTimeoutMilliseconds
    }
}

@_cdecl("sdimage_downloader_config_set_total_timeout_ms") @implementation
public func sdimage_downloader_config_set_total_timeout_ms(_ config: Object, _ timeoutMs: UInt32) {
    change(config, DownloaderConfigObject.self) { config in
        config.totalTimeoutMilliseconds = timeoutMs > 0 ? timeoutMs : DownloaderConfiguration().totalTimeoutMilliseconds
    }
}

@_cdecl("sdimage_downloader_config_set_max_body_bytes") @implementation
public func sdimage_downloader_config_set_max_body_bytes(_ config: Object, _ bytes: Int) {
    change(config, DownloaderConfigObject.self) { $0.maxBodyBytes = bytes > 0 ? bytes : DownloaderConfiguration().maxBodyBytes }
}

@_cdecl("sdimage_downloader_config_set_max_redirects") @implementation
public func sdimage_downloader_config_set_max_redirects(_ config: Object, _ count: UInt32) {
    change(config, DownloaderConfigObject.self) { $0.maxRedirects = Int(count) }
}

@_cdecl("sdimage_downloader_config_set_address_policy") @implementation
public func sdimage_downloader_config_set_address_policy(_ config: Object, _ policy: sdimage_address_policy) {
    change(config, DownloaderConfigObject.self) { config in
        config.addressPolicy = policy == .SDIMAGE_ADDRESS_POLICY_PUBLIC_ONLY ? .publicOnly : .any
    }
}

@_cdecl("sdimage_downloader_config_set_header") @implementation
public func sdimage_downloader_config_set_header(_ config: Object, _ name: Text, _ value: Text) {
    guard let field = Input.text(name) else { return }
    change(config, DownloaderConfigObject.self) { config in
        if field.lowercased() == "user-agent" {
            config.userAgent = Input.text(value) ?? ""
        } else {
            config.headers.set(field, Input.text(value))
        }
    }
}

@_cdecl("sdimage_downloader_config_set_ca_file") @implementation
public func sdimage_downloader_config_set_ca_file(_ config: Object, _ path: Text) {
    change(config, DownloaderConfigObject.self) { $0.certificateAuthorityFile = Input.text(path) }
}

@_cdecl("sdimage_downloader_new") @implementation
public func sdimage_downloader_new(_ config: Object, _ loader: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    attempt(error) { () throws(ImageError) in
        try requirePlace(loader)
        let configuration = config == nil ? DownloaderConfiguration() : try Handle.borrow(config, as: DownloaderConfigObject.self).value
        try give(LoaderObject(try CurlLoader(configuration: configuration, lease: try Engine.acquire())), loader)
    }
}
