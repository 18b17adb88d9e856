// The getters of `sdimage_batch_options` (include/sdimage/prefetcher.h).

import CSDImage
import SDImage
import SDImageHost

@_cdecl("sdimage_batch_options_pixel_format") @implementation
public func sdimage_batch_options_pixel_format(_ options: Object) -> sdimage_pixel_format {
    unsafe read(options, BatchOptionsObject.self, .SDIMAGE_PIXEL_FORMAT_AUTOMATIC) { $0.value.format.code }
}

@_cdecl("sdimage_batch_options_scale_mode") @implementation
public func sdimage_batch_options_scale_mode(_ options: Object) -> sdimage_scale_mode {
    unsafe read(options, BatchOptionsObject.self, .SDIMAGE_SCALE_MODE_ASPECT_FIT) { $0.value.mode.code }
}

@_cdecl("sdimage_batch_options_background_color") @implementation
public func sdimage_batch_options_background_color(_ options: Object) -> sdimage_color {
    unsafe read(options, BatchOptionsObject.self, sdimage_color()) { $0.value.background.code }
}

@_cdecl("sdimage_batch_options_get_strides") @implementation
public func sdimage_batch_options_get_strides(
    _ options: Object, _ row: UnsafeMutablePointer<Int>?, _ image: UnsafeMutablePointer<Int>?
) {
    let value = unsafe Handle.find(options, as: BatchOptionsObject.self)?.value
    unsafe row?.pointee = value.map { $0.rowStride } ?? 0
    unsafe image?.pointee = value.map { $0.imageStride } ?? 0
}

@_cdecl("sdimage_batch_options_copy_request") @implementation
public func sdimage_batch_options_copy_request(_ options: Object, _ request: ObjectOut) {
    unsafe hand(read(options, BatchOptionsObject.self, nil) { $0.value.request }, request) { RequestObject($0) }
}

@_cdecl("sdimage_batch_options_max_concurrent") @implementation
public func sdimage_batch_options_max_concurrent(_ options: Object) -> UInt32 {
    unsafe read(options, BatchOptionsObject.self, 0) { UInt32(clamping: max(1, $0.value.maxConcurrent)) }
}

@_cdecl("sdimage_batch_options_get_dispatcher") @implementation
public func sdimage_batch_options_get_dispatcher(_ options: Object, _ dispatcher: ObjectOut) {
    unsafe hand(read(options, BatchOptionsObject.self, nil) { $0.value.dispatcher }, dispatcher) { DispatcherObject($0) }
}

@_cdecl("sdimage_prefetcher_copy_request") @implementation
public func sdimage_prefetcher_copy_request(_ prefetcher: Object, _ request: ObjectOut) {
    unsafe hand(read(prefetcher, PrefetcherObject.self, nil) { $0.prefetcher.request }, request) { RequestObject($0) }
}
