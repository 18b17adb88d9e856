// The functions of include/sdimage/image.h. `sdimage_image` is an `Image`, which is immutable; functions that change it make
// another.

import CSDImage
import Glibc
import SDImage
import SDImageHost

@_cdecl("sdimage_image_new") @implementation
public func sdimage_image_new(
    _ width: UInt32, _ height: UInt32, _ stride: Int, _ pixelFormat: sdimage_pixel_format, _ pixels: UnsafeRawPointer?,
    _ image: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(image)
        let layout = try HostPixels(width, height, stride: stride, pixelFormat)
        unsafe try give(try layout.copied(from: pixels), image)
    }
}

@_cdecl("sdimage_image_new_adopting") @implementation
public func sdimage_image_new_adopting(
    _ width: UInt32, _ height: UInt32, _ stride: Int, _ pixelFormat: sdimage_pixel_format, _ pixels: UserData,
    _ userData: UserData, _ destroy: sdimage_destroy_fn?, _ image: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    return unsafe attempt(error) { () throws(ImageError) in
        let layout = try HostPixels(width, height, stride: stride, pixelFormat)
        unsafe try give(try layout.adopted(pixels, foreign), image)
    }
}

@_cdecl("sdimage_image_new_uninitialized") @implementation
public func sdimage_image_new_uninitialized(
    _ width: UInt32, _ height: UInt32, _ pixelFormat: sdimage_pixel_format, _ image: ObjectOut,
    _ pixels: UnsafeMutablePointer<UserData>?, _ stride: UnsafeMutablePointer<Int>?, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(image)
        guard let pixels = unsafe pixels, let stride = unsafe stride else {
            throw ImageError(.invalidArgument, "image: no place to store the pixels or the stride")
        }
        let made = try HostPixels(width, height, stride: nil, pixelFormat).uninitialized()
        unsafe try give(made, image)
        unsafe (pixels.pointee, stride.pointee) = unsafe (made.pixels.mutablePixels, made.pixels.stride)
    }
}

@_cdecl("sdimage_image_new_animation") @implementation
public func sdimage_image_new_animation(
    _ frames: UnsafePointer<OpaquePointer?>?, _ durationsMs: UnsafePointer<UInt32>?, _ count: Int, _ loopCount: UInt32,
    _ image: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(image)
        let images = unsafe try Input.objects(frames, count, as: Image.self)
        guard let first = images.first, let durationsMs = unsafe durationsMs else {
            throw ImageError(.invalidArgument, "animation: no frames or no durations")
        }
        let durations = (0..<images.count).map { unsafe Int(clamping: durationsMs[$0]) }
        let held = try HeldFrames(images, durations: durations, loopCount: Int(clamping: loopCount))
        unsafe try give(first.with(frames: held), image)
    }
}

@_cdecl("sdimage_image_ref") @implementation
public func sdimage_image_ref(_ image: Object) -> Object { unsafe Handle.ref(image, as: Image.self) }

@_cdecl("sdimage_image_unref") @implementation
public func sdimage_image_unref(_ image: Object) { unsafe Handle.unref(image, as: Image.self) }

@_cdecl("sdimage_image_width") @implementation
public func sdimage_image_width(_ image: Object) -> UInt32 {
    unsafe read(image, Image.self, 0) { UInt32(clamping: $0.size.width) }
}

@_cdecl("sdimage_image_height") @implementation
public func sdimage_image_height(_ image: Object) -> UInt32 {
    unsafe read(image, Image.self, 0) { UInt32(clamping: $0.size.height) }
}

@_cdecl("sdimage_image_stride") @implementation
public func sdimage_image_stride(_ image: Object) -> Int {
    unsafe read(image, Image.self, 0) { $0.pixels.stride }
}

@_cdecl("sdimage_image_pixels") @implementation
public func sdimage_image_pixels(_ image: Object) -> UnsafeRawPointer? {
    unsafe read(image, Image.self, nil) { unsafe $0.pixels.pixels }
}

@_cdecl("sdimage_image_pixel_format") @implementation
public func sdimage_image_pixel_format(_ image: Object) -> sdimage_pixel_format {
    unsafe read(image, Image.self, .SDIMAGE_PIXEL_FORMAT_AUTOMATIC) { $0.pixels.format.code }
}

@_cdecl("sdimage_image_format") @implementation
public func sdimage_image_format(_ image: Object) -> sdimage_format {
    unsafe read(image, Image.self, .SDIMAGE_FORMAT_UNKNOWN) { $0.metadata.format.code }
}

@_cdecl("sdimage_image_has_alpha") @implementation
public func sdimage_image_has_alpha(_ image: Object) -> Bool {
    unsafe read(image, Image.self, false) { $0.metadata.hasAlpha }
}

@_cdecl("sdimage_image_scale") @implementation
public func sdimage_image_scale(_ image: Object) -> Double {
    unsafe read(image, Image.self, 1) { $0.metadata.scale }
}

@_cdecl("sdimage_image_orientation") @implementation
public func sdimage_image_orientation(_ image: Object) -> sdimage_orientation {
    unsafe read(image, Image.self, .SDIMAGE_ORIENTATION_UP) { $0.metadata.orientation.code }
}

@_cdecl("sdimage_image_source_size") @implementation
public func sdimage_image_source_size(_ image: Object) -> sdimage_size {
    unsafe read(image, Image.self, sdimage_size(width: 0, height: 0)) { image in
        let size = image.metadata.sourceSize ?? image.size
        return sdimage_size(width: UInt32(clamping: size.width), height: UInt32(clamping: size.height))
    }
}

@_cdecl("sdimage_image_frame_count") @implementation
public func sdimage_image_frame_count(_ image: Object) -> UInt32 {
    unsafe read(image, Image.self, 0) { UInt32(clamping: $0.metadata.frameCount) }
}

@_cdecl("sdimage_image_loop_count") @implementation
public func sdimage_image_loop_count(_ image: Object) -> UInt32 {
    unsafe read(image, Image.self, 0) { UInt32(clamping: $0.metadata.loopCount) }
}

@_cdecl("sdimage_image_duration_ms") @implementation
public func sdimage_image_duration_ms(_ image: Object) -> UInt64 {
    unsafe read(image, Image.self, 0) { UInt64(clamping: $0.metadata.durationMilliseconds) }
}

@_cdecl("sdimage_image_get_frame") @implementation
public func sdimage_image_get_frame(_ image: Object, _ index: UInt32, _ frame: ObjectOut, _ error: ObjectOut)
    -> sdimage_status
{
    unsafe attempt(error) { () throws(ImageError) in
        let image = unsafe try Handle.borrow(image, as: Image.self)
        unsafe try requireResult(frame)
        let stop = CancellationToken()
        stop.allow(nanoseconds: CallTimeLimits.frame)
        let index = Int(clamping: index)
        unsafe try give(try Engine.helped { () throws(ImageError) in try image.frame(at: index, stop: stop) }, frame)
    }
}

@_cdecl("sdimage_image_frame_duration_ms") @implementation
public func sdimage_image_frame_duration_ms(_ image: Object, _ index: UInt32) -> UInt32 {
    unsafe read(image, Image.self, 0) { image in
        UInt32(clamping: image.frames?.durationMilliseconds(at: Int(clamping: index)) ?? 0)
    }
}

@_cdecl("sdimage_image_is_incremental") @implementation
public func sdimage_image_is_incremental(_ image: Object) -> Bool {
    unsafe read(image, Image.self, false) { $0.metadata.isIncremental }
}

@_cdecl("sdimage_image_is_damaged") @implementation
public func sdimage_image_is_damaged(_ image: Object) -> Bool {
    unsafe read(image, Image.self, false) { $0.metadata.isDamaged }
}

@_cdecl("sdimage_image_is_transformed") @implementation
public func sdimage_image_is_transformed(_ image: Object) -> Bool {
    unsafe read(image, Image.self, false) { $0.metadata.isTransformed }
}

@_cdecl("sdimage_image_consumed_bytes") @implementation
public func sdimage_image_consumed_bytes(_ image: Object) -> UInt64 {
    unsafe read(image, Image.self, 0) { UInt64(clamping: $0.metadata.consumedBytes ?? 0) }
}

@_cdecl("sdimage_image_is_animated") @implementation
public func sdimage_image_is_animated(_ image: Object) -> Bool {
    unsafe read(image, Image.self, false) { $0.metadata.frameCount > 1 }
}

@_cdecl("sdimage_image_is_thumbnail") @implementation
public func sdimage_image_is_thumbnail(_ image: Object) -> Bool {
    unsafe read(image, Image.self, false) { $0.metadata.isThumbnail }
}

@_cdecl("sdimage_image_memory_cost") @implementation
public func sdimage_image_memory_cost(_ image: Object) -> Int {
    unsafe read(image, Image.self, 0) { $0.memoryCost }
}

@_cdecl("sdimage_image_color_profile") @implementation
public func sdimage_image_color_profile(_ image: Object) -> Object {
    unsafe read(image, Image.self, nil) { unsafe Handle.lend($0.metadata.colorProfile) }
}

@_cdecl("sdimage_image_color_primaries") @implementation
public func sdimage_image_color_primaries(_ image: Object) -> UInt32 {
    unsafe read(image, Image.self, 0) { UInt32($0.metadata.cicp?.primaries ?? 0) }
}

@_cdecl("sdimage_image_transfer_characteristics") @implementation
public func sdimage_image_transfer_characteristics(_ image: Object) -> UInt32 {
    unsafe read(image, Image.self, 0) { UInt32($0.metadata.cicp?.transfer ?? 0) }
}

@_cdecl("sdimage_image_is_hdr") @implementation
public func sdimage_image_is_hdr(_ image: Object) -> Bool {
    unsafe read(image, Image.self, false) { $0.metadata.isHighDynamicRange }
}

@_cdecl("sdimage_image_headroom") @implementation
public func sdimage_image_headroom(_ image: Object) -> Double {
    unsafe read(image, Image.self, 0) { $0.metadata.headroom }
}

@_cdecl("sdimage_image_content_headroom") @implementation
public func sdimage_image_content_headroom(_ image: Object) -> Double {
    unsafe read(image, Image.self, 0) { $0.metadata.contentHeadroom }
}

@_cdecl("sdimage_image_get_gain_map") @implementation
public func sdimage_image_get_gain_map(_ image: Object, _ map: ObjectOut) {
    guard let map = unsafe map else { return }
    let found = unsafe Handle.find(image, as: Image.self)?.metadata.gainMap
    unsafe map.pointee = unsafe found.map { unsafe Handle.own($0) } ?? nil
}

@_cdecl("sdimage_image_apply_gain_map") @implementation
public func sdimage_image_apply_gain_map(_ image: Object, _ headroom: Double, _ rendition: ObjectOut, _ error: ObjectOut)
    -> sdimage_status
{
    unsafe attempt(error) { () throws(ImageError) in
        let image = unsafe try Handle.borrow(image, as: Image.self)
        guard !headroom.isNaN else { throw ImageError(.invalidArgument, "gain map: headroom is not a number") }
        unsafe try give(image.applyingGainMap(headroom: headroom, stop: CancellationToken()), rendition)
    }
}

@_cdecl("sdimage_image_extended_data") @implementation
public func sdimage_image_extended_data(_ image: Object) -> Object {
    unsafe read(image, Image.self, nil) { unsafe Handle.lend($0.metadata.extendedData) }
}

@_cdecl("sdimage_image_convert") @implementation
public func sdimage_image_convert(
    _ image: Object, _ pixelFormat: sdimage_pixel_format, _ converted: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let source = unsafe try Handle.borrow(image, as: Image.self)
        guard let format = PixelFormat(rawValue: Int32(bitPattern: pixelFormat.rawValue)) else {
            throw ImageError(.invalidArgument, "image: unknown pixel format")
        }
        unsafe try requireResult(converted)
        unsafe try give(try Engine.helped { () throws(ImageError) in try source.converted(to: format) }, converted)
    }
}

@_cdecl("sdimage_image_color_at") @implementation
public func sdimage_image_color_at(
    _ image: Object, _ x: UInt32, _ y: UInt32, _ color: UnsafeMutablePointer<sdimage_color>?, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let image = unsafe try Handle.borrow(image, as: Image.self)
        guard let color = unsafe color else { throw ImageError(.invalidArgument, "image: no place to store the color") }
        unsafe color.pointee = try image.color(x: Int(clamping: x), y: Int(clamping: y)).code
    }
}

@_cdecl("sdimage_image_colors_in") @implementation
public func sdimage_image_colors_in(
    _ image: Object, _ x: UInt32, _ y: UInt32, _ width: UInt32, _ height: UInt32,
    _ colors: UnsafeMutablePointer<sdimage_color>?, _ capacity: Int, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let image = unsafe try Handle.borrow(image, as: Image.self)
        let size = PixelSize(width: Int(width), height: Int(height))
        let found = try image.colors(x: Int(x), y: Int(y), size, limit: unsafe colors == nil ? 0 : Input.size(capacity))
        for (index, color) in found.enumerated() { unsafe colors?[index] = color.code }
    }
}

@_cdecl("sdimage_color_to_hex") @implementation
public func sdimage_color_to_hex(_ color: sdimage_color, _ text: UnsafeMutablePointer<CChar>?) {
    guard let text = unsafe text else { return }
    for (index, byte) in Color(color).cssHex.utf8.enumerated() { unsafe text[index] = CChar(bitPattern: byte) }
    unsafe text[Int(SDIMAGE_COLOR_HEX_SIZE) - 1] = 0
}

@_cdecl("sdimage_color_from_hex") @implementation
public func sdimage_color_from_hex(
    _ text: Text, _ color: UnsafeMutablePointer<sdimage_color>?, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        guard let color = unsafe color else { throw ImageError(.invalidArgument, "color: no place to store the color") }
        guard let found = Color(cssHex: unsafe Input.text(text) ?? "") else {
            throw ImageError(.invalidArgument, "color: text is not of the form #rrggbbaa")
        }
        unsafe color.pointee = found.code
    }
}

@_cdecl("sdimage_size_scaled") @implementation
public func sdimage_size_scaled(
    _ size: sdimage_size, _ box: sdimage_size, _ mode: sdimage_scale_mode, _ scaleUp: Bool
) -> sdimage_size {
    let mode = (try? ScaleMode(mode)) ?? .aspectFit
    return PixelSize(size).scaled(to: PixelSize(box), mode: mode, scaleUp: scaleUp).code
}

@_cdecl("sdimage_image_limit_bytes") @implementation
public func sdimage_image_limit_bytes(
    _ image: Object, _ bytes: Int, _ limited: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(limited)
        let image = unsafe try Handle.borrow(image, as: Image.self)
        let stop = CancellationToken()
        stop.allow(nanoseconds: CallTimeLimits.transformation)
        let limit = Input.size(bytes)
        unsafe try give(
            try Engine.helped { () throws(ImageError) in try image.limited(toBytes: limit, stop: stop) }, limited)
    }
}

@_cdecl("sdimage_image_get_decode_options") @implementation
public func sdimage_image_get_decode_options(_ image: Object, _ options: ObjectOut) {
    guard let options = unsafe options else { return }
    let used = unsafe Handle.find(image, as: Image.self)?.metadata.decoding?.options
    unsafe options.pointee = unsafe used.map { unsafe Handle.own(DecodeOptionsObject.lending($0)) } ?? nil
}

@_cdecl("sdimage_image_is_vector") @implementation
public func sdimage_image_is_vector(_ image: Object) -> Bool {
    unsafe read(image, Image.self, false) { $0.vector != nil }
}

@_cdecl("sdimage_image_render") @implementation
public func sdimage_image_render(
    _ image: Object, _ width: UInt32, _ height: UInt32, _ rendered: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let image = unsafe try Handle.borrow(image, as: Image.self)
        unsafe try requireResult(rendered)
        guard let vector = image.vector else { throw ImageError(.unsupported, "image: not a vector image") }
        let size = PixelSize(width: Int(clamping: width), height: Int(clamping: height))
        unsafe try give(try vector.render(size).with(image.metadata.decoding), rendered)
    }
}

@_cdecl("sdimage_format_name") @implementation
public func sdimage_format_name(_ format: sdimage_format) -> Text {
    unsafe Names.pointer((ImageFormat(rawValue: format.rawValue) ?? .unknown).name)
}

@_cdecl("sdimage_format_mime_type") @implementation
public func sdimage_format_mime_type(_ format: sdimage_format) -> Text {
    unsafe Names.pointer((ImageFormat(rawValue: format.rawValue) ?? .unknown).mimeType)
}

@_cdecl("sdimage_pixel_format_name") @implementation
public func sdimage_pixel_format_name(_ pixelFormat: sdimage_pixel_format) -> Text {
    unsafe Names.pixelFormat(pixelFormat)
}

@_cdecl("sdimage_pixel_format_bytes") @implementation
public func sdimage_pixel_format_bytes(_ pixelFormat: sdimage_pixel_format) -> Int {
    PixelFormat(rawValue: Int32(bitPattern: pixelFormat.rawValue))?.bytesPerPixel ?? 0
}

@_cdecl("sdimage_format_extension") @implementation
public func sdimage_format_extension(_ format: sdimage_format) -> Text {
    unsafe Names.pointer((ImageFormat(rawValue: format.rawValue) ?? .unknown).fileExtension)
}

@_cdecl("sdimage_format_of_mime_type") @implementation
public func sdimage_format_of_mime_type(_ mimeType: Text) -> sdimage_format {
    ImageFormat(mimeType: unsafe Input.text(mimeType) ?? "").code
}
