// The functions of include/sdimage/gain_map.h. `sdimage_gain_map` is a `GainMap`.

import CSDImage
import SDImage
import SDImageCodecs
import SDImageHost

/// Reads a number of one channel; 0 for Apple's maps, which have none, and for a channel that does not exist.
private func number(_ map: Object, _ channel: UInt32, _ body: (GainMap.Channel) -> Double) -> Double {
    unsafe read(map, GainMap.self, 0) { map in
        channel < 3 && !map.parameters.isLinear ? body(map.parameters.channels[Int(channel)]) : 0
    }
}

@_cdecl("sdimage_gain_map_new") @implementation
public func sdimage_gain_map_new(
    _ samples: Object, _ parameters: UnsafeRawPointer?, _ length: Int, _ map: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let samples = unsafe try Handle.borrow(samples, as: Image.self)
        unsafe try give(try GainMap(samples: samples, fields: try Input.callersBytes(parameters, length)), map)
    }
}

@_cdecl("sdimage_gain_map_new_apple") @implementation
public func sdimage_gain_map_new_apple(
    _ samples: Object, _ exif: UnsafeRawPointer?, _ length: Int, _ map: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let samples = unsafe try Handle.borrow(samples, as: Image.self)
        unsafe try give(try GainMap(samples: samples, appleExif: try Input.callersBytes(exif, length)), map)
    }
}

@_cdecl("sdimage_gain_map_new_between") @implementation
public func sdimage_gain_map_new_between(_ sdr: Object, _ hdr: Object, _ map: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let (sdr, hdr) = unsafe (try Handle.borrow(sdr, as: Image.self), try Handle.borrow(hdr, as: Image.self))
        let account = EncodeOptions().account
        unsafe try give(GainMapMeasurement.map(from: sdr, to: hdr, account: account, stop: CancellationToken()), map)
    }
}

@_cdecl("sdimage_gain_map_copy_parameters") @implementation
public func sdimage_gain_map_copy_parameters(_ map: Object, _ parameters: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try give(Handle.borrow(map, as: GainMap.self).fields(), parameters)
    }
}

@_cdecl("sdimage_gain_map_ref") @implementation
public func sdimage_gain_map_ref(_ map: Object) -> Object {
    unsafe Handle.ref(map, as: GainMap.self)
}

@_cdecl("sdimage_gain_map_unref") @implementation
public func sdimage_gain_map_unref(_ map: Object) {
    unsafe Handle.unref(map, as: GainMap.self)
}

@_cdecl("sdimage_gain_map_image") @implementation
public func sdimage_gain_map_image(_ map: Object) -> Object {
    unsafe read(map, GainMap.self, nil) { unsafe Handle.lend($0.image) }
}

@_cdecl("sdimage_gain_map_base_headroom") @implementation
public func sdimage_gain_map_base_headroom(_ map: Object) -> Double {
    unsafe read(map, GainMap.self, 0) { $0.parameters.baseHeadroom }
}

@_cdecl("sdimage_gain_map_alternate_headroom") @implementation
public func sdimage_gain_map_alternate_headroom(_ map: Object) -> Double {
    unsafe read(map, GainMap.self, 0) { $0.parameters.alternateHeadroom }
}

@_cdecl("sdimage_gain_map_minimum") @implementation
public func sdimage_gain_map_minimum(_ map: Object, _ channel: UInt32) -> Double {
    unsafe number(map, channel) { $0.minimum }
}

@_cdecl("sdimage_gain_map_maximum") @implementation
public func sdimage_gain_map_maximum(_ map: Object, _ channel: UInt32) -> Double {
    unsafe number(map, channel) { $0.maximum }
}

@_cdecl("sdimage_gain_map_gamma") @implementation
public func sdimage_gain_map_gamma(_ map: Object, _ channel: UInt32) -> Double {
    unsafe number(map, channel) { $0.gamma }
}

@_cdecl("sdimage_gain_map_base_offset") @implementation
public func sdimage_gain_map_base_offset(_ map: Object, _ channel: UInt32) -> Double {
    unsafe number(map, channel) { $0.baseOffset }
}

@_cdecl("sdimage_gain_map_alternate_offset") @implementation
public func sdimage_gain_map_alternate_offset(_ map: Object, _ channel: UInt32) -> Double {
    unsafe number(map, channel) { $0.alternateOffset }
}

@_cdecl("sdimage_gain_map_is_in_base_color_space") @implementation
public func sdimage_gain_map_is_in_base_color_space(_ map: Object) -> Bool {
    unsafe read(map, GainMap.self, false) { $0.parameters.usesBaseColorSpace }
}

@_cdecl("sdimage_gain_map_is_linear") @implementation
public func sdimage_gain_map_is_linear(_ map: Object) -> Bool {
    unsafe read(map, GainMap.self, false) { $0.parameters.isLinear }
}
