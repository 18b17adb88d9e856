// The functions of include/sdimage/task.h: tasks (`LoadTask`), results (`ImageResult`), transactions, replies and responses of
// hooks.

import CSDImage
import SDImage
import SDImageHost

/// Returns the result of `body` for the transaction at an index; `neutral` if there is none.
private func transaction<R>(_ result: Object, _ index: Int, _ neutral: R, _ body: (LoadTransaction) -> R) -> R {
    unsafe read(result, ImageResult.self, neutral) { result in
        result.transactions.indices.contains(index) ? body(result.transactions[index]) : neutral
    }
}

@_cdecl("sdimage_task_ref") @implementation
public func sdimage_task_ref(_ task: Object) -> Object {
    unsafe Handle.ref(task, as: LoadTask.self)
}

@_cdecl("sdimage_task_unref") @implementation
public func sdimage_task_unref(_ task: Object) {
    unsafe Handle.unref(task, as: LoadTask.self)
}

@_cdecl("sdimage_task_cancel") @implementation
public func sdimage_task_cancel(_ task: Object) {
    unsafe Handle.find(task, as: LoadTask.self)?.cancel()
}

@_cdecl("sdimage_task_cancel_and_wait") @implementation
public func sdimage_task_cancel_and_wait(_ task: Object, _ timeoutMs: UInt32, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let task = unsafe try Handle.borrow(task, as: LoadTask.self)
        if Engine.isForked { throw .forked }
        task.cancel()
        if task.isDelivered || task.isWaitingFutile { return }
        if LibraryThread.isCurrent { throw ImageError(.wouldDeadlock, "task: wait on a library thread") }
        if !task.waitForDelivery(deadline: Input.deadline(timeoutMs)) {
            throw ImageError(.timeout, "task: last callback still running")
        }
    }
}

@_cdecl("sdimage_task_wait") @implementation
public func sdimage_task_wait(_ task: Object, _ timeoutMs: UInt32, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let task = unsafe try Handle.borrow(task, as: LoadTask.self)
        if Engine.isForked { throw .forked }
        // Checked for a finished task too: an error that shows only at times is found late.
        if LibraryThread.isCurrent { throw ImageError(.wouldDeadlock, "task: wait on a library thread") }
        if !task.waitForResult(deadline: Input.deadline(timeoutMs)) { throw ImageError(.timeout, "task: no result in time") }
    }
}

@_cdecl("sdimage_task_is_finished") @implementation
public func sdimage_task_is_finished(_ task: Object) -> Bool {
    unsafe read(task, LoadTask.self, false) { $0.isFinished }
}

@_cdecl("sdimage_task_get_result") @implementation
public func sdimage_task_get_result(_ task: Object, _ result: ObjectOut) {
    guard let result = unsafe result else { return }
    unsafe result.pointee = unsafe Handle.find(task, as: LoadTask.self)?.result.map { unsafe Handle.own($0) } ?? nil
}

@_cdecl("sdimage_task_set_priority") @implementation
public func sdimage_task_set_priority(_ task: Object, _ priority: sdimage_priority) {
    guard let priority = LoadPriority(rawValue: priority.rawValue) else { return }
    unsafe Handle.find(task, as: LoadTask.self)?.setPriority(priority)
}

@_cdecl("sdimage_task_priority") @implementation
public func sdimage_task_priority(_ task: Object) -> sdimage_priority {
    unsafe read(task, LoadTask.self, .SDIMAGE_PRIORITY_NORMAL) {
        sdimage_priority(rawValue: $0.priority.rawValue) ?? .SDIMAGE_PRIORITY_NORMAL
    }
}

@_cdecl("sdimage_task_progress") @implementation
public func sdimage_task_progress(
    _ task: Object, _ received: UnsafeMutablePointer<Int64>?, _ expected: UnsafeMutablePointer<Int64>?
) {
    let progress = unsafe Handle.find(task, as: LoadTask.self)?.progress ?? (received: 0, expected: -1)
    unsafe received?.pointee = progress.received
    unsafe expected?.pointee = progress.expected
}

@_cdecl("sdimage_task_get_response") @implementation
public func sdimage_task_get_response(_ task: Object, _ response: ObjectOut) {
    guard let response = unsafe response else { return }
    let head = unsafe Handle.find(task, as: LoadTask.self)?.response
    unsafe response.pointee = head.map { unsafe Handle.own(ResponseObject($0.response)) } ?? nil
}

@_cdecl("sdimage_task_token") @implementation
public func sdimage_task_token(_ task: Object) -> UserData {
    unsafe read(task, LoadTask.self, nil) { unsafe UnsafeMutableRawPointer(bitPattern: $0.token) }
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
    unsafe read(result, ImageResult.self, .SDIMAGE_DELIVERY_KIND_NONE) { $0.kind.code }
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

@_cdecl("sdimage_response_new") @implementation
public func sdimage_response_new(_ status: Int32) -> Object {
    unsafe Handle.own(ResponseObject(DownloadResponse(url: .empty, status: status, headers: [])))
}

@_cdecl("sdimage_response_ref") @implementation
public func sdimage_response_ref(_ response: Object) -> Object {
    unsafe Handle.ref(response, as: ResponseObject.self)
}

@_cdecl("sdimage_response_unref") @implementation
public func sdimage_response_unref(_ response: Object) {
    unsafe Handle.unref(response, as: ResponseObject.self)
}

@_cdecl("sdimage_response_url") @implementation
public func sdimage_response_url(_ response: Object) -> Text {
    unsafe read(response, ResponseObject.self, CString.empty.pointer) { unsafe $0.value.url.pointer }
}

@_cdecl("sdimage_response_status") @implementation
public func sdimage_response_status(_ response: Object) -> Int32 {
    unsafe read(response, ResponseObject.self, 0) { $0.value.status }
}

@_cdecl("sdimage_response_set_status") @implementation
public func sdimage_response_set_status(_ response: Object, _ status: Int32) {
    unsafe Handle.find(response, as: ResponseObject.self)?.value.status = status
}

@_cdecl("sdimage_response_header") @implementation
public func sdimage_response_header(_ response: Object, _ name: Text) -> Text {
    guard let name = unsafe Input.text(name) else { return nil }
    return unsafe read(response, ResponseObject.self, nil) { unsafe $0.header(name)?.pointer }
}

@_cdecl("sdimage_response_header_at") @implementation
public func sdimage_response_header_at(_ response: Object, _ index: Int, _ value: UnsafeMutablePointer<Text>?) -> Text {
    let field = unsafe read(response, ResponseObject.self, nil) { $0.header(at: index) }
    if let value = unsafe value { unsafe value.pointee = field?.value.pointer }
    return unsafe field?.name.pointer
}

@_cdecl("sdimage_response_set_header") @implementation
public func sdimage_response_set_header(_ response: Object, _ name: Text, _ value: Text) {
    guard let name = unsafe Input.text(name) else { return }
    unsafe Handle.find(response, as: ResponseObject.self)?.value.headers.set(name, Input.text(value))
}

@_cdecl("sdimage_response_add_header") @implementation
public func sdimage_response_add_header(_ response: Object, _ name: Text, _ value: Text) {
    guard let name = unsafe Input.text(name), let value = unsafe Input.text(value) else { return }
    unsafe Handle.find(response, as: ResponseObject.self)?.value.headers.append(HeaderField(name: name, value: value))
}

@_cdecl("sdimage_reply_ref") @implementation
public func sdimage_reply_ref(_ reply: Object) -> Object {
    unsafe Handle.ref(reply, as: Reply.self)
}

@_cdecl("sdimage_reply_unref") @implementation
public func sdimage_reply_unref(_ reply: Object) {
    unsafe Handle.unref(reply, as: Reply.self)
}

@_cdecl("sdimage_reply_complete") @implementation
public func sdimage_reply_complete(_ reply: Object) {
    unsafe Handle.find(reply, as: Reply.self)?.pending.complete(.success(nil))
}

@_cdecl("sdimage_reply_complete_with_data") @implementation
public func sdimage_reply_complete_with_data(_ reply: Object, _ data: Object) {
    unsafe Handle.find(reply, as: Reply.self)?.pending.complete(
        .success(Handle.find(data, as: Bytes.self).map(CachedData.init(bytes:))))
}

@_cdecl("sdimage_reply_complete_with_entry") @implementation
public func sdimage_reply_complete_with_entry(_ reply: Object, _ entry: Object) {
    unsafe Handle.find(reply, as: Reply.self)?.pending.complete(
        .success(Handle.find(entry, as: CacheEntryObject.self)?.dated))
}

@_cdecl("sdimage_reply_complete_with_error") @implementation
public func sdimage_reply_complete_with_error(_ reply: Object, _ error: Object) {
    let failure =
        unsafe Handle.find(error, as: ImageError.self) ?? ImageError(.internalError, "hook: failed without an error object")
    unsafe Handle.find(reply, as: Reply.self)?.pending.complete(.failure(failure))
}

@_cdecl("sdimage_reply_is_cancelled") @implementation
public func sdimage_reply_is_cancelled(_ reply: Object) -> Bool {
    unsafe read(reply, Reply.self, false) { $0.pending.isCancelled }
}
