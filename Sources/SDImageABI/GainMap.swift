import CSDImage
import SDImage
import SDImageHost

/// Reads a number of one channel.
private func number(_ map: Object, _ channel: UInt32, _ body: (GainMap.Channel) -> Double) -> Double {
    unsafe read(map, GainMap.self, 0) { map in
        channel < 3 && !map.parameters.isLinear ? body(map.parameters.channels[Int(channel)]) : 0
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
