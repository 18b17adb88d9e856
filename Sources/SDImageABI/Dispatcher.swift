// The functions of include/sdimage/dispatcher.h. `sdimage_dispatcher` is a `DispatcherObject`.

import CSDImage
import SDImage
import SDImageHost

/// The pollable dispatcher behind a pointer.
private func pollable(_ pointer: Object) throws(ImageError) -> PollableDispatcher {
    if Engine.isForked { throw .forked }
    guard let pollable = unsafe try Handle.borrow(pointer, as: DispatcherObject.self).pollable else {
        throw ImageError(.invalidArgument, "dispatcher: not pollable")
    }
    return pollable
}

@_cdecl("sdimage_dispatcher_new_library") @implementation
public func sdimage_dispatcher_new_library(_ dispatcher: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(dispatcher)
        unsafe try give(DispatcherObject(LibraryDispatcher(lease: try Engine.acquire())), dispatcher)
    }
}

@_cdecl("sdimage_dispatcher_new_immediate") @implementation
public func sdimage_dispatcher_new_immediate(_ dispatcher: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in unsafe try give(DispatcherObject(ImmediateDispatcher()), dispatcher) }
}

@_cdecl("sdimage_dispatcher_new_custom") @implementation
public func sdimage_dispatcher_new_custom(
    _ vtable: UnsafePointer<sdimage_dispatcher_vtable>?, _ userData: UserData, _ destroy: sdimage_destroy_fn?,
    _ dispatcher: ObjectOut,
    _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    return unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(dispatcher)
        unsafe try give(DispatcherObject(try ForeignDispatcher(vtable, foreign)), dispatcher)
    }
}

@_cdecl("sdimage_dispatcher_new_pollable") @implementation
public func sdimage_dispatcher_new_pollable(_ dispatcher: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(dispatcher)
        unsafe try give(DispatcherObject(try PollableDispatcher()), dispatcher)
    }
}

@_cdecl("sdimage_dispatcher_ref") @implementation
public func sdimage_dispatcher_ref(_ dispatcher: Object) -> Object {
    unsafe Handle.ref(dispatcher, as: DispatcherObject.self)
}

@_cdecl("sdimage_dispatcher_unref") @implementation
public func sdimage_dispatcher_unref(_ dispatcher: Object) {
    unsafe Handle.unref(dispatcher, as: DispatcherObject.self)
}

@_cdecl("sdimage_dispatcher_descriptor") @implementation
public func sdimage_dispatcher_descriptor(_ dispatcher: Object) -> Int32 {
    unsafe read(dispatcher, DispatcherObject.self, -1) { $0.pollable?.descriptor ?? -1 }
}

@_cdecl("sdimage_dispatcher_drain") @implementation
public func sdimage_dispatcher_drain(_ dispatcher: Object) -> Int {
    unsafe read(dispatcher, DispatcherObject.self, 0) { Engine.isForked ? 0 : $0.pollable?.drain() ?? 0 }
}

@_cdecl("sdimage_dispatcher_next_event") @implementation
public func sdimage_dispatcher_next_event(_ dispatcher: Object, _ event: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    do throws(ImageError) {
        unsafe try requireResult(event)
        guard let taken = unsafe try pollable(dispatcher).nextEvent() else { return .SDIMAGE_STATUS_END }
        unsafe try give(taken, event)
        return .SDIMAGE_STATUS_OK
    } catch let failure {
        return unsafe attempt(error) { () throws(ImageError) in throw failure }
    }
}

@_cdecl("sdimage_dispatcher_bind_current_thread") @implementation
public func sdimage_dispatcher_bind_current_thread(_ dispatcher: Object, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in unsafe try pollable(dispatcher).bindCurrentThread() }
}

@_cdecl("sdimage_event_ref") @implementation
public func sdimage_event_ref(_ event: Object) -> Object {
    unsafe Handle.ref(event, as: LoadEvent.self)
}

@_cdecl("sdimage_event_unref") @implementation
public func sdimage_event_unref(_ event: Object) {
    unsafe Handle.unref(event, as: LoadEvent.self)
}

@_cdecl("sdimage_event_callback_kind") @implementation
public func sdimage_event_callback_kind(_ event: Object) -> sdimage_callback_kind {
    unsafe read(event, LoadEvent.self, .SDIMAGE_CALLBACK_KIND_NONE) { event in
        event.result == nil ? .SDIMAGE_CALLBACK_KIND_PROGRESS : .SDIMAGE_CALLBACK_KIND_RESULT
    }
}

@_cdecl("sdimage_event_task") @implementation
public func sdimage_event_task(_ event: Object) -> Object {
    unsafe read(event, LoadEvent.self, nil) { unsafe Handle.lend($0.task) }
}

@_cdecl("sdimage_event_result") @implementation
public func sdimage_event_result(_ event: Object) -> Object {
    unsafe read(event, LoadEvent.self, nil) { unsafe Handle.lend($0.result) }
}

@_cdecl("sdimage_event_received") @implementation
public func sdimage_event_received(_ event: Object) -> Int64 {
    unsafe read(event, LoadEvent.self, 0) { $0.received }
}

@_cdecl("sdimage_event_expected") @implementation
public func sdimage_event_expected(_ event: Object) -> Int64 {
    unsafe read(event, LoadEvent.self, 0) { $0.expected }
}

@_cdecl("sdimage_event_token") @implementation
public func sdimage_event_token(_ event: Object) -> UserData {
    unsafe read(event, LoadEvent.self, nil) { unsafe UnsafeMutableRawPointer(bitPattern: $0.task.token) }
}
