// The functions of include/sdimage/prefetcher.h: prefetched lists (`PrefetcherObject`, `PrefetchGroup`), and batches that a
// manager writes into one array.

import CSDImage
import SDImage
import SDImageHost

@_cdecl("sdimage_prefetcher_new") @implementation
public func sdimage_prefetcher_new(_ manager: Object, _ dispatcher: Object, _ prefetcher: ObjectOut, _ error: ObjectOut)
    -> sdimage_status
{
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(prefetcher)
        let manager =
            unsafe manager == nil
            ? ManagerObject(try Defaults.makeManager(ManagerConfiguration())) : try Handle.borrow(manager, as: ManagerObject.self)
        let dispatcher = unsafe dispatcher == nil ? nil : try Handle.borrow(dispatcher, as: DispatcherObject.self).dispatcher
        unsafe try give(PrefetcherObject(manager, dispatcher), prefetcher)
    }
}

@_cdecl("sdimage_prefetcher_get_shared") @implementation
public func sdimage_prefetcher_get_shared(_ prefetcher: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(prefetcher)
        unsafe try give(try Defaults.sharedPrefetcher(), prefetcher)
    }
}

@_cdecl("sdimage_prefetcher_ref") @implementation
public func sdimage_prefetcher_ref(_ prefetcher: Object) -> Object {
    unsafe Handle.ref(prefetcher, as: PrefetcherObject.self)
}

@_cdecl("sdimage_prefetcher_unref") @implementation
public func sdimage_prefetcher_unref(_ prefetcher: Object) {
    unsafe Handle.unref(prefetcher, as: PrefetcherObject.self)
}

@_cdecl("sdimage_prefetcher_set_max_concurrent") @implementation
public func sdimage_prefetcher_set_max_concurrent(_ prefetcher: Object, _ count: UInt32) {
    unsafe Handle.find(prefetcher, as: PrefetcherObject.self)?.prefetcher.maxConcurrent = Int(count)
}

@_cdecl("sdimage_prefetcher_max_concurrent") @implementation
public func sdimage_prefetcher_max_concurrent(_ prefetcher: Object) -> UInt32 {
    unsafe read(prefetcher, PrefetcherObject.self, 0) { UInt32(clamping: $0.prefetcher.maxConcurrent) }
}

@_cdecl("sdimage_prefetcher_set_request") @implementation
public func sdimage_prefetcher_set_request(_ prefetcher: Object, _ request: Object) {
    let template = unsafe request == nil ? nil : try? Input.request(request)
    unsafe Handle.find(prefetcher, as: PrefetcherObject.self)?.prefetcher.setRequest(template)
}

@_cdecl("sdimage_prefetcher_set_handler") @implementation
public func sdimage_prefetcher_set_handler(
    _ prefetcher: Object, _ vtable: UnsafePointer<sdimage_prefetcher_handler>?, _ userData: UserData,
    _ destroy: sdimage_destroy_fn?, _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    return unsafe attempt(error) { () throws(ImageError) in
        let prefetcher = unsafe try Handle.borrow(prefetcher, as: PrefetcherObject.self).prefetcher
        prefetcher.setObserver(unsafe vtable == nil ? nil : try ForeignPrefetchObserver(vtable, foreign))
    }
}

@_cdecl("sdimage_prefetcher_start") @implementation
public func sdimage_prefetcher_start(
    _ prefetcher: Object, _ urls: UnsafePointer<UnsafePointer<CChar>?>?, _ lengths: UnsafePointer<Int>?, _ count: Int,
    _ request: Object, _ handler: UnsafePointer<sdimage_prefetch_handler>?, _ userData: UserData,
    _ destroy: sdimage_destroy_fn?, _ group: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    return unsafe attempt(error) { () throws(ImageError) in
        let prefetcher = unsafe try Handle.borrow(prefetcher, as: PrefetcherObject.self).prefetcher
        let urls = unsafe try Input.texts(urls, lengths, count)
        let request = unsafe request == nil ? nil : try Input.request(request)
        let handler = unsafe handler == nil ? nil : try ForeignPrefetchHandler(handler, foreign)
        let started = try prefetcher.start(urls, request: request, handler: handler, owner: foreign)
        unsafe group?.pointee = unsafe started.map { unsafe Handle.own($0) } ?? nil
    }
}

@_cdecl("sdimage_prefetcher_cancel_all") @implementation
public func sdimage_prefetcher_cancel_all(_ prefetcher: Object) {
    unsafe Handle.find(prefetcher, as: PrefetcherObject.self)?.prefetcher.cancelAll()
}

@_cdecl("sdimage_prefetch_group_ref") @implementation
public func sdimage_prefetch_group_ref(_ group: Object) -> Object {
    unsafe Handle.ref(group, as: PrefetchGroup.self)
}

@_cdecl("sdimage_prefetch_group_unref") @implementation
public func sdimage_prefetch_group_unref(_ group: Object) {
    unsafe Handle.unref(group, as: PrefetchGroup.self)
}

@_cdecl("sdimage_prefetch_group_cancel") @implementation
public func sdimage_prefetch_group_cancel(_ group: Object) {
    unsafe Handle.find(group, as: PrefetchGroup.self)?.cancel()
}

@_cdecl("sdimage_prefetch_group_wait") @implementation
public func sdimage_prefetch_group_wait(_ group: Object, _ timeoutMs: UInt32, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let group = unsafe try Handle.borrow(group, as: PrefetchGroup.self)
        if LibraryThread.isCurrent { throw ImageError(.wouldDeadlock, "prefetcher: wait on a library thread") }
        if !group.wait(deadline: Input.deadline(timeoutMs)) {
            throw ImageError(.timeout, "prefetcher: not all URLs finished in time")
        }
    }
}

@_cdecl("sdimage_prefetch_group_is_finished") @implementation
public func sdimage_prefetch_group_is_finished(_ group: Object) -> Bool {
    unsafe read(group, PrefetchGroup.self, false) { $0.isOver }
}

@_cdecl("sdimage_prefetch_group_is_cancelled") @implementation
public func sdimage_prefetch_group_is_cancelled(_ group: Object) -> Bool {
    unsafe read(group, PrefetchGroup.self, false) { $0.isCancelled }
}

@_cdecl("sdimage_prefetch_group_total_count") @implementation
public func sdimage_prefetch_group_total_count(_ group: Object) -> Int {
    unsafe read(group, PrefetchGroup.self, 0) { $0.urls.count }
}

@_cdecl("sdimage_prefetch_group_finished_count") @implementation
public func sdimage_prefetch_group_finished_count(_ group: Object) -> Int {
    unsafe read(group, PrefetchGroup.self, 0) { $0.finishedCount }
}

@_cdecl("sdimage_prefetch_group_skipped_count") @implementation
public func sdimage_prefetch_group_skipped_count(_ group: Object) -> Int {
    unsafe read(group, PrefetchGroup.self, 0) { $0.skippedCount }
}

@_cdecl("sdimage_prefetch_group_get_url") @implementation
public func sdimage_prefetch_group_get_url(_ group: Object, _ index: Int, _ url: ObjectOut, _ error: ObjectOut)
    -> sdimage_status
{
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(url)
        let urls = unsafe try Handle.borrow(group, as: PrefetchGroup.self).urls
        guard urls.indices.contains(index) else {
            throw ImageError(.notFound, "prefetcher: URL index \(UInt(bitPattern: index)) is out of range (count \(urls.count))")
        }
        unsafe try give(try Bytes.copying(urls[index]), url)
    }
}

@_cdecl("sdimage_prefetch_group_get_failure") @implementation
public func sdimage_prefetch_group_get_failure(
    _ group: Object, _ number: Int, _ index: UnsafeMutablePointer<Int>?, _ failure: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let failures = unsafe try Handle.borrow(group, as: PrefetchGroup.self).failures
        guard failures.indices.contains(number) else {
            let number = UInt(bitPattern: number)
            throw ImageError(.notFound, "prefetcher: failure \(number) is out of range (count \(failures.count))")
        }
        unsafe index?.pointee = failures[number].index
        unsafe failure?.pointee = unsafe Handle.own(failures[number].error)
    }
}

@_cdecl("sdimage_batch_options_new") @implementation
public func sdimage_batch_options_new(_ width: UInt32, _ height: UInt32) -> Object {
    unsafe Handle.own(BatchOptionsObject(BatchOptions(size: PixelSize(width: Int(width), height: Int(height)))))
}

@_cdecl("sdimage_batch_options_ref") @implementation
public func sdimage_batch_options_ref(_ options: Object) -> Object {
    unsafe Handle.ref(options, as: BatchOptionsObject.self)
}

@_cdecl("sdimage_batch_options_unref") @implementation
public func sdimage_batch_options_unref(_ options: Object) {
    unsafe Handle.unref(options, as: BatchOptionsObject.self)
}

@_cdecl("sdimage_batch_options_set_pixel_format") @implementation
public func sdimage_batch_options_set_pixel_format(_ options: Object, _ pixelFormat: sdimage_pixel_format) {
    unsafe change(options, BatchOptionsObject.self) {
        $0.format = PixelFormat(rawValue: Int32(bitPattern: pixelFormat.rawValue)) ?? .rgb8
    }
}

@_cdecl("sdimage_batch_options_set_scale_mode") @implementation
public func sdimage_batch_options_set_scale_mode(_ options: Object, _ mode: sdimage_scale_mode) {
    unsafe change(options, BatchOptionsObject.self) {
        $0.mode = (try? ScaleMode(mode)) ?? $0.mode
    }
}

@_cdecl("sdimage_batch_options_set_background_color") @implementation
public func sdimage_batch_options_set_background_color(_ options: Object, _ color: sdimage_color) {
    unsafe change(options, BatchOptionsObject.self) { $0.background = Color(color) }
}

@_cdecl("sdimage_batch_options_set_strides") @implementation
public func sdimage_batch_options_set_strides(_ options: Object, _ row: Int, _ image: Int) {
    unsafe change(options, BatchOptionsObject.self) { options in
        // The layout refuses strides beyond the address space.
        (options.rowStride, options.imageStride) = (Input.size(row), Input.size(image))
    }
}

@_cdecl("sdimage_batch_options_set_request") @implementation
public func sdimage_batch_options_set_request(_ options: Object, _ request: Object) {
    let template = unsafe request == nil ? nil : try? Input.request(request)
    unsafe change(options, BatchOptionsObject.self) { $0.request = template }
}

@_cdecl("sdimage_batch_options_set_max_concurrent") @implementation
public func sdimage_batch_options_set_max_concurrent(_ options: Object, _ count: UInt32) {
    unsafe change(options, BatchOptionsObject.self) { $0.maxConcurrent = Int(count) }
}

@_cdecl("sdimage_batch_options_set_dispatcher") @implementation
public func sdimage_batch_options_set_dispatcher(_ options: Object, _ dispatcher: Object) {
    let chosen = unsafe Handle.find(dispatcher, as: DispatcherObject.self)?.dispatcher
    unsafe change(options, BatchOptionsObject.self) { $0.dispatcher = chosen }
}

@_cdecl("sdimage_batch_options_array_size") @implementation
public func sdimage_batch_options_array_size(_ options: Object, _ count: Int) -> Int {
    // Invalid options have no array size; the call that takes the options reports the error.
    unsafe read(options, BatchOptionsObject.self, 0) { (try? $0.value.layout())?.byteCount(count) ?? 0 }
}

@_cdecl("sdimage_manager_load_batch") @implementation
public func sdimage_manager_load_batch(
    _ manager: Object, _ options: Object, _ urls: UnsafePointer<UnsafePointer<CChar>?>?, _ lengths: UnsafePointer<Int>?,
    _ count: Int, _ pixels: UnsafeMutableRawPointer?, _ size: Int, _ handler: UnsafePointer<sdimage_prefetch_handler>?,
    _ userData: UserData, _ destroy: sdimage_destroy_fn?, _ group: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    return unsafe attempt(error) { () throws(ImageError) in
        let (manager, options) = unsafe (try Input.manager(manager), try Input.batchOptions(options))
        let urls = unsafe try Input.texts(urls, lengths, count)
        let array = unsafe try ImageArray(
            pixels, size: Input.size(size), count: urls.count, layout: try options.layout(), background: options.background)
        let handler = unsafe handler == nil ? nil : try ForeignPrefetchHandler(handler, foreign)
        let started = try manager.loadBatch(urls, options, into: array, handler: handler, owner: foreign)
        unsafe group?.pointee = unsafe started.map { unsafe Handle.own($0) } ?? nil
    }
}
