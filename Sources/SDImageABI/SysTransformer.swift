// The function of include/sdimage/sys/transformer.h. `ForeignTransformer` calls the table.

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
