import CSDImage
import SDImage
import SDImageHost

/// Returns the result of `body` for the transaction at an index; `neutral` if there is none.
private func transaction<R>(_ result: Object, _ index: Int, _ neutral: R, _ body: (LoadTransaction) -> R) -> R {
    unsafe read(result, ImageResult.self, neutral) { result in
        result.transactions.indices.contains(index) ? body(result.transactions[index]) : neutral
    }
}

@_cdecl("sdimage_result_ref") @implementation
public func sdimage_result_ref(_ result: Object) -> Object {
    unsafe Handle.ref(result, as: ImageResult.self)
}

@_cdecl("sdimage_result_unref") @implementation
public func sdimage_result_unref(_ result: Object) {
    unsafe Handle.unref(result, as: ImageResult.self)
}

@_cdecl("sdimage_result_kind") @implementation
public func sdimage_result_kind(_ result: Object) -> sdimage_delivery_kind {
    unsafe read(result, ImageResult.self, .SDIMAGE_DELIVERY_KIND_FINAL) { $0.kind.code }
}

@_cdecl("sdimage_result_image") @implementation
public func sdimage_result_image(_ result: Object) -> Object {
    unsafe read(result, ImageResult.self, nil) { unsafe Handle.lend($0.image) }
}

@_cdecl("sdimage_result_data") @implementation
public func sdimage_result_data(_ result: Object) -> Object {
    unsafe read(result, ImageResult.self, nil) { unsafe Handle.lend($0.data) }
}

@_cdecl("sdimage_result_error") @implementation
public func sdimage_result_error(_ result: Object) -> Object {
    unsafe read(result, ImageResult.self, nil) { unsafe Handle.lend($0.error) }
}

@_cdecl("sdimage_result_source") @implementation
public func sdimage_result_source(_ result: Object) -> sdimage_image_source {
    unsafe read(result, ImageResult.self, .SDIMAGE_IMAGE_SOURCE_NONE) { $0.source.code }
}

@_cdecl("sdimage_result_is_changed") @implementation
public func sdimage_result_is_changed(_ result: Object) -> Bool {
    unsafe read(result, ImageResult.self, false) { $0.isChanged }
}

@_cdecl("sdimage_result_is_stale") @implementation
public func sdimage_result_is_stale(_ result: Object) -> Bool {
    unsafe read(result, ImageResult.self, false) { $0.isStale }
}

@_cdecl("sdimage_result_freshness") @implementation
public func sdimage_result_freshness(_ result: Object) -> sdimage_freshness_rule {
    unsafe read(result, ImageResult.self, .SDIMAGE_FRESHNESS_RULE_NONE) { $0.freshness.code }
}

@_cdecl("sdimage_result_url") @implementation
public func sdimage_result_url(_ result: Object) -> Text {
    unsafe read(result, ImageResult.self, CString.empty.pointer) { unsafe $0.url.pointer }
}

@_cdecl("sdimage_result_cache_key") @implementation
public func sdimage_result_cache_key(_ result: Object) -> Text {
    unsafe read(result, ImageResult.self, CString.empty.pointer) { unsafe $0.cacheKey.text.pointer }
}

@_cdecl("sdimage_result_time_ns") @implementation
public func sdimage_result_time_ns(_ result: Object, _ stage: sdimage_stage) -> UInt64 {
    unsafe read(result, ImageResult.self, 0) { $0.timings.nanoseconds(stage) }
}

@_cdecl("sdimage_result_get_response") @implementation
public func sdimage_result_get_response(_ result: Object, _ response: ObjectOut) {
    guard let response = unsafe response else { return }
    let head = unsafe Handle.find(result, as: ImageResult.self)?.response
    unsafe response.pointee = head.map { unsafe Handle.own(ResponseObject($0.response)) } ?? nil
}

@_cdecl("sdimage_result_transaction_count") @implementation
public func sdimage_result_transaction_count(_ result: Object) -> Int {
    unsafe read(result, ImageResult.self, 0) { $0.transactions.count }
}

@_cdecl("sdimage_result_transaction_url") @implementation
public func sdimage_result_transaction_url(_ result: Object, _ index: Int) -> Text {
    unsafe transaction(result, index, CString.empty.pointer) { unsafe $0.url.pointer }
}

@_cdecl("sdimage_result_transaction_http_status") @implementation
public func sdimage_result_transaction_http_status(_ result: Object, _ index: Int) -> Int32 {
    unsafe transaction(result, index, 0) { $0.httpStatus }
}

@_cdecl("sdimage_result_transaction_protocol") @implementation
public func sdimage_result_transaction_protocol(_ result: Object, _ index: Int) -> Text {
    unsafe transaction(result, index, Names.pointer("")) { unsafe Names.pointer($0.protocolName) }
}

@_cdecl("sdimage_result_transaction_remote_address") @implementation
public func sdimage_result_transaction_remote_address(_ result: Object, _ index: Int) -> Text {
    unsafe transaction(result, index, CString.empty.pointer) { unsafe $0.remoteAddress.pointer }
}

@_cdecl("sdimage_result_transaction_is_connection_reused") @implementation
public func sdimage_result_transaction_is_connection_reused(_ result: Object, _ index: Int) -> Bool {
    unsafe transaction(result, index, false) { $0.isConnectionReused }
}

@_cdecl("sdimage_result_transaction_wire_bytes") @implementation
public func sdimage_result_transaction_wire_bytes(_ result: Object, _ index: Int) -> UInt64 {
    unsafe transaction(result, index, 0) { $0.wireBytes }
}

@_cdecl("sdimage_result_transaction_body_bytes") @implementation
public func sdimage_result_transaction_body_bytes(_ result: Object, _ index: Int) -> UInt64 {
    unsafe transaction(result, index, 0) { $0.bodyBytes }
}

@_cdecl("sdimage_result_transaction_time_ns") @implementation
public func sdimage_result_transaction_time_ns(
    _ result: Object, _ index: Int, _ phase: sdimage_transaction_phase
) -> UInt64 {
    unsafe transaction(result, index, 0) { $0.nanoseconds(phase) }
}

@_cdecl("sdimage_image_source_name") @implementation
public func sdimage_image_source_name(_ source: sdimage_image_source) -> Text {
    unsafe Names.pointer((ImageSource(rawValue: Int32(bitPattern: source.rawValue)) ?? .none).name)
}

@_cdecl("sdimage_freshness_rule_name") @implementation
public func sdimage_freshness_rule_name(_ rule: sdimage_freshness_rule) -> Text {
    unsafe Names.pointer((FreshnessRule(rawValue: Int32(bitPattern: rule.rawValue)) ?? .none).name)
}
