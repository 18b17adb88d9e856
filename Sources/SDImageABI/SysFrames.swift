// The function of include/sdimage/sys/frames.h. `ForeignFrames` calls the table.

import CSDImage
import SDImage
import SDImageHost

@_cdecl("sdimage_frame_provider_new_custom") @implementation
public func sdimage_frame_provider_new_custom(
    _ vtable: UnsafePointer<sdimage_frame_provider_vtable>?, _ userData: UserData, _ destroy: sdimage_destroy_fn?,
    _ provider: ObjectOut,
    _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    return unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(provider)
        unsafe try give(FrameSource(AnimationFrames.of(try ForeignFrames(vtable, foreign))), provider)
    }
}
