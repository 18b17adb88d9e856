// The getters of include/sdimage/request.h. Texts are lent by the request.

import CSDImage
import SDImage
import SDImageHost

@_cdecl("sdimage_request_cache_key") @implementation
public func sdimage_request_cache_key(_ request: Object, _ length: UnsafeMutablePointer<Int>?) -> UnsafeRawPointer? {
    let key = unsafe read(request, RequestObject.self, nil) { $0.cacheKey }
    unsafe length?.pointee = key?.count ?? 0
    return unsafe key.map { unsafe UnsafeRawPointer($0.pointer) }
}

@_cdecl("sdimage_request_priority") @implementation
public func sdimage_request_priority(_ request: Object) -> sdimage_priority {
    unsafe read(request, RequestObject.self, .SDIMAGE_PRIORITY_NORMAL) { $0.value.priority.code }
}

@_cdecl("sdimage_request_source_policy") @implementation
public func sdimage_request_source_policy(_ request: Object) -> sdimage_source_policy {
    unsafe read(request, RequestObject.self, .SDIMAGE_SOURCE_POLICY_ANY) { $0.value.sourcePolicy.code }
}

@_cdecl("sdimage_request_thumbnail_size") @implementation
public func sdimage_request_thumbnail_size(_ request: Object) -> sdimage_size {
    unsafe read(request, RequestObject.self, sdimage_size()) {
        ($0.value.decodeOptions.thumbnailSize ?? PixelSize(width: 0, height: 0)).code
    }
}

@_cdecl("sdimage_request_pixel_format") @implementation
public func sdimage_request_pixel_format(_ request: Object) -> sdimage_pixel_format {
    unsafe read(request, RequestObject.self, .SDIMAGE_PIXEL_FORMAT_AUTOMATIC) { $0.value.decodeOptions.pixelFormatCode }
}

@_cdecl("sdimage_request_thumbnail_mode") @implementation
public func sdimage_request_thumbnail_mode(_ request: Object) -> sdimage_scale_mode {
    unsafe read(request, RequestObject.self, .SDIMAGE_SCALE_MODE_ASPECT_FIT) { $0.value.decodeOptions.thumbnailMode.code }
}

@_cdecl("sdimage_request_is_progressive") @implementation
public func sdimage_request_is_progressive(_ request: Object) -> Bool {
    unsafe read(request, RequestObject.self, false) { $0.value.isProgressive }
}

@_cdecl("sdimage_request_progressive_interval_ms") @implementation
public func sdimage_request_progressive_interval_ms(_ request: Object) -> UInt32 {
    unsafe read(request, RequestObject.self, 0) { $0.value.progressiveIntervalMilliseconds }
}

@_cdecl("sdimage_request_has_early_thumbnail") @implementation
public func sdimage_request_has_early_thumbnail(_ request: Object) -> Bool {
    unsafe read(request, RequestObject.self, false) { $0.value.decodeOptions.earlyThumbnail }
}

@_cdecl("sdimage_request_copy_encode_options") @implementation
public func sdimage_request_copy_encode_options(_ request: Object, _ options: ObjectOut) {
    unsafe hand(Handle.find(request, as: RequestObject.self), options) {
        EncodeOptionsObject.lending($0.value.encodeOptions ?? EncodeOptions())
    }
}

@_cdecl("sdimage_request_encode_format") @implementation
public func sdimage_request_encode_format(_ request: Object) -> sdimage_format {
    unsafe read(request, RequestObject.self, .SDIMAGE_FORMAT_UNKNOWN) { $0.value.encodeFormat.code }
}

@_cdecl("sdimage_request_should_include_data") @implementation
public func sdimage_request_should_include_data(_ request: Object) -> Bool {
    unsafe read(request, RequestObject.self, false) { $0.value.includesData }
}

@_cdecl("sdimage_request_blocking_reads") @implementation
public func sdimage_request_blocking_reads(_ request: Object) -> sdimage_blocking_reads {
    unsafe read(request, RequestObject.self, .SDIMAGE_BLOCKING_READS_NONE) { $0.value.blockingReads.code }
}

@_cdecl("sdimage_request_should_wait_for_store") @implementation
public func sdimage_request_should_wait_for_store(_ request: Object) -> Bool {
    unsafe read(request, RequestObject.self, false) { $0.value.waitForStore }
}

@_cdecl("sdimage_request_should_retry_failed") @implementation
public func sdimage_request_should_retry_failed(_ request: Object) -> Bool {
    unsafe read(request, RequestObject.self, false) { $0.value.retryFailed }
}

@_cdecl("sdimage_request_freshness") @implementation
public func sdimage_request_freshness(_ request: Object) -> sdimage_freshness {
    unsafe read(request, RequestObject.self, .SDIMAGE_FRESHNESS_IGNORE) { ($0.value.freshness ?? .ignore).code }
}

@_cdecl("sdimage_request_has_freshness") @implementation
public func sdimage_request_has_freshness(_ request: Object) -> Bool {
    unsafe read(request, RequestObject.self, false) { $0.value.freshness != nil }
}

@_cdecl("sdimage_request_timeout_ms") @implementation
public func sdimage_request_timeout_ms(_ request: Object) -> UInt32 {
    unsafe read(request, RequestObject.self, 0) { $0.value.timeoutMilliseconds }
}

@_cdecl("sdimage_request_max_retries") @implementation
public func sdimage_request_max_retries(_ request: Object) -> UInt32 {
    unsafe read(request, RequestObject.self, 0) { $0.value.maxRetries ?? 0 }
}

@_cdecl("sdimage_request_has_max_retries") @implementation
public func sdimage_request_has_max_retries(_ request: Object) -> Bool {
    unsafe read(request, RequestObject.self, false) { $0.value.maxRetries != nil }
}

@_cdecl("sdimage_request_should_handle_cookies") @implementation
public func sdimage_request_should_handle_cookies(_ request: Object) -> Bool {
    unsafe read(request, RequestObject.self, false) { $0.value.handlesCookies }
}

@_cdecl("sdimage_request_should_accept_invalid_certificates") @implementation
public func sdimage_request_should_accept_invalid_certificates(_ request: Object) -> Bool {
    unsafe read(request, RequestObject.self, false) { $0.value.acceptsInvalidCertificates }
}

@_cdecl("sdimage_request_max_body_bytes") @implementation
public func sdimage_request_max_body_bytes(_ request: Object) -> Int {
    unsafe read(request, RequestObject.self, 0) { $0.value.maxBodyBytes }
}

@_cdecl("sdimage_request_get_dispatcher") @implementation
public func sdimage_request_get_dispatcher(_ request: Object, _ dispatcher: ObjectOut) -> Bool {
    unsafe hand(read(request, RequestObject.self, nil) { $0.value.dispatcher }, dispatcher) { DispatcherObject($0) }
}

@_cdecl("sdimage_request_get_cache") @implementation
public func sdimage_request_get_cache(_ request: Object, _ cache: ObjectOut) -> Bool {
    unsafe hand(read(request, RequestObject.self, nil) { $0.value.cache }, cache) { CacheObject($0) }
}

@_cdecl("sdimage_request_get_loader") @implementation
public func sdimage_request_get_loader(_ request: Object, _ loader: ObjectOut) -> Bool {
    unsafe hand(read(request, RequestObject.self, nil) { $0.value.loader }, loader) { LoaderObject($0) }
}

@_cdecl("sdimage_request_get_coder") @implementation
public func sdimage_request_get_coder(_ request: Object, _ coder: ObjectOut) {
    unsafe hand(read(request, RequestObject.self, nil) { $0.value.coder }, coder) { CoderObject($0) }
}

@_cdecl("sdimage_request_get_original_cache") @implementation
public func sdimage_request_get_original_cache(_ request: Object, _ cache: ObjectOut) -> Bool {
    unsafe hand(read(request, RequestObject.self, nil) { $0.value.originalCache }, cache) { CacheObject($0) }
}

@_cdecl("sdimage_request_get_transformer") @implementation
public func sdimage_request_get_transformer(_ request: Object, _ transformer: ObjectOut) -> Bool {
    unsafe hand(read(request, RequestObject.self, nil) { $0.value.transformer }, transformer) { TransformerObject($0) }
}

@_cdecl("sdimage_request_should_transform_animated") @implementation
public func sdimage_request_should_transform_animated(_ request: Object) -> Bool {
    unsafe read(request, RequestObject.self, false) { $0.value.transformsAnimated }
}

@_cdecl("sdimage_request_should_transform_vector") @implementation
public func sdimage_request_should_transform_vector(_ request: Object) -> Bool {
    unsafe read(request, RequestObject.self, false) { $0.value.transformsVector }
}

@_cdecl("sdimage_request_should_preload_frames") @implementation
public func sdimage_request_should_preload_frames(_ request: Object) -> Bool {
    unsafe read(request, RequestObject.self, false) { $0.value.preloadsFrames }
}

@_cdecl("sdimage_request_should_require_animation") @implementation
public func sdimage_request_should_require_animation(_ request: Object) -> Bool {
    unsafe read(request, RequestObject.self, false) { $0.value.requiresAnimation }
}
