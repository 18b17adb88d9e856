// The functions of include/sdimage/sys/cache.h. `ForeignCache` calls the table.

import CSDImage
import SDImage
import SDImageHost

@_cdecl("sdimage_cache_entry_new") @implementation
public func sdimage_cache_entry_new(_ data: Object, _ metadata: Object, _ entry: ObjectOut, _ error: ObjectOut)
    -> sdimage_status
{
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(entry)
        let bytes = unsafe try Handle.borrow(data, as: Bytes.self)
        guard unsafe metadata != nil else { return unsafe try give(CacheEntryObject(CachedData(bytes: bytes)), entry) }
        let told = unsafe try Handle.borrow(metadata, as: Bytes.self)
        unsafe try give(CacheEntryObject(try CachedData(bytes: bytes, metadata: told)), entry)
    }
}

@_cdecl("sdimage_cache_entry_ref") @implementation
public func sdimage_cache_entry_ref(_ entry: Object) -> Object {
    unsafe Handle.ref(entry, as: CacheEntryObject.self)
}

@_cdecl("sdimage_cache_entry_unref") @implementation
public func sdimage_cache_entry_unref(_ entry: Object) {
    unsafe Handle.unref(entry, as: CacheEntryObject.self)
}

@_cdecl("sdimage_cache_entry_data") @implementation
public func sdimage_cache_entry_data(_ entry: Object) -> Object {
    unsafe read(entry, CacheEntryObject.self, nil) { unsafe Handle.lend($0.entry.bytes) }
}

@_cdecl("sdimage_cache_entry_metadata") @implementation
public func sdimage_cache_entry_metadata(_ entry: Object) -> Object {
    unsafe read(entry, CacheEntryObject.self, nil) { unsafe Handle.lend($0.metadata) }
}

@_cdecl("sdimage_cache_entry_date_ns") @implementation
public func sdimage_cache_entry_date_ns(_ entry: Object) -> UInt64 {
    unsafe read(entry, CacheEntryObject.self, 0) { $0.entry.date }
}

@_cdecl("sdimage_cache_entry_expiry_ns") @implementation
public func sdimage_cache_entry_expiry_ns(_ entry: Object) -> UInt64 {
    unsafe read(entry, CacheEntryObject.self, 0) { $0.entry.expires }
}

@_cdecl("sdimage_cache_new_custom") @implementation
public func sdimage_cache_new_custom(
    _ vtable: UnsafePointer<sdimage_cache_vtable>?, _ userData: UserData, _ destroy: sdimage_destroy_fn?, _ cache: ObjectOut,
    _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    return unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(cache)
        unsafe try give(CacheObject(try ForeignCache(vtable, foreign)), cache)
    }
}
