import CSDImage
import SDImage

/// A transformer as seen from C, with a key that can be lent.
final class TransformerObject: Sendable {
    let transformer: any ImageTransformer
    let key: CString

    init(_ transformer: any ImageTransformer) {
        self.transformer = transformer
        key = CString(transformer.key)
    }
}

extension Color {
    init(_ color: sdimage_color) {
        self.init(red: color.red, green: color.green, blue: color.blue, alpha: color.alpha)
    }

    var code: sdimage_color { sdimage_color(red: red, green: green, blue: blue, alpha: alpha) }
}

/// Makes a transformer and stores it for the caller.
private func make(
    _ out: ObjectOut, _ error: ObjectOut, _ body: () throws(ImageError) -> any ImageTransformer
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(out)
        unsafe try give(TransformerObject(try body()), out)
    }
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

@_cdecl("sdimage_transformer_preserves_metadata") @implementation
public func sdimage_transformer_preserves_metadata(_ transformer: Object) -> Bool {
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
        try FilterTransformer(unsafe Input.text(name) ?? "", parameters: unsafe try filterParameters(parameters))
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

@_cdecl("sdimage_transformer_new_custom") @implementation
public func sdimage_transformer_new_custom(
    _ key: Text, _ vtable: UnsafePointer<sdimage_transformer_vtable>?, _ userData: UserData,
    _ destroy: sdimage_destroy_fn?, _ transformer: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    return unsafe make(transformer, error) { () throws(ImageError) in
        unsafe try ForeignTransformer(key: Input.text(key) ?? "", vtable, foreign)
    }
}

/// The values of a bag; empty for NULL.
func filterParameters(_ parameters: Object) throws(ImageError) -> OptionsBag {
    unsafe parameters == nil ? OptionsBag() : try Handle.borrow(parameters, as: OptionsObject.self).value
}
