// The functions of include/sdimage/request.h that change requests. `sdimage_request` is a `RequestObject`; a load takes a copy.

import CSDImage
import SDImage
import SDImageHost

/// Runs a setter on the request's value.
private func change(_ pointer: Object, _ body: (inout ImageRequest) -> Void) {
    if let request = unsafe Handle.find(pointer, as: RequestObject.self) { request.change(body) }
}

/// The setting for an argument: an object, none for NULL, or the value before for a handle of another kind.
private func setting<T: HandleObject, Value>(
    _ pointer: Object, _ type: T.Type, _ before: Setting<Value>, _ value: (T) -> Value
) -> Setting<Value> {
    guard unsafe pointer != nil else { return .none }
    return unsafe Handle.find(pointer, as: type).map { .value(value($0)) } ?? before
}

@_cdecl("sdimage_request_new") @implementation
public func sdimage_request_new(_ url: Text) -> Object {
    unsafe sdimage_request_new_bytes(url, -1)
}

@_cdecl("sdimage_request_new_bytes") @implementation
public func sdimage_request_new_bytes(_ url: Text, _ length: Int) -> Object {
    let bytes = unsafe try? Input.bytes(url, length)
    return unsafe Handle.own(RequestObject(ImageRequest(url: bytes ?? [])))
}

@_cdecl("sdimage_request_new_file") @implementation
public func sdimage_request_new_file(_ path: Text) -> Object {
    let path = unsafe (try? Input.bytes(path, -1)) ?? []
    return unsafe Handle.own(RequestObject(ImageRequest(url: FileURL.of(path))))
}

@_cdecl("sdimage_url_escape") @implementation
public func sdimage_url_escape(_ text: Text, _ length: Int, _ escaped: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(escaped)
        let bytes = unsafe try Input.bytes(text, length)
        unsafe try give(Bytes(CString(PercentEncoding.encode(bytes, keeping: PercentEncoding.isUnreserved))), escaped)
    }
}

@_cdecl("sdimage_request_ref") @implementation
public func sdimage_request_ref(_ request: Object) -> Object {
    unsafe Handle.ref(request, as: RequestObject.self)
}

@_cdecl("sdimage_request_unref") @implementation
public func sdimage_request_unref(_ request: Object) {
    unsafe Handle.unref(request, as: RequestObject.self)
}

@_cdecl("sdimage_request_copy") @implementation
public func sdimage_request_copy(_ request: Object) -> Object {
    unsafe read(request, RequestObject.self, nil) { unsafe Handle.own(RequestObject($0.value)) }
}

@_cdecl("sdimage_request_url") @implementation
public func sdimage_request_url(_ request: Object, _ length: UnsafeMutablePointer<Int>?) -> Text {
    unsafe length?.pointee = 0
    return unsafe read(request, RequestObject.self, CString.empty.pointer) { request in
        unsafe length?.pointee = request.url.count
        return unsafe request.url.pointer
    }
}

@_cdecl("sdimage_request_set_url") @implementation
public func sdimage_request_set_url(_ request: Object, _ url: Text, _ length: Int) {
    unsafe Handle.find(request, as: RequestObject.self)?.setURL((try? Input.bytes(url, length)) ?? [])
}

@_cdecl("sdimage_request_set_cache_key") @implementation
public func sdimage_request_set_cache_key(_ request: Object, _ key: UnsafeRawPointer?, _ length: Int) {
    unsafe change(request) { $0.cacheKey = unsafe key == nil ? nil : (try? Input.bytes(key, length)) ?? [] }
}

@_cdecl("sdimage_request_set_priority") @implementation
public func sdimage_request_set_priority(_ request: Object, _ priority: sdimage_priority) {
    unsafe change(request) { $0.priority = LoadPriority(rawValue: priority.rawValue) ?? .normal }
}

@_cdecl("sdimage_request_set_source_policy") @implementation
public func sdimage_request_set_source_policy(_ request: Object, _ policy: sdimage_source_policy) {
    unsafe change(request) { $0.sourcePolicy = SourcePolicy(rawValue: Int32(bitPattern: policy.rawValue)) ?? .any }
}

@_cdecl("sdimage_request_set_thumbnail_size") @implementation
public func sdimage_request_set_thumbnail_size(
    _ request: Object, _ width: UInt32, _ height: UInt32, _ mode: sdimage_scale_mode
) {
    unsafe change(request) { $0.decodeOptions.setThumbnail(width, height, mode) }
}

@_cdecl("sdimage_request_set_pixel_format") @implementation
public func sdimage_request_set_pixel_format(_ request: Object, _ format: sdimage_pixel_format) {
    unsafe change(request) { $0.decodeOptions.setPixelFormat(format) }
}

@_cdecl("sdimage_request_set_decode_options") @implementation
public func sdimage_request_set_decode_options(_ request: Object, _ options: Object) {
    unsafe change(request) { $0.decodeOptions = unsafe (try? Input.decodeOptions(options)) ?? $0.decodeOptions }
}

@_cdecl("sdimage_request_copy_decode_options") @implementation
public func sdimage_request_copy_decode_options(_ request: Object, _ options: ObjectOut) {
    unsafe hand(Handle.find(request, as: RequestObject.self), options) { DecodeOptionsObject.lending($0.value.decodeOptions) }
}

@_cdecl("sdimage_request_set_progressive") @implementation
public func sdimage_request_set_progressive(_ request: Object, _ progressive: Bool) {
    unsafe change(request) { $0.isProgressive = progressive }
}

@_cdecl("sdimage_request_set_progressive_interval_ms") @implementation
public func sdimage_request_set_progressive_interval_ms(_ request: Object, _ intervalMs: UInt32) {
    unsafe change(request) {
        $0.progressiveIntervalMilliseconds = intervalMs > 0 ? intervalMs : ImageRequest.standardProgressiveInterval
    }
}

@_cdecl("sdimage_request_set_early_thumbnail") @implementation
public func sdimage_request_set_early_thumbnail(_ request: Object, _ early: Bool) {
    unsafe change(request) { $0.decodeOptions.earlyThumbnail = early }
}

@_cdecl("sdimage_request_set_cache_policy") @implementation
public func sdimage_request_set_cache_policy(_ request: Object, _ policy: sdimage_cache_policy) {
    unsafe change(request) { $0.cachePolicy = CachePolicy(rawValue: policy.rawValue) }
}

@_cdecl("sdimage_request_cache_policy") @implementation
public func sdimage_request_cache_policy(_ request: Object) -> sdimage_cache_policy {
    unsafe read(request, RequestObject.self, .SDIMAGE_CACHE_POLICY_DEFAULT) { request in
        unsafe unsafeBitCast(request.value.cachePolicy.rawValue, to: sdimage_cache_policy.self)
    }
}

@_cdecl("sdimage_request_set_encode_options") @implementation
public func sdimage_request_set_encode_options(_ request: Object, _ options: Object) {
    unsafe change(request) { request in
        guard unsafe options != nil else { return request.encodeOptions = nil }
        request.encodeOptions = unsafe (try? Input.encodeOptions(options)) ?? request.encodeOptions
    }
}

@_cdecl("sdimage_request_set_encode_format") @implementation
public func sdimage_request_set_encode_format(_ request: Object, _ format: sdimage_format) {
    unsafe change(request) { $0.encodeFormat = ImageFormat(rawValue: format.rawValue) ?? .unknown }
}

@_cdecl("sdimage_request_set_include_data") @implementation
public func sdimage_request_set_include_data(_ request: Object, _ includesData: Bool) {
    unsafe change(request) { $0.includesData = includesData }
}

@_cdecl("sdimage_request_set_blocking_reads") @implementation
public func sdimage_request_set_blocking_reads(_ request: Object, _ reads: sdimage_blocking_reads) {
    unsafe change(request) { $0.blockingReads = BlockingReads(rawValue: Int32(bitPattern: reads.rawValue)) }
}

@_cdecl("sdimage_request_set_wait_for_store") @implementation
public func sdimage_request_set_wait_for_store(_ request: Object, _ wait: Bool) {
    unsafe change(request) { $0.waitForStore = wait }
}

@_cdecl("sdimage_request_set_retry_failed") @implementation
public func sdimage_request_set_retry_failed(_ request: Object, _ retry: Bool) {
    unsafe change(request) { $0.retryFailed = retry }
}

@_cdecl("sdimage_request_set_freshness") @implementation
public func sdimage_request_set_freshness(_ request: Object, _ freshness: sdimage_freshness) {
    unsafe change(request) { $0.freshness = FreshnessPolicy(freshness) }
}

@_cdecl("sdimage_request_reset_freshness") @implementation
public func sdimage_request_reset_freshness(_ request: Object) {
    unsafe change(request) { $0.freshness = nil }
}

@_cdecl("sdimage_request_set_header") @implementation
public func sdimage_request_set_header(_ request: Object, _ name: Text, _ value: Text) {
    guard let field = unsafe Input.text(name) else { return }
    unsafe change(request) { unsafe $0.setHeader(field, Input.text(value)) }
}

@_cdecl("sdimage_request_reset_header") @implementation
public func sdimage_request_reset_header(_ request: Object, _ name: Text) {
    guard let field = unsafe Input.text(name) else { return }
    unsafe change(request) { $0.resetHeader(field) }
}

@_cdecl("sdimage_request_has_header") @implementation
public func sdimage_request_has_header(_ request: Object, _ name: Text) -> Bool {
    guard let name = unsafe Input.text(name)?.lowercased() else { return false }
    return unsafe read(request, RequestObject.self, false) { request in
        (request.value.headers.map(\.name) + request.value.omittedHeaders).contains { $0.lowercased() == name }
    }
}

@_cdecl("sdimage_request_header") @implementation
public func sdimage_request_header(_ request: Object, _ name: Text) -> Text {
    guard let name = unsafe Input.text(name) else { return nil }
    return unsafe read(request, RequestObject.self, nil) { unsafe $0.header(name)?.pointer }
}

@_cdecl("sdimage_request_header_at") @implementation
public func sdimage_request_header_at(_ request: Object, _ index: Int, _ value: UnsafeMutablePointer<Text>?) -> Text {
    let field = unsafe read(request, RequestObject.self, nil) { $0.header(at: index) }
    if let value = unsafe value { unsafe value.pointee = field?.value.pointer }
    return unsafe field?.name.pointer
}

@_cdecl("sdimage_request_set_method") @implementation
public func sdimage_request_set_method(_ request: Object, _ method: Text) {
    unsafe Handle.find(request, as: RequestObject.self)?.setMethod(Input.text(method))
}

@_cdecl("sdimage_request_method") @implementation
public func sdimage_request_method(_ request: Object) -> Text {
    unsafe read(request, RequestObject.self, CString.empty.pointer) { unsafe $0.method.pointer }
}

@_cdecl("sdimage_request_set_body") @implementation
public func sdimage_request_set_body(_ request: Object, _ body: Object) {
    unsafe change(request) { $0.body = unsafe Handle.find(body, as: Bytes.self) }
}

@_cdecl("sdimage_request_body") @implementation
public func sdimage_request_body(_ request: Object) -> Object {
    unsafe read(request, RequestObject.self, nil) { unsafe Handle.lend($0.value.body) }
}

@_cdecl("sdimage_request_set_timeout_ms") @implementation
public func sdimage_request_set_timeout_ms(_ request: Object, _ timeoutMs: UInt32) {
    unsafe change(request) { $0.timeoutMilliseconds = timeoutMs }
}

@_cdecl("sdimage_request_set_max_retries") @implementation
public func sdimage_request_set_max_retries(_ request: Object, _ count: UInt32) {
    unsafe change(request) { $0.maxRetries = count }
}

@_cdecl("sdimage_request_reset_max_retries") @implementation
public func sdimage_request_reset_max_retries(_ request: Object) {
    unsafe change(request) { $0.maxRetries = nil }
}

@_cdecl("sdimage_request_set_handle_cookies") @implementation
public func sdimage_request_set_handle_cookies(_ request: Object, _ handle: Bool) {
    unsafe change(request) { $0.handlesCookies = handle }
}

@_cdecl("sdimage_request_set_accept_invalid_certificates") @implementation
public func sdimage_request_set_accept_invalid_certificates(_ request: Object, _ accept: Bool) {
    unsafe change(request) { $0.acceptsInvalidCertificates = accept }
}

@_cdecl("sdimage_request_set_max_body_bytes") @implementation
public func sdimage_request_set_max_body_bytes(_ request: Object, _ bytes: Int) {
    unsafe change(request) { $0.maxBodyBytes = Input.size(bytes) }
}

@_cdecl("sdimage_request_set_dispatcher") @implementation
public func sdimage_request_set_dispatcher(_ request: Object, _ dispatcher: Object) {
    unsafe change(request) { $0.dispatcher = unsafe setting(dispatcher, DispatcherObject.self, $0.dispatcher, \.dispatcher) }
}

@_cdecl("sdimage_request_reset_dispatcher") @implementation
public func sdimage_request_reset_dispatcher(_ request: Object) {
    unsafe change(request) { $0.dispatcher = .inherited }
}

@_cdecl("sdimage_request_set_cache") @implementation
public func sdimage_request_set_cache(_ request: Object, _ cache: Object) {
    unsafe change(request) { $0.cache = unsafe setting(cache, CacheObject.self, $0.cache, \.cache) }
}

@_cdecl("sdimage_request_reset_cache") @implementation
public func sdimage_request_reset_cache(_ request: Object) {
    unsafe change(request) { $0.cache = .inherited }
}

@_cdecl("sdimage_request_set_loader") @implementation
public func sdimage_request_set_loader(_ request: Object, _ loader: Object) {
    unsafe change(request) { $0.loader = unsafe setting(loader, LoaderObject.self, $0.loader, \.loader) }
}

@_cdecl("sdimage_request_reset_loader") @implementation
public func sdimage_request_reset_loader(_ request: Object) {
    unsafe change(request) { $0.loader = .inherited }
}

@_cdecl("sdimage_request_set_coder") @implementation
public func sdimage_request_set_coder(_ request: Object, _ coder: Object) {
    unsafe change(request) { $0.coder = unsafe Handle.find(coder, as: CoderObject.self)?.coder }
}

@_cdecl("sdimage_request_set_original_cache") @implementation
public func sdimage_request_set_original_cache(_ request: Object, _ cache: Object) {
    unsafe change(request) { $0.originalCache = unsafe setting(cache, CacheObject.self, $0.originalCache, \.cache) }
}

@_cdecl("sdimage_request_reset_original_cache") @implementation
public func sdimage_request_reset_original_cache(_ request: Object) {
    unsafe change(request) { $0.originalCache = .inherited }
}

@_cdecl("sdimage_request_set_transformer") @implementation
public func sdimage_request_set_transformer(_ request: Object, _ transformer: Object) {
    unsafe change(request) {
        $0.transformer = unsafe setting(transformer, TransformerObject.self, $0.transformer, \.transformer)
    }
}

@_cdecl("sdimage_request_add_transformer") @implementation
public func sdimage_request_add_transformer(_ request: Object, _ transformer: Object) {
    guard let transformer = unsafe Handle.find(transformer, as: TransformerObject.self)?.transformer else { return }
    unsafe change(request) { $0.addTransformer(transformer) }
}

@_cdecl("sdimage_request_reset_transformer") @implementation
public func sdimage_request_reset_transformer(_ request: Object) {
    unsafe change(request) { $0.transformer = .inherited }
}

@_cdecl("sdimage_request_set_transform_animated") @implementation
public func sdimage_request_set_transform_animated(_ request: Object, _ transform: Bool) {
    unsafe change(request) { $0.transformsAnimated = transform }
}

@_cdecl("sdimage_request_set_transform_vector") @implementation
public func sdimage_request_set_transform_vector(_ request: Object, _ transform: Bool) {
    unsafe change(request) { $0.transformsVector = transform }
}

@_cdecl("sdimage_request_set_preload_frames") @implementation
public func sdimage_request_set_preload_frames(_ request: Object, _ preload: Bool) {
    unsafe change(request) { $0.preloadsFrames = preload }
}

@_cdecl("sdimage_request_set_require_animation") @implementation
public func sdimage_request_set_require_animation(_ request: Object, _ require: Bool) {
    unsafe change(request) { $0.requiresAnimation = require }
}

@_cdecl("sdimage_request_set_options") @implementation
public func sdimage_request_set_options(_ request: Object, _ options: Object) {
    unsafe Handle.find(request, as: RequestObject.self)?.setOptions(Handle.find(options, as: OptionsObject.self)?.value)
}

@_cdecl("sdimage_request_options") @implementation
public func sdimage_request_options(_ request: Object) -> Object {
    unsafe read(request, RequestObject.self, nil) { unsafe $0.lentOptions }
}
