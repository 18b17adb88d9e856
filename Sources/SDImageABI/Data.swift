// The functions of include/sdimage/data.h. `sdimage_data` is a `Bytes`.

import CSDImage
import SDImage
import SDImageHost

@_cdecl("sdimage_data_new") @implementation
public func sdimage_data_new(_ bytes: UnsafeRawPointer?, _ length: Int, _ data: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try give(try Bytes.copyingPooled(try Input.content(bytes, length)), data)
    }
}

@_cdecl("sdimage_data_new_adopting") @implementation
public func sdimage_data_new_adopting(
    _ bytes: UnsafeRawPointer?, _ length: Int, _ userData: UserData, _ destroy: sdimage_destroy_fn?, _ data: ObjectOut,
    _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    return unsafe attempt(error) { () throws(ImageError) in
        let view = unsafe try Input.content(bytes, length)
        unsafe try give(Bytes(adopting: view.baseAddress, count: view.count) { withExtendedLifetime(foreign) {} }, unsafe data)
    }
}

@_cdecl("sdimage_data_ref") @implementation
public func sdimage_data_ref(_ data: Object) -> Object {
    unsafe Handle.ref(data, as: Bytes.self)
}

@_cdecl("sdimage_data_unref") @implementation
public func sdimage_data_unref(_ data: Object) {
    unsafe Handle.unref(data, as: Bytes.self)
}

@_cdecl("sdimage_data_bytes") @implementation
public func sdimage_data_bytes(_ data: Object) -> UnsafeRawPointer? {
    unsafe read(data, Bytes.self, nil) { unsafe $0.isEmpty ? UnsafeRawPointer(CString.empty.pointer) : $0.pointer }
}

@_cdecl("sdimage_data_length") @implementation
public func sdimage_data_length(_ data: Object) -> Int {
    unsafe read(data, Bytes.self, 0) { $0.count }
}
