// The getters of `sdimage_decode_options` (include/sdimage/decode.h).

import CSDImage
import SDImage
import SDImageHost

@_cdecl("sdimage_decode_options_dynamic_range") @implementation
public func sdimage_decode_options_dynamic_range(_ options: Object) -> sdimage_dynamic_range {
    unsafe read(options, DecodeOptionsObject.self, .SDIMAGE_DYNAMIC_RANGE_SDR) { $0.value.dynamicRange.code }
}

@_cdecl("sdimage_decode_options_display_headroom") @implementation
public func sdimage_decode_options_display_headroom(_ options: Object) -> Double {
    unsafe read(options, DecodeOptionsObject.self, 0) { $0.value.displayHeadroom }
}

@_cdecl("sdimage_decode_options_should_keep_gain_map") @implementation
public func sdimage_decode_options_should_keep_gain_map(_ options: Object) -> Bool {
    unsafe read(options, DecodeOptionsObject.self, false) { $0.value.keepsGainMap }
}

@_cdecl("sdimage_decode_options_transfer_characteristics") @implementation
public func sdimage_decode_options_transfer_characteristics(_ options: Object) -> sdimage_transfer_characteristics {
    unsafe read(options, DecodeOptionsObject.self, .SDIMAGE_TRANSFER_CHARACTERISTICS_DEFAULT) { $0.value.transfer.code }
}

@_cdecl("sdimage_decode_options_format_hint") @implementation
public func sdimage_decode_options_format_hint(_ options: Object) -> sdimage_format {
    unsafe read(options, DecodeOptionsObject.self, .SDIMAGE_FORMAT_UNKNOWN) { $0.value.formatHint.code }
}

@_cdecl("sdimage_decode_options_has_scale") @implementation
public func sdimage_decode_options_has_scale(_ options: Object) -> Bool {
    unsafe read(options, DecodeOptionsObject.self, false) { $0.value.scale != nil }
}

@_cdecl("sdimage_decode_options_has_early_thumbnail") @implementation
public func sdimage_decode_options_has_early_thumbnail(_ options: Object) -> Bool {
    unsafe read(options, DecodeOptionsObject.self, false) { $0.value.earlyThumbnail }
}

@_cdecl("sdimage_decode_options_thumbnail_size") @implementation
public func sdimage_decode_options_thumbnail_size(_ options: Object) -> sdimage_size {
    unsafe read(options, DecodeOptionsObject.self, sdimage_size(width: 0, height: 0)) { options in
        guard let box = options.value.thumbnailSize else { return sdimage_size(width: 0, height: 0) }
        return sdimage_size(width: UInt32(clamping: box.width), height: UInt32(clamping: box.height))
    }
}

@_cdecl("sdimage_decode_options_thumbnail_mode") @implementation
public func sdimage_decode_options_thumbnail_mode(_ options: Object) -> sdimage_scale_mode {
    unsafe read(options, DecodeOptionsObject.self, .SDIMAGE_SCALE_MODE_ASPECT_FIT) { options in
        options.value.thumbnailMode.code
    }
}

@_cdecl("sdimage_decode_options_pixel_format") @implementation
public func sdimage_decode_options_pixel_format(_ options: Object) -> sdimage_pixel_format {
    unsafe read(options, DecodeOptionsObject.self, .SDIMAGE_PIXEL_FORMAT_AUTOMATIC) { $0.value.pixelFormatCode }
}

@_cdecl("sdimage_decode_options_should_apply_orientation") @implementation
public func sdimage_decode_options_should_apply_orientation(_ options: Object) -> Bool {
    unsafe read(options, DecodeOptionsObject.self, true) { $0.value.applyOrientation }
}

@_cdecl("sdimage_decode_options_should_convert_to_srgb") @implementation
public func sdimage_decode_options_should_convert_to_srgb(_ options: Object) -> Bool {
    unsafe read(options, DecodeOptionsObject.self, true) { $0.value.convertToSRGB }
}

@_cdecl("sdimage_decode_options_is_first_frame_only") @implementation
public func sdimage_decode_options_is_first_frame_only(_ options: Object) -> Bool {
    unsafe read(options, DecodeOptionsObject.self, false) { $0.value.firstFrameOnly }
}

@_cdecl("sdimage_decode_options_scale") @implementation
public func sdimage_decode_options_scale(_ options: Object) -> Double {
    unsafe read(options, DecodeOptionsObject.self, 1) { $0.value.scale ?? 1 }
}

@_cdecl("sdimage_decode_options_should_accept_partial") @implementation
public func sdimage_decode_options_should_accept_partial(_ options: Object) -> Bool {
    unsafe read(options, DecodeOptionsObject.self, false) { $0.value.acceptPartial }
}

@_cdecl("sdimage_decode_options_limit_bytes") @implementation
public func sdimage_decode_options_limit_bytes(_ options: Object) -> Int {
    unsafe read(options, DecodeOptionsObject.self, 0) { $0.value.limitBytes }
}

@_cdecl("sdimage_decode_options_options") @implementation
public func sdimage_decode_options_options(_ options: Object) -> Object {
    unsafe read(options, DecodeOptionsObject.self, nil) { unsafe Handle.lend($0.values) }
}

@_cdecl("sdimage_decode_options_max_pixels") @implementation
public func sdimage_decode_options_max_pixels(_ options: Object) -> UInt64 {
    unsafe read(options, DecodeOptionsObject.self, UInt64(DecodeLimits.standard.heldPixels)) { options in
        UInt64(clamping: options.value.limits.heldPixels)
    }
}

@_cdecl("sdimage_decode_options_max_bytes") @implementation
public func sdimage_decode_options_max_bytes(_ options: Object) -> Int {
    unsafe read(options, DecodeOptionsObject.self, DecodeLimits.standard.outputBytes) { $0.value.limits.outputBytes }
}

@_cdecl("sdimage_decode_options_max_work_ms") @implementation
public func sdimage_decode_options_max_work_ms(_ options: Object) -> UInt32 {
    let standard = UInt32(clamping: DecodeLimits.standard.workNanoseconds / 1_000_000)
    return unsafe read(options, DecodeOptionsObject.self, standard) { options in
        UInt32(clamping: max(1, options.value.limits.workNanoseconds / 1_000_000))
    }
}
