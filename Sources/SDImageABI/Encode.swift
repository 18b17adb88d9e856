// The functions of include/sdimage/encode.h: encoding on the calling thread, and options (`EncodeOptionsObject`).

import CSDImage
import SDImage
import SDImageHost

@_cdecl("sdimage_encode_options_new") @implementation
public func sdimage_encode_options_new() -> Object { unsafe Handle.own(EncodeOptionsObject(EncodeOptions())) }

@_cdecl("sdimage_encode_options_ref") @implementation
public func sdimage_encode_options_ref(_ options: Object) -> Object {
    unsafe Handle.ref(options, as: EncodeOptionsObject.self)
}

@_cdecl("sdimage_encode_options_unref") @implementation
public func sdimage_encode_options_unref(_ options: Object) {
    unsafe Handle.unref(options, as: EncodeOptionsObject.self)
}

@_cdecl("sdimage_encode_options_set_quality") @implementation
public func sdimage_encode_options_set_quality(_ options: Object, _ quality: Double) {
    unsafe change(options, EncodeOptionsObject.self) { $0.quality = quality }
}

@_cdecl("sdimage_encode_options_set_lossless") @implementation
public func sdimage_encode_options_set_lossless(_ options: Object, _ lossless: Bool) {
    unsafe change(options, EncodeOptionsObject.self) { $0.isLossless = lossless }
}

@_cdecl("sdimage_encode_options_set_effort") @implementation
public func sdimage_encode_options_set_effort(_ options: Object, _ effort: UInt32) {
    unsafe change(options, EncodeOptionsObject.self) { $0.effort = effort > 0 ? min(9, Int(clamping: effort)) : nil }
}

@_cdecl("sdimage_encode_options_set_background_color") @implementation
public func sdimage_encode_options_set_background_color(_ options: Object, _ color: sdimage_color) {
    unsafe change(options, EncodeOptionsObject.self) { $0.background = Color(color) }
}

@_cdecl("sdimage_encode_options_set_max_pixel_size") @implementation
public func sdimage_encode_options_set_max_pixel_size(_ options: Object, _ width: UInt32, _ height: UInt32) {
    unsafe change(options, EncodeOptionsObject.self) { $0.setMaxPixelSize(width, height) }
}

@_cdecl("sdimage_encode_options_max_pixel_size") @implementation
public func sdimage_encode_options_max_pixel_size(_ options: Object) -> sdimage_size {
    unsafe read(options, EncodeOptionsObject.self, sdimage_size()) {
        ($0.value.maxPixelSize ?? PixelSize(width: 0, height: 0)).code
    }
}

@_cdecl("sdimage_encode_options_set_max_file_size") @implementation
public func sdimage_encode_options_set_max_file_size(_ options: Object, _ bytes: Int) {
    unsafe change(options, EncodeOptionsObject.self) { $0.maxFileSize = Input.size(bytes) }
}

@_cdecl("sdimage_encode_options_max_file_size") @implementation
public func sdimage_encode_options_max_file_size(_ options: Object) -> Int {
    unsafe read(options, EncodeOptionsObject.self, 0) { $0.value.maxFileSize }
}

@_cdecl("sdimage_encode_options_set_max_work_ms") @implementation
public func sdimage_encode_options_set_max_work_ms(_ options: Object, _ milliseconds: UInt32) {
    unsafe change(options, EncodeOptionsObject.self) { options in
        let standard = EncodeOptions.standardWorkNanoseconds
        options.workNanoseconds = milliseconds > 0 ? UInt64(milliseconds) * 1_000_000 : standard
    }
}

@_cdecl("sdimage_encode_options_max_work_ms") @implementation
public func sdimage_encode_options_max_work_ms(_ options: Object) -> UInt32 {
    unsafe read(options, EncodeOptionsObject.self, 0) { UInt32(clamping: $0.value.workNanoseconds / 1_000_000) }
}

@_cdecl("sdimage_encode_options_set_embed_thumbnail") @implementation
public func sdimage_encode_options_set_embed_thumbnail(_ options: Object, _ embed: Bool) {
    unsafe change(options, EncodeOptionsObject.self) { $0.embedsThumbnail = embed }
}

@_cdecl("sdimage_encode_options_set_embed_gain_map") @implementation
public func sdimage_encode_options_set_embed_gain_map(_ options: Object, _ embed: Bool) {
    unsafe change(options, EncodeOptionsObject.self) { $0.embedsGainMap = embed }
}

@_cdecl("sdimage_encode_options_should_embed_gain_map") @implementation
public func sdimage_encode_options_should_embed_gain_map(_ options: Object) -> Bool {
    unsafe read(options, EncodeOptionsObject.self, false) { $0.value.embedsGainMap }
}

@_cdecl("sdimage_encode_options_set_transfer_characteristics") @implementation
public func sdimage_encode_options_set_transfer_characteristics(
    _ options: Object, _ transfer: sdimage_transfer_characteristics
) {
    unsafe change(options, EncodeOptionsObject.self) { $0.transfer = HDRTransfer?(transfer) }
}

@_cdecl("sdimage_encode_options_transfer_characteristics") @implementation
public func sdimage_encode_options_transfer_characteristics(_ options: Object) -> sdimage_transfer_characteristics {
    unsafe read(options, EncodeOptionsObject.self, .SDIMAGE_TRANSFER_CHARACTERISTICS_DEFAULT) { $0.value.transfer.code }
}

@_cdecl("sdimage_encode_options_set_bits_per_channel") @implementation
public func sdimage_encode_options_set_bits_per_channel(_ options: Object, _ bits: UInt32) {
    unsafe change(options, EncodeOptionsObject.self) { $0.bitsPerChannel = Int(bits) }
}

@_cdecl("sdimage_encode_options_bits_per_channel") @implementation
public func sdimage_encode_options_bits_per_channel(_ options: Object) -> UInt32 {
    unsafe read(options, EncodeOptionsObject.self, 0) { UInt32(clamping: $0.value.bitsPerChannel) }
}

@_cdecl("sdimage_encode_options_set_max_content_light_level") @implementation
public func sdimage_encode_options_set_max_content_light_level(_ options: Object, _ level: UInt32) {
    unsafe change(options, EncodeOptionsObject.self) { $0.lightLevel.maxContent = UInt16(clamping: level) }
}

@_cdecl("sdimage_encode_options_max_content_light_level") @implementation
public func sdimage_encode_options_max_content_light_level(_ options: Object) -> UInt32 {
    unsafe read(options, EncodeOptionsObject.self, 0) { UInt32($0.value.lightLevel.maxContent) }
}

@_cdecl("sdimage_encode_options_set_max_frame_average_light_level") @implementation
public func sdimage_encode_options_set_max_frame_average_light_level(_ options: Object, _ level: UInt32) {
    unsafe change(options, EncodeOptionsObject.self) { $0.lightLevel.maxFrameAverage = UInt16(clamping: level) }
}

@_cdecl("sdimage_encode_options_max_frame_average_light_level") @implementation
public func sdimage_encode_options_max_frame_average_light_level(_ options: Object) -> UInt32 {
    unsafe read(options, EncodeOptionsObject.self, 0) { UInt32($0.value.lightLevel.maxFrameAverage) }
}

@_cdecl("sdimage_encode_options_set_first_frame_only") @implementation
public func sdimage_encode_options_set_first_frame_only(_ options: Object, _ firstFrameOnly: Bool) {
    unsafe change(options, EncodeOptionsObject.self) { $0.firstFrameOnly = firstFrameOnly }
}

@_cdecl("sdimage_encode_options_set_loop_count") @implementation
public func sdimage_encode_options_set_loop_count(_ options: Object, _ loopCount: UInt32) {
    unsafe change(options, EncodeOptionsObject.self) { $0.loopCount = loopCount == .max ? nil : Int(clamping: loopCount) }
}

@_cdecl("sdimage_encode_options_set_progressive") @implementation
public func sdimage_encode_options_set_progressive(_ options: Object, _ progressive: Bool) {
    unsafe change(options, EncodeOptionsObject.self) { $0.isProgressive = progressive }
}

@_cdecl("sdimage_encode_options_is_progressive") @implementation
public func sdimage_encode_options_is_progressive(_ options: Object) -> Bool {
    unsafe read(options, EncodeOptionsObject.self, false) { $0.value.isProgressive }
}

@_cdecl("sdimage_encode_options_set_chroma") @implementation
public func sdimage_encode_options_set_chroma(_ options: Object, _ chroma: sdimage_chroma) {
    unsafe change(options, EncodeOptionsObject.self) {
        $0.chroma = EncodeOptions.Chroma(rawValue: Int32(bitPattern: chroma.rawValue)) ?? .quarter
    }
}

@_cdecl("sdimage_encode_options_chroma") @implementation
public func sdimage_encode_options_chroma(_ options: Object) -> sdimage_chroma {
    unsafe read(options, EncodeOptionsObject.self, .SDIMAGE_CHROMA_420) {
        sdimage_chroma(rawValue: UInt32($0.value.chroma.rawValue)) ?? .SDIMAGE_CHROMA_420
    }
}

@_cdecl("sdimage_encode_options_set_restart_markers") @implementation
public func sdimage_encode_options_set_restart_markers(_ options: Object, _ restartMarkers: Bool) {
    unsafe change(options, EncodeOptionsObject.self) { $0.restartMarkers = restartMarkers }
}

@_cdecl("sdimage_encode_options_has_restart_markers") @implementation
public func sdimage_encode_options_has_restart_markers(_ options: Object) -> Bool {
    unsafe read(options, EncodeOptionsObject.self, false) { $0.value.restartMarkers }
}

@_cdecl("sdimage_encode_options_set_max_colors") @implementation
public func sdimage_encode_options_set_max_colors(_ options: Object, _ colors: UInt32) {
    unsafe change(options, EncodeOptionsObject.self) { $0.maxColors = min(256, max(2, Int(clamping: colors))) }
}

@_cdecl("sdimage_encode_options_max_colors") @implementation
public func sdimage_encode_options_max_colors(_ options: Object) -> UInt32 {
    unsafe read(options, EncodeOptionsObject.self, 0) { UInt32(clamping: $0.value.maxColors) }
}

@_cdecl("sdimage_encode_options_set_dithering") @implementation
public func sdimage_encode_options_set_dithering(_ options: Object, _ amount: Double) {
    unsafe change(options, EncodeOptionsObject.self) { $0.dithering = amount }
}

@_cdecl("sdimage_encode_options_dithering") @implementation
public func sdimage_encode_options_dithering(_ options: Object) -> Double {
    unsafe read(options, EncodeOptionsObject.self, 0) { $0.value.dithering }
}

@_cdecl("sdimage_encode_options_set_webp") @implementation
public func sdimage_encode_options_set_webp(_ options: Object, _ parameter: sdimage_webp_parameter, _ value: Double) {
    unsafe change(options, EncodeOptionsObject.self) { $0.setWebP(parameter, value) }
}

@_cdecl("sdimage_encode_options_get_webp") @implementation
public func sdimage_encode_options_get_webp(
    _ options: Object, _ parameter: sdimage_webp_parameter, _ value: UnsafeMutablePointer<Double>?
) -> Bool {
    let known = EncodeOptions.WebPParameter(rawValue: Int32(bitPattern: parameter.rawValue))
    let found = unsafe read(options, EncodeOptionsObject.self, nil) { options in known.flatMap { options.value.webP[$0] } }
    unsafe value?.pointee = found ?? 0
    return found != nil
}

@_cdecl("sdimage_encode_options_set_exif") @implementation
public func sdimage_encode_options_set_exif(_ options: Object, _ exif: Object) {
    unsafe change(options, EncodeOptionsObject.self) { $0.exif = unsafe Handle.find(exif, as: Bytes.self) }
}

@_cdecl("sdimage_encode_options_set_xmp") @implementation
public func sdimage_encode_options_set_xmp(_ options: Object, _ xmp: Object) {
    unsafe change(options, EncodeOptionsObject.self) { $0.xmp = unsafe Handle.find(xmp, as: Bytes.self) }
}

@_cdecl("sdimage_encode_options_set_options") @implementation
public func sdimage_encode_options_set_options(_ options: Object, _ values: Object) {
    unsafe Handle.find(options, as: EncodeOptionsObject.self)?.setValues(Handle.find(values, as: OptionsObject.self)?.value)
}

@_cdecl("sdimage_encode_options_options") @implementation
public func sdimage_encode_options_options(_ options: Object) -> Object {
    unsafe read(options, EncodeOptionsObject.self, nil) { unsafe Handle.lend($0.values) }
}

@_cdecl("sdimage_encode_options_quality") @implementation
public func sdimage_encode_options_quality(_ options: Object) -> Double {
    unsafe read(options, EncodeOptionsObject.self, 1) { $0.value.quality }
}

@_cdecl("sdimage_encode_options_is_lossless") @implementation
public func sdimage_encode_options_is_lossless(_ options: Object) -> Bool {
    unsafe read(options, EncodeOptionsObject.self, false) { $0.value.isLossless }
}

@_cdecl("sdimage_encode_options_effort") @implementation
public func sdimage_encode_options_effort(_ options: Object) -> UInt32 {
    unsafe read(options, EncodeOptionsObject.self, 0) { UInt32(clamping: $0.value.effort ?? 0) }
}

@_cdecl("sdimage_encode_options_should_embed_thumbnail") @implementation
public func sdimage_encode_options_should_embed_thumbnail(_ options: Object) -> Bool {
    unsafe read(options, EncodeOptionsObject.self, false) { $0.value.embedsThumbnail }
}

@_cdecl("sdimage_encode_options_background_color") @implementation
public func sdimage_encode_options_background_color(_ options: Object) -> sdimage_color {
    unsafe read(options, EncodeOptionsObject.self, Color.white.code) { $0.value.background.code }
}

@_cdecl("sdimage_encode_options_is_first_frame_only") @implementation
public func sdimage_encode_options_is_first_frame_only(_ options: Object) -> Bool {
    unsafe read(options, EncodeOptionsObject.self, false) { $0.value.firstFrameOnly }
}

@_cdecl("sdimage_encode_options_loop_count") @implementation
public func sdimage_encode_options_loop_count(_ options: Object, _ image: Object) -> UInt32 {
    unsafe read(options, EncodeOptionsObject.self, 0) { options in
        let own = unsafe Handle.find(image, as: Image.self)?.metadata.loopCount
        return (options.value.loopCount ?? own).map { UInt32(clamping: $0) } ?? .max
    }
}

@_cdecl("sdimage_encode_options_exif") @implementation
public func sdimage_encode_options_exif(_ options: Object) -> Object {
    unsafe read(options, EncodeOptionsObject.self, nil) { unsafe Handle.lend($0.value.exif) }
}

@_cdecl("sdimage_encode_options_xmp") @implementation
public func sdimage_encode_options_xmp(_ options: Object) -> Object {
    unsafe read(options, EncodeOptionsObject.self, nil) { unsafe Handle.lend($0.value.xmp) }
}

@_cdecl("sdimage_encode") @implementation
public func sdimage_encode(
    _ image: Object, _ format: sdimage_format, _ options: Object, _ data: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(data)
        let image = unsafe try Handle.borrow(image, as: Image.self)
        let options = unsafe try Input.encodeOptions(options)
        let format = try ImageFormat(encoding: format)
        unsafe try give(try Defaults.coders.encode(image, format: format, options: options, stop: CancellationToken()), data)
    }
}

@_cdecl("sdimage_encode_file") @implementation
public func sdimage_encode_file(
    _ image: Object, _ path: Text, _ format: sdimage_format, _ options: Object, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let image = unsafe try Handle.borrow(image, as: Image.self)
        let options = unsafe try Input.encodeOptions(options)
        let path = unsafe Input.name(path)
        guard !path.isEmpty else { throw ImageError(.invalidArgument, "file: path is empty") }
        let asked = try ImageFormat(encoding: format)
        let format = asked == .unknown ? ImageFormat(fileName: path) : asked
        let bytes = try Defaults.coders.encode(image, format: format, options: options, stop: CancellationToken())
        try FileWriter.write(bytes, to: path)
    }
}

@_cdecl("sdimage_format_of_name") @implementation
public func sdimage_format_of_name(_ name: Text) -> sdimage_format { ImageFormat(fileName: unsafe Input.name(name)).code }
