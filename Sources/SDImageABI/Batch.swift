import CSDImage
import SDImage
import SDImageHost

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
        // Values beyond the address space become the maximum, which the layout refuses.
        (options.rowStride, options.imageStride) = (row < 0 ? .max : row, image < 0 ? .max : image)
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
            pixels, size: size, count: urls.count, layout: try options.layout(), background: options.background)
        let handler = unsafe handler == nil ? nil : try ForeignPrefetchHandler(handler, foreign)
        let started = try manager.loadBatch(urls, options, into: array, handler: handler, owner: foreign)
        unsafe group?.pointee = unsafe started.map { unsafe Handle.own($0) } ?? nil
    }
}
