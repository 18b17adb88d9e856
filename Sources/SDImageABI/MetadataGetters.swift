// The getters of `sdimage_metadata` (include/sdimage/metadata.h).

import CSDImage
import SDImage
import SDImageHost

@_cdecl("sdimage_metadata_scale") @implementation
public func sdimage_metadata_scale(_ metadata: Object) -> Double {
    unsafe read(metadata, MetadataObject.self, 1) { $0.value.scale }
}

@_cdecl("sdimage_metadata_format") @implementation
public func sdimage_metadata_format(_ metadata: Object) -> sdimage_format {
    unsafe read(metadata, MetadataObject.self, .SDIMAGE_FORMAT_UNKNOWN) { $0.value.format.code }
}

@_cdecl("sdimage_metadata_orientation") @implementation
public func sdimage_metadata_orientation(_ metadata: Object) -> sdimage_orientation {
    unsafe read(metadata, MetadataObject.self, .SDIMAGE_ORIENTATION_UNKNOWN) { $0.value.orientation.code }
}

@_cdecl("sdimage_metadata_color_profile") @implementation
public func sdimage_metadata_color_profile(_ metadata: Object) -> Object {
    unsafe read(metadata, MetadataObject.self, nil) { unsafe Handle.lend($0.value.colorProfile) }
}

@_cdecl("sdimage_metadata_get_cicp") @implementation
public func sdimage_metadata_get_cicp(
    _ metadata: Object, _ primaries: UnsafeMutablePointer<UInt32>?, _ transfer: UnsafeMutablePointer<UInt32>?,
    _ matrix: UnsafeMutablePointer<UInt32>?, _ fullRange: UnsafeMutablePointer<Bool>?
) -> Bool {
    let codes = unsafe Handle.find(metadata, as: MetadataObject.self)?.value.cicp
    unsafe primaries?.pointee = UInt32(codes?.primaries ?? 0)
    unsafe transfer?.pointee = UInt32(codes?.transfer ?? 0)
    unsafe matrix?.pointee = UInt32(codes?.matrix ?? 0)
    unsafe fullRange?.pointee = codes?.isFullRange ?? false
    return codes != nil
}

@_cdecl("sdimage_metadata_gain_map") @implementation
public func sdimage_metadata_gain_map(_ metadata: Object) -> Object {
    unsafe read(metadata, MetadataObject.self, nil) { unsafe Handle.lend($0.value.gainMap) }
}

@_cdecl("sdimage_metadata_exif") @implementation
public func sdimage_metadata_exif(_ metadata: Object) -> Object {
    unsafe read(metadata, MetadataObject.self, nil) { unsafe Handle.lend($0.value.exif) }
}

@_cdecl("sdimage_metadata_xmp") @implementation
public func sdimage_metadata_xmp(_ metadata: Object) -> Object {
    unsafe read(metadata, MetadataObject.self, nil) { unsafe Handle.lend($0.value.xmp) }
}

@_cdecl("sdimage_metadata_memory_cost") @implementation
public func sdimage_metadata_memory_cost(_ metadata: Object) -> Int {
    unsafe read(metadata, MetadataObject.self, 0) { $0.value.memoryCost ?? -1 }
}

@_cdecl("sdimage_metadata_source_size") @implementation
public func sdimage_metadata_source_size(_ metadata: Object) -> sdimage_size {
    unsafe read(metadata, MetadataObject.self, sdimage_size()) { ($0.value.sourceSize ?? PixelSize(width: 0, height: 0)).code }
}

@_cdecl("sdimage_metadata_has_alpha") @implementation
public func sdimage_metadata_has_alpha(_ metadata: Object) -> Bool {
    unsafe read(metadata, MetadataObject.self, false) { $0.value.hasAlpha }
}

@_cdecl("sdimage_metadata_frame_count") @implementation
public func sdimage_metadata_frame_count(_ metadata: Object) -> UInt32 {
    unsafe read(metadata, MetadataObject.self, 0) { UInt32(clamping: $0.value.frameCount) }
}

@_cdecl("sdimage_metadata_loop_count") @implementation
public func sdimage_metadata_loop_count(_ metadata: Object) -> UInt32 {
    unsafe read(metadata, MetadataObject.self, 0) { UInt32(clamping: $0.value.loopCount) }
}

@_cdecl("sdimage_metadata_duration_ms") @implementation
public func sdimage_metadata_duration_ms(_ metadata: Object) -> UInt64 {
    unsafe read(metadata, MetadataObject.self, 0) { UInt64(clamping: $0.value.durationMilliseconds) }
}

@_cdecl("sdimage_metadata_bits_per_channel") @implementation
public func sdimage_metadata_bits_per_channel(_ metadata: Object) -> UInt32 {
    unsafe read(metadata, MetadataObject.self, 0) { UInt32(clamping: $0.value.bitsPerChannel) }
}

@_cdecl("sdimage_metadata_channels") @implementation
public func sdimage_metadata_channels(_ metadata: Object) -> UInt32 {
    unsafe read(metadata, MetadataObject.self, 0) { UInt32(clamping: $0.value.channels) }
}

@_cdecl("sdimage_metadata_is_progressive") @implementation
public func sdimage_metadata_is_progressive(_ metadata: Object) -> Bool {
    unsafe read(metadata, MetadataObject.self, false) { $0.value.isProgressive }
}

@_cdecl("sdimage_metadata_extended_data") @implementation
public func sdimage_metadata_extended_data(_ metadata: Object) -> Object {
    unsafe read(metadata, MetadataObject.self, nil) { unsafe Handle.lend($0.value.extendedData) }
}
