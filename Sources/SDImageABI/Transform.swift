// The functions of include/sdimage/transform.h. `sdimage_transformer` is a `TransformerObject`. Functions that apply a
// transformer at once run on the calling thread, with the help of idle workers.

import CSDImage
import SDImage
import SDImageHost

/// Makes a transformer and stores it for the caller.
private func make(
    _ out: ObjectOut, _ error: ObjectOut, _ body: () throws(ImageError) -> any ImageTransformer
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(out)
        unsafe try give(TransformerObject(try body()), out)
    }
}

/// A stop signal with the time limit of one transformation, which equals that of an encode.
private func timeLimit() -> CancellationToken {
    let stop = CancellationToken()
    stop.allow(nanoseconds: CallTimeLimits.transformation)
    return stop
}

/// Makes a transformer, applies it and stores the result for the caller.
private func apply(
    _ image: Object, _ result: ObjectOut, _ error: ObjectOut, _ body: () throws(ImageError) -> any ImageTransformer
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(result)
        let image = unsafe try Handle.borrow(image, as: Image.self)
        let transformer = try body()
        unsafe try give(
            try Engine.helped { () throws(ImageError) in try image.transformed(by: transformer, stop: timeLimit()) }, result)
    }
}

/// nil beyond the last filter or parameter.
private func filterParameter(_ index: Int, _ parameter: Int) -> FilterParameter? {
    guard let filter = Names.filter(index)?.filter, filter.parameters.indices ~= parameter else { return nil }
    return filter.parameters[parameter]
}

@_cdecl("sdimage_transformer_ref") @implementation
public func sdimage_transformer_ref(_ transformer: Object) -> Object {
    unsafe Handle.ref(transformer, as: TransformerObject.self)
}

@_cdecl("sdimage_transformer_unref") @implementation
public func sdimage_transformer_unref(_ transformer: Object) {
    unsafe Handle.unref(transformer, as: TransformerObject.self)
}

@_cdecl("sdimage_transformer_key") @implementation
public func sdimage_transformer_key(_ transformer: Object) -> Text {
    unsafe read(transformer, TransformerObject.self, CString.empty.pointer) { unsafe $0.key.pointer }
}

@_cdecl("sdimage_transformer_should_preserve_metadata") @implementation
public func sdimage_transformer_should_preserve_metadata(_ transformer: Object) -> Bool {
    unsafe read(transformer, TransformerObject.self, false) { $0.transformer.preservesMetadata }
}

@_cdecl("sdimage_transformer_new_resize") @implementation
public func sdimage_transformer_new_resize(
    _ width: Double, _ height: Double, _ mode: sdimage_scale_mode, _ transformer: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    unsafe make(transformer, error) { () throws(ImageError) in
        try ResizeTransformer(width: width, height: height, mode: try ScaleMode(mode))
    }
}

@_cdecl("sdimage_transformer_new_resample") @implementation
public func sdimage_transformer_new_resample(
    _ width: Double, _ height: Double, _ mode: sdimage_scale_mode, _ resampling: sdimage_resampling, _ linearLight: Bool,
    _ transformer: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    unsafe make(transformer, error) { () throws(ImageError) in
        try ResizeTransformer(
            width: width, height: height, mode: try ScaleMode(mode),
            resampling: try ResizeTransformer.Resampling(resampling), linearLight: linearLight)
    }
}

@_cdecl("sdimage_transformer_new_crop") @implementation
public func sdimage_transformer_new_crop(_ rect: sdimage_rect, _ transformer: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe make(transformer, error) { () throws(ImageError) in try CropTransformer(Rectangle(rect)) }
}

@_cdecl("sdimage_transformer_new_round_corner") @implementation
public func sdimage_transformer_new_round_corner(
    _ radius: Double, _ corners: UInt64, _ borderWidth: Double, _ borderColor: UnsafePointer<sdimage_color>?,
    _ transformer: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    unsafe make(transformer, error) { () throws(ImageError) in
        try RoundCornerTransformer(
            radius: radius, corners: corners, borderWidth: borderWidth,
            borderColor: unsafe borderColor.map { unsafe Color($0.pointee) })
    }
}

@_cdecl("sdimage_transformer_new_round_corner_fraction") @implementation
public func sdimage_transformer_new_round_corner_fraction(
    _ fraction: Double, _ corners: UInt64, _ borderWidth: Double, _ borderColor: UnsafePointer<sdimage_color>?,
    _ transformer: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    unsafe make(transformer, error) { () throws(ImageError) in
        try RoundCornerTransformer(
            radius: fraction, isFraction: true, corners: corners, borderWidth: borderWidth,
            borderColor: unsafe borderColor.map { unsafe Color($0.pointee) })
    }
}

@_cdecl("sdimage_transformer_new_flip") @implementation
public func sdimage_transformer_new_flip(
    _ horizontal: Bool, _ vertical: Bool, _ transformer: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    unsafe make(transformer, error) { () throws(ImageError) in FlipTransformer(horizontal: horizontal, vertical: vertical) }
}

@_cdecl("sdimage_transformer_new_rotate") @implementation
public func sdimage_transformer_new_rotate(
    _ angle: Double, _ fitSize: Bool, _ transformer: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    unsafe make(transformer, error) { () throws(ImageError) in try RotateTransformer(angle: angle, fitSize: fitSize) }
}

@_cdecl("sdimage_transformer_new_tint") @implementation
public func sdimage_transformer_new_tint(
    _ color: sdimage_color, _ mode: sdimage_blend_mode, _ transformer: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    unsafe make(transformer, error) { () throws(ImageError) in
        try TintTransformer(Color(color), mode: try BlendMode(mode))
    }
}

@_cdecl("sdimage_transformer_new_blur") @implementation
public func sdimage_transformer_new_blur(_ radius: Double, _ transformer: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe make(transformer, error) { () throws(ImageError) in try BlurTransformer(radius: radius) }
}

@_cdecl("sdimage_transformer_new_filter") @implementation
public func sdimage_transformer_new_filter(
    _ name: Text, _ parameters: Object, _ transformer: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    unsafe make(transformer, error) { () throws(ImageError) in
        try FilterTransformer(unsafe Input.text(name) ?? "", parameters: unsafe try Input.filterParameters(parameters))
    }
}

@_cdecl("sdimage_filter_count") @implementation
public func sdimage_filter_count() -> Int { Names.filters.count }

@_cdecl("sdimage_filter_index") @implementation
public func sdimage_filter_index(_ name: Text) -> Int {
    let name = unsafe Input.text(name) ?? ""
    // -1 is SIZE_MAX of C.
    return Names.filters.firstIndex { $0.filter.name == name || $0.filter.aliases.contains(name) } ?? -1
}

@_cdecl("sdimage_filter_name") @implementation
public func sdimage_filter_name(_ index: Int) -> Text { unsafe Names.filter(index)?.name.pointer }

@_cdecl("sdimage_filter_summary") @implementation
public func sdimage_filter_summary(_ index: Int) -> Text { unsafe Names.filter(index)?.summary.pointer }

@_cdecl("sdimage_filter_is_linear") @implementation
public func sdimage_filter_is_linear(_ index: Int) -> Bool { Names.filter(index)?.filter.space == .light }

@_cdecl("sdimage_filter_alias_count") @implementation
public func sdimage_filter_alias_count(_ index: Int) -> Int { Names.filter(index)?.aliases.count ?? 0 }

@_cdecl("sdimage_filter_alias") @implementation
public func sdimage_filter_alias(_ index: Int, _ alias: Int) -> Text {
    guard let filter = Names.filter(index), filter.aliases.indices ~= alias else { return nil }
    return unsafe filter.aliases[alias].pointer
}

@_cdecl("sdimage_filter_parameter_count") @implementation
public func sdimage_filter_parameter_count(_ index: Int) -> Int { Names.filter(index)?.parameters.count ?? 0 }

@_cdecl("sdimage_filter_parameter_name") @implementation
public func sdimage_filter_parameter_name(_ index: Int, _ parameter: Int) -> Text {
    guard let filter = Names.filter(index), filter.parameters.indices ~= parameter else { return nil }
    return unsafe filter.parameters[parameter].pointer
}

@_cdecl("sdimage_filter_parameter_default") @implementation
public func sdimage_filter_parameter_default(_ index: Int, _ parameter: Int) -> Double {
    filterParameter(index, parameter)?.standard ?? 0
}

@_cdecl("sdimage_filter_parameter_minimum") @implementation
public func sdimage_filter_parameter_minimum(_ index: Int, _ parameter: Int) -> Double {
    filterParameter(index, parameter)?.minimum ?? 0
}

@_cdecl("sdimage_filter_parameter_maximum") @implementation
public func sdimage_filter_parameter_maximum(_ index: Int, _ parameter: Int) -> Double {
    filterParameter(index, parameter)?.maximum ?? 0
}

@_cdecl("sdimage_filter_to_json") @implementation
public func sdimage_filter_to_json(_ index: Int, _ json: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        guard let filter = Names.filter(index)?.filter else {
            throw ImageError(.invalidArgument, "filter: no filter \(UInt(bitPattern: index))")
        }
        unsafe try give(try Report.filter(filter).bytes(), json)
    }
}

@_cdecl("sdimage_transformer_new_pipeline") @implementation
public func sdimage_transformer_new_pipeline(
    _ transformers: UnsafePointer<OpaquePointer?>?, _ count: Int, _ transformer: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    unsafe make(transformer, error) { () throws(ImageError) in
        let children = unsafe try Input.objects(transformers, count, as: TransformerObject.self)
        return TransformerPipeline(children.map(\.transformer))
    }
}

@_cdecl("sdimage_image_transform") @implementation
public func sdimage_image_transform(
    _ image: Object, _ transformer: Object, _ result: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    unsafe apply(image, result, error) { () throws(ImageError) in
        unsafe try Handle.borrow(transformer, as: TransformerObject.self).transformer
    }
}

@_cdecl("sdimage_image_transform_frames") @implementation
public func sdimage_image_transform_frames(
    _ image: Object, _ transformer: Object, _ result: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(result)
        let image = unsafe try Handle.borrow(image, as: Image.self)
        let transformer = unsafe try Handle.borrow(transformer, as: TransformerObject.self).transformer
        unsafe try give(
            try Engine.helped { () throws(ImageError) in try image.framesTransformed(by: transformer, stop: timeLimit()) },
            result)
    }
}

@_cdecl("sdimage_image_resize") @implementation
public func sdimage_image_resize(
    _ image: Object, _ width: Double, _ height: Double, _ mode: sdimage_scale_mode, _ result: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    unsafe apply(image, result, error) { () throws(ImageError) in
        try ResizeTransformer(width: width, height: height, mode: try ScaleMode(mode))
    }
}
