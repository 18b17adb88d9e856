import CSDImage
import SDImage
import SDImageHost

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
    guard let task = unsafe Handle.find(task, as: LoadTask.self) else { return }
    let progress = task.progress
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
