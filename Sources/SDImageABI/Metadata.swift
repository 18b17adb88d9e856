// The functions of include/sdimage/metadata.h: header information (`sdimage_info`, an `InfoObject`), and metadata of images that
// coders set (`sdimage_metadata`, a `MetadataObject`).

import CSDImage
import Glibc
import SDImage
import SDImageHost

@_cdecl("sdimage_info_new") @implementation
public func sdimage_info_new(
    _ bytes: UnsafeRawPointer?, _ length: Int, _ options: Object, _ info: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(info)
        let options = unsafe try Input.decodeOptions(options)
        let found = unsafe try Defaults.coders.info(try Input.callersBytes(bytes, length), options: options)
        unsafe try give(try InfoObject(found), info)
    }
}

@_cdecl("sdimage_info_new_file") @implementation
public func sdimage_info_new_file(_ path: Text, _ options: Object, _ info: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(info)
        let options = unsafe try Input.decodeOptions(options)
        let path = unsafe Input.name(path)
        guard !path.isEmpty else { throw ImageError(.invalidArgument, "file: path is empty") }
        let bytes = try FileLoader.read(path, limit: DecodeLimits.standard.workingBytes)
        unsafe try give(try InfoObject(try Defaults.coders.info(bytes, options: options)), info)
    }
}

@_cdecl("sdimage_info_ref") @implementation
public func sdimage_info_ref(_ info: Object) -> Object { unsafe Handle.ref(info, as: InfoObject.self) }

@_cdecl("sdimage_info_unref") @implementation
public func sdimage_info_unref(_ info: Object) { unsafe Handle.unref(info, as: InfoObject.self) }

@_cdecl("sdimage_info_format") @implementation
public func sdimage_info_format(_ info: Object) -> sdimage_format {
    unsafe read(info, InfoObject.self, .SDIMAGE_FORMAT_UNKNOWN) { $0.info.format.code }
}

@_cdecl("sdimage_info_size") @implementation
public func sdimage_info_size(_ info: Object) -> sdimage_size {
    unsafe read(info, InfoObject.self, sdimage_size(width: 0, height: 0)) { $0.info.displayedSize.code }
}

@_cdecl("sdimage_info_stored_size") @implementation
public func sdimage_info_stored_size(_ info: Object) -> sdimage_size {
    unsafe read(info, InfoObject.self, sdimage_size(width: 0, height: 0)) { $0.info.storedSize.code }
}

@_cdecl("sdimage_info_orientation") @implementation
public func sdimage_info_orientation(_ info: Object) -> sdimage_orientation {
    unsafe read(info, InfoObject.self, .SDIMAGE_ORIENTATION_UNKNOWN) { $0.info.orientation.code }
}

@_cdecl("sdimage_info_frame_count") @implementation
public func sdimage_info_frame_count(_ info: Object) -> UInt32 {
    unsafe read(info, InfoObject.self, 0) { UInt32(clamping: $0.info.frameCount) }
}

@_cdecl("sdimage_info_loop_count") @implementation
public func sdimage_info_loop_count(_ info: Object) -> UInt32 {
    unsafe read(info, InfoObject.self, 0) { UInt32(clamping: $0.info.loopCount) }
}

@_cdecl("sdimage_info_duration_ms") @implementation
public func sdimage_info_duration_ms(_ info: Object) -> UInt64 {
    unsafe read(info, InfoObject.self, 0) { UInt64(clamping: $0.info.durationMilliseconds) }
}

@_cdecl("sdimage_info_has_alpha") @implementation
public func sdimage_info_has_alpha(_ info: Object) -> Bool { unsafe read(info, InfoObject.self, false) { $0.info.hasAlpha } }

@_cdecl("sdimage_info_bits_per_channel") @implementation
public func sdimage_info_bits_per_channel(_ info: Object) -> UInt32 {
    unsafe read(info, InfoObject.self, 0) { UInt32(clamping: $0.info.bitsPerChannel) }
}

@_cdecl("sdimage_info_channel_count") @implementation
public func sdimage_info_channel_count(_ info: Object) -> UInt32 {
    unsafe read(info, InfoObject.self, 0) { UInt32(clamping: $0.info.channels) }
}

@_cdecl("sdimage_info_is_progressive") @implementation
public func sdimage_info_is_progressive(_ info: Object) -> Bool {
    unsafe read(info, InfoObject.self, false) { $0.info.isProgressive }
}

@_cdecl("sdimage_info_is_hdr") @implementation
public func sdimage_info_is_hdr(_ info: Object) -> Bool {
    unsafe read(info, InfoObject.self, false) { $0.info.isHighDynamicRange }
}

@_cdecl("sdimage_info_transfer_characteristics") @implementation
public func sdimage_info_transfer_characteristics(_ info: Object) -> UInt32 {
    unsafe read(info, InfoObject.self, 0) { UInt32($0.info.transfer) }
}

@_cdecl("sdimage_info_has_gain_map") @implementation
public func sdimage_info_has_gain_map(_ info: Object) -> Bool {
    unsafe read(info, InfoObject.self, false) { $0.info.hasGainMap }
}

@_cdecl("sdimage_info_content_headroom") @implementation
public func sdimage_info_content_headroom(_ info: Object) -> Double {
    unsafe read(info, InfoObject.self, 0) { $0.info.contentHeadroom }
}

@_cdecl("sdimage_info_has_color_profile") @implementation
public func sdimage_info_has_color_profile(_ info: Object) -> Bool {
    unsafe read(info, InfoObject.self, false) { $0.info.hasColorProfile }
}

@_cdecl("sdimage_info_dpi_x") @implementation
public func sdimage_info_dpi_x(_ info: Object) -> Double { unsafe read(info, InfoObject.self, 0) { $0.info.dpi?.x ?? 0 } }

@_cdecl("sdimage_info_dpi_y") @implementation
public func sdimage_info_dpi_y(_ info: Object) -> Double { unsafe read(info, InfoObject.self, 0) { $0.info.dpi?.y ?? 0 } }

@_cdecl("sdimage_info_exif") @implementation
public func sdimage_info_exif(_ info: Object) -> Object {
    unsafe read(info, InfoObject.self, nil) { unsafe Handle.lend($0.info.exif) }
}

@_cdecl("sdimage_info_xmp") @implementation
public func sdimage_info_xmp(_ info: Object) -> Object {
    unsafe read(info, InfoObject.self, nil) { unsafe Handle.lend($0.info.xmp) }
}

@_cdecl("sdimage_info_color_profile") @implementation
public func sdimage_info_color_profile(_ info: Object) -> Object {
    unsafe read(info, InfoObject.self, nil) { unsafe Handle.lend($0.info.colorProfile) }
}

@_cdecl("sdimage_info_text_count") @implementation
public func sdimage_info_text_count(_ info: Object) -> Int { unsafe read(info, InfoObject.self, 0) { $0.texts.count } }

@_cdecl("sdimage_info_text_name") @implementation
public func sdimage_info_text_name(_ info: Object, _ index: Int) -> Text {
    unsafe read(info, InfoObject.self, nil) { unsafe $0.texts.indices ~= index ? $0.texts[index].name.pointer : nil }
}

@_cdecl("sdimage_info_text_value") @implementation
public func sdimage_info_text_value(_ info: Object, _ index: Int) -> Text {
    unsafe read(info, InfoObject.self, nil) { unsafe $0.texts.indices ~= index ? $0.texts[index].value.pointer : nil }
}

@_cdecl("sdimage_info_to_json") @implementation
public func sdimage_info_to_json(_ info: Object, _ json: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let info = unsafe try Handle.borrow(info, as: InfoObject.self)
        unsafe try give(try Report.info(info.info).bytes(), json)
    }
}

@_cdecl("sdimage_image_copy_metadata") @implementation
public func sdimage_image_copy_metadata(_ image: Object, _ metadata: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try give(MetadataObject(try Handle.borrow(image, as: Image.self).metadata), metadata)
    }
}

@_cdecl("sdimage_metadata_ref") @implementation
public func sdimage_metadata_ref(_ metadata: Object) -> Object { unsafe Handle.ref(metadata, as: MetadataObject.self) }

@_cdecl("sdimage_metadata_unref") @implementation
public func sdimage_metadata_unref(_ metadata: Object) { unsafe Handle.unref(metadata, as: MetadataObject.self) }

@_cdecl("sdimage_metadata_set_scale") @implementation
public func sdimage_metadata_set_scale(_ metadata: Object, _ scale: Double) {
    unsafe change(metadata, MetadataObject.self) { $0.scale = scale >= 1 && scale.isFinite ? scale : 1 }
}

@_cdecl("sdimage_metadata_set_format") @implementation
public func sdimage_metadata_set_format(_ metadata: Object, _ format: sdimage_format) {
    unsafe change(metadata, MetadataObject.self) { $0.format = ImageFormat(rawValue: format.rawValue) ?? .unknown }
}

@_cdecl("sdimage_metadata_set_orientation") @implementation
public func sdimage_metadata_set_orientation(_ metadata: Object, _ orientation: sdimage_orientation) {
    unsafe change(metadata, MetadataObject.self) { $0.orientation = Orientation(exif: Int(orientation.rawValue)) }
}

@_cdecl("sdimage_metadata_set_color_profile") @implementation
public func sdimage_metadata_set_color_profile(_ metadata: Object, _ profile: Object) {
    let profile = unsafe Handle.find(profile, as: Bytes.self)
    unsafe change(metadata, MetadataObject.self) { $0.colorProfile = profile }
}

@_cdecl("sdimage_metadata_set_cicp") @implementation
public func sdimage_metadata_set_cicp(
    _ metadata: Object, _ primaries: UInt32, _ transfer: UInt32, _ matrix: UInt32, _ fullRange: Bool
) {
    let codes = CodePoints(primaries: primaries, transfer: transfer, matrix: matrix, isFullRange: fullRange)
    unsafe change(metadata, MetadataObject.self) { metadata in
        metadata.cicp = codes
        metadata.isHighDynamicRange = codes?.isHighDynamicRange ?? false
        metadata.headroom = codes?.headroom ?? 0
        metadata.contentHeadroom = max(metadata.gainMap?.headroom ?? 0, metadata.headroom)
    }
}

@_cdecl("sdimage_metadata_set_gain_map") @implementation
public func sdimage_metadata_set_gain_map(_ metadata: Object, _ map: Object) {
    let map = unsafe Handle.find(map, as: GainMap.self)
    unsafe change(metadata, MetadataObject.self) {
        $0.gainMap = map
        $0.contentHeadroom = max(map?.headroom ?? 0, $0.cicp?.headroom ?? 0)
    }
}

@_cdecl("sdimage_metadata_set_exif") @implementation
public func sdimage_metadata_set_exif(_ metadata: Object, _ exif: Object) {
    let exif = unsafe Handle.find(exif, as: Bytes.self)
    unsafe change(metadata, MetadataObject.self) { $0.exif = exif }
}

@_cdecl("sdimage_metadata_set_xmp") @implementation
public func sdimage_metadata_set_xmp(_ metadata: Object, _ xmp: Object) {
    let xmp = unsafe Handle.find(xmp, as: Bytes.self)
    unsafe change(metadata, MetadataObject.self) { $0.xmp = xmp }
}

@_cdecl("sdimage_metadata_set_memory_cost") @implementation
public func sdimage_metadata_set_memory_cost(_ metadata: Object, _ bytes: Int) {
    unsafe change(metadata, MetadataObject.self) { $0.memoryCost = bytes == -1 ? nil : Input.size(bytes) }
}

@_cdecl("sdimage_metadata_set_source_size") @implementation
public func sdimage_metadata_set_source_size(_ metadata: Object, _ width: UInt32, _ height: UInt32) {
    unsafe change(metadata, MetadataObject.self) {
        $0.sourceSize = PixelSize(width: Int(clamping: width), height: Int(clamping: height))
    }
}

@_cdecl("sdimage_metadata_set_has_alpha") @implementation
public func sdimage_metadata_set_has_alpha(_ metadata: Object, _ hasAlpha: Bool) {
    unsafe change(metadata, MetadataObject.self) { $0.hasAlpha = hasAlpha }
}

@_cdecl("sdimage_metadata_set_frame_count") @implementation
public func sdimage_metadata_set_frame_count(_ metadata: Object, _ count: UInt32) {
    unsafe change(metadata, MetadataObject.self) { $0.frameCount = max(1, Int(clamping: count)) }
}

@_cdecl("sdimage_metadata_set_loop_count") @implementation
public func sdimage_metadata_set_loop_count(_ metadata: Object, _ count: UInt32) {
    unsafe change(metadata, MetadataObject.self) { $0.loopCount = Int(clamping: count) }
}

@_cdecl("sdimage_metadata_set_duration_ms") @implementation
public func sdimage_metadata_set_duration_ms(_ metadata: Object, _ milliseconds: UInt64) {
    unsafe change(metadata, MetadataObject.self) { $0.durationMilliseconds = Int(clamping: milliseconds) }
}

@_cdecl("sdimage_metadata_set_bits_per_channel") @implementation
public func sdimage_metadata_set_bits_per_channel(_ metadata: Object, _ bits: UInt32) {
    unsafe change(metadata, MetadataObject.self) { $0.bitsPerChannel = Int(clamping: bits) }
}

@_cdecl("sdimage_metadata_set_channels") @implementation
public func sdimage_metadata_set_channels(_ metadata: Object, _ channels: UInt32) {
    unsafe change(metadata, MetadataObject.self) { $0.channels = Int(clamping: channels) }
}

@_cdecl("sdimage_metadata_set_progressive") @implementation
public func sdimage_metadata_set_progressive(_ metadata: Object, _ isProgressive: Bool) {
    unsafe change(metadata, MetadataObject.self) { $0.isProgressive = isProgressive }
}

@_cdecl("sdimage_metadata_set_extended_data") @implementation
public func sdimage_metadata_set_extended_data(_ metadata: Object, _ data: Object) {
    unsafe change(metadata, MetadataObject.self) { $0.extendedData = unsafe Handle.find(data, as: Bytes.self) }
}

@_cdecl("sdimage_image_with_metadata") @implementation
public func sdimage_image_with_metadata(_ image: Object, _ metadata: Object, _ copy: ObjectOut, _ error: ObjectOut)
    -> sdimage_status
{
    unsafe attempt(error) { () throws(ImageError) in
        let image = unsafe try Handle.borrow(image, as: Image.self)
        var told = unsafe try Handle.borrow(metadata, as: MetadataObject.self).value
        told.isEdited = true
        unsafe try give(image.with(told), copy)
    }
}
