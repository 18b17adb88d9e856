// The functions of include/sdimage/sys/loader.h. `ForeignLoader` calls the table; `sdimage_load_sink` is a `LoadSink`.

import CSDImage
import SDImage
import SDImageHost

@_cdecl("sdimage_loader_new_custom") @implementation
public func sdimage_loader_new_custom(
    _ name: Text, _ vtable: UnsafePointer<sdimage_loader_vtable>?, _ userData: UserData, _ destroy: sdimage_destroy_fn?,
    _ loader: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    return unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(loader)
        let limit = Defaults.downloader.maxBodyBytes
        let custom = unsafe try ForeignLoader(name: Input.text(name) ?? "custom", vtable, foreign, standardLimit: limit)
        unsafe try give(LoaderObject(custom), loader)
    }
}

@_cdecl("sdimage_load_sink_ref") @implementation
public func sdimage_load_sink_ref(_ sink: Object) -> Object {
    unsafe Handle.ref(sink, as: LoadSink.self)
}

@_cdecl("sdimage_load_sink_unref") @implementation
public func sdimage_load_sink_unref(_ sink: Object) {
    unsafe Handle.unref(sink, as: LoadSink.self)
}

@_cdecl("sdimage_load_sink_set_expected_length") @implementation
public func sdimage_load_sink_set_expected_length(_ sink: Object, _ length: UInt64) {
    unsafe Handle.find(sink, as: LoadSink.self)?.inflow.expect(length)
}

@_cdecl("sdimage_load_sink_expected_length") @implementation
public func sdimage_load_sink_expected_length(_ sink: Object) -> UInt64 {
    unsafe read(sink, LoadSink.self, 0) { UInt64(clamping: $0.inflow.expectedLength) }
}

@_cdecl("sdimage_load_sink_write") @implementation
public func sdimage_load_sink_write(_ sink: Object, _ bytes: UnsafeRawPointer?, _ length: Int, _ error: ObjectOut)
    -> sdimage_status
{
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try Handle.borrow(sink, as: LoadSink.self).inflow.write(try Input.content(bytes, length))
    }
}

@_cdecl("sdimage_load_sink_restart") @implementation
public func sdimage_load_sink_restart(_ sink: Object) {
    unsafe Handle.find(sink, as: LoadSink.self)?.inflow.restart()
}

@_cdecl("sdimage_load_sink_finish") @implementation
public func sdimage_load_sink_finish(_ sink: Object, _ error: Object) {
    unsafe Handle.find(sink, as: LoadSink.self)?.inflow.finish(Handle.find(error, as: ImageError.self))
}

@_cdecl("sdimage_load_sink_finish_with_data") @implementation
public func sdimage_load_sink_finish_with_data(_ sink: Object, _ data: Object) {
    unsafe Handle.find(sink, as: LoadSink.self)?.inflow.finish(Handle.find(data, as: Bytes.self))
}

@_cdecl("sdimage_load_sink_finish_with_image") @implementation
public func sdimage_load_sink_finish_with_image(_ sink: Object, _ image: Object) {
    unsafe Handle.find(sink, as: LoadSink.self)?.inflow.finish(Handle.find(image, as: Image.self))
}

@_cdecl("sdimage_load_sink_finish_with_encoded") @implementation
public func sdimage_load_sink_finish_with_encoded(_ sink: Object, _ data: Object, _ options: Object) {
    guard let sink = unsafe Handle.find(sink, as: LoadSink.self) else { return }
    do throws(ImageError) {
        let options = unsafe try Input.decodeOptions(options)
        sink.inflow.finish(unsafe Handle.find(data, as: Bytes.self), decodedWith: options)
    } catch { sink.inflow.finish(error) }
}

@_cdecl("sdimage_load_sink_show") @implementation
public func sdimage_load_sink_show(_ sink: Object, _ image: Object) {
    guard let image = unsafe Handle.find(image, as: Image.self) else { return }
    unsafe Handle.find(sink, as: LoadSink.self)?.inflow.show(image)
}

@_cdecl("sdimage_load_sink_report_progress") @implementation
public func sdimage_load_sink_report_progress(_ sink: Object, _ received: Int64, _ expected: Int64) {
    unsafe Handle.find(sink, as: LoadSink.self)?.inflow.report(received, expected)
}

@_cdecl("sdimage_load_sink_set_storable") @implementation
public func sdimage_load_sink_set_storable(_ sink: Object, _ storable: Bool) {
    unsafe Handle.find(sink, as: LoadSink.self)?.inflow.isStorable = storable
}

@_cdecl("sdimage_load_sink_is_storable") @implementation
public func sdimage_load_sink_is_storable(_ sink: Object) -> Bool {
    unsafe read(sink, LoadSink.self, false) { $0.inflow.isStorable }
}

@_cdecl("sdimage_load_sink_is_cancelled") @implementation
public func sdimage_load_sink_is_cancelled(_ sink: Object) -> Bool {
    unsafe read(sink, LoadSink.self, false) { $0.inflow.isCancelled }
}
