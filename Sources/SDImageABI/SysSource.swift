// The function of include/sdimage/sys/source.h. `ForeignSource` calls the table.

import CSDImage
import SDImage
import SDImageHost

@_cdecl("sdimage_source_new_custom") @implementation
public func sdimage_source_new_custom(
    _ length: UInt64, _ vtable: UnsafePointer<sdimage_source_vtable>?, _ userData: UserData,
    _ destroy: sdimage_destroy_fn?, _ source: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    return unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(source)
        unsafe try give(SourceObject(try ForeignSource(vtable, length: length, foreign)), source)
    }
}
