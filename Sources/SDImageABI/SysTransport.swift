// The functions of include/sdimage/sys/transport.h. `ForeignTransport` calls the table; `sdimage_exchange` is an
// `ExchangeObject`.

import CSDImage
import SDImage
import SDImageCurl
import SDImageHost

@_cdecl("sdimage_transport_new_custom") @implementation
public func sdimage_transport_new_custom(
    _ vtable: UnsafePointer<sdimage_transport_vtable>?, _ userData: UserData, _ destroy: sdimage_destroy_fn?,
    _ transport: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    return unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(transport)
        unsafe try give(try ForeignTransport(vtable, foreign), transport)
    }
}

@_cdecl("sdimage_transport_ref") @implementation
public func sdimage_transport_ref(_ transport: Object) -> Object {
    unsafe Handle.ref(transport, as: ForeignTransport.self)
}

@_cdecl("sdimage_transport_unref") @implementation
public func sdimage_transport_unref(_ transport: Object) {
    unsafe Handle.unref(transport, as: ForeignTransport.self)
}

@_cdecl("sdimage_downloader_config_set_transport") @implementation
public func sdimage_downloader_config_set_transport(_ config: Object, _ transport: Object) {
    unsafe change(config, DownloaderConfigObject.self) {
        $0.transport = unsafe Handle.find(transport, as: ForeignTransport.self)
    }
}

@_cdecl("sdimage_downloader_config_get_transport") @implementation
public func sdimage_downloader_config_get_transport(_ config: Object, _ transport: ObjectOut) {
    unsafe hand(read(config, DownloaderConfigObject.self, nil) { $0.value.transport as? ForeignTransport }, transport)
}

@_cdecl("sdimage_exchange_ref") @implementation
public func sdimage_exchange_ref(_ exchange: Object) -> Object {
    unsafe Handle.ref(exchange, as: ExchangeObject.self)
}

@_cdecl("sdimage_exchange_unref") @implementation
public func sdimage_exchange_unref(_ exchange: Object) {
    unsafe Handle.unref(exchange, as: ExchangeObject.self)
}

@_cdecl("sdimage_exchange_respond") @implementation
public func sdimage_exchange_respond(_ exchange: Object, _ response: Object, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let reply = unsafe try Handle.borrow(response, as: ResponseObject.self).value
        unsafe try Handle.borrow(exchange, as: ExchangeObject.self).exchange.respond(reply)
    }
}

@_cdecl("sdimage_exchange_write") @implementation
public func sdimage_exchange_write(_ exchange: Object, _ bytes: UnsafeRawPointer?, _ length: Int, _ error: ObjectOut)
    -> sdimage_status
{
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try Handle.borrow(exchange, as: ExchangeObject.self).exchange.write(try Input.content(bytes, length))
    }
}

@_cdecl("sdimage_exchange_finish") @implementation
public func sdimage_exchange_finish(_ exchange: Object, _ error: Object) {
    unsafe Handle.find(exchange, as: ExchangeObject.self)?.exchange.finish(Handle.find(error, as: ImageError.self))
}

@_cdecl("sdimage_exchange_is_cancelled") @implementation
public func sdimage_exchange_is_cancelled(_ exchange: Object) -> Bool {
    unsafe read(exchange, ExchangeObject.self, false) { $0.exchange.isCancelled }
}
